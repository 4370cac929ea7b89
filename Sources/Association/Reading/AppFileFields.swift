// An object of an app file after its keys have been checked.

import SourceJSON

/// The members of one object, each key known and at most once.
struct AppFileFields {
    /// The path of the object in the file, such as `ios`; empty at the top.
    let place: String
    let range: SourceRange
    let members: [SourceMember]
    /// Keys that it has besides and that are not known here.
    var unknownCount = 0
    /// The known keys that those were probably meant to be.
    var misspelt: Set<String> = []

    subscript(key: String) -> SourceMember? { members.first { $0.key == key } }

    /// Whether a key is missing because it is misspelt, which is reported at the misspelt one.
    func lacksMisspelt(_ key: String) -> Bool { misspelt.contains(key) && self[key] == nil }

    func path(_ key: String) -> String { place.isEmpty ? key : "\(place).\(key)" }
}

extension AppFileReader {
    /// The members of an object; reports keys that are not in `known` and keys that occur twice.
    mutating func fields(of value: SourceValue, place: String, known: [String]) -> AppFileFields? {
        guard case .object(let members) = value.kind else {
            wrongType(value, place, wanted: "an object")
            return nil
        }
        var kept: [SourceMember] = []
        var unknownCount = 0
        var misspelt: Set<String> = []
        for member in members {
            let isKnown = known.contains(member.key)
            if isKnown, !kept.contains(where: { $0.key.isIdentical(to: member.key) }) {
                kept.append(member)
                continue
            }
            let path = place.isEmpty ? member.key : "\(place).\(member.key)"
            if isKnown {
                reportDuplicate(member, path)
            } else {
                unknownCount += 1
                let nearest = findings.nearest(member.key, among: known)
                if let nearest { misspelt.insert(nearest) }
                // What an overlay is laid over stands in another object of the file.
                let beside = members.filter { isInOverlay($0) == isInOverlay(member) }
                reportUnknown(member, nearest: nearest, path: path, place: place, known: known, beside: beside)
            }
        }
        return AppFileFields(
            place: place, range: value.range, members: kept, unknownCount: unknownCount, misspelt: misspelt)
    }

    /// The members of an object whose keys are names that the file chooses, each once.
    mutating func named(_ value: SourceValue, place: String, wanted: String, max: Int) -> [SourceMember] {
        guard case .object(let members) = value.kind else {
            wrongType(value, place, wanted: wanted)
            return []
        }
        guard isWithin(max, members.count, value.range, place) else { return [] }
        var seen: Set<ExactText> = []
        var kept: [SourceMember] = []
        for member in members {
            if seen.insert(ExactText(member.key)).inserted {
                kept.append(member)
            } else {
                reportDuplicate(member, "\(place)[\(member.key)]")
            }
        }
        return kept
    }

    private func isInOverlay(_ member: SourceMember) -> Bool {
        guard let overlays else { return false }
        return member.keyRange.start.offset >= overlays.start.offset
            && member.keyRange.end.offset <= overlays.end.offset
    }

    private mutating func reportDuplicate(_ member: SourceMember, _ path: String) {
        report(
            .app004, member.keyRange, "\(path.quoted) is written twice, and which one is meant is a guess",
            fix: "keep one of them")
    }

    private mutating func isWithin(_ max: Int, _ count: Int, _ range: SourceRange, _ place: String) -> Bool {
        guard count > max else { return true }
        report(.app020, range, "\(place.quoted) has \(count) entries, and at most \(max) make sense")
        return false
    }

    /// An error where it is a misspelt key, and in the parts that phones go by: there a key without effect publishes
    /// something else than the file says.
    private mutating func reportUnknown(
        _ member: SourceMember, nearest: String?, path: String, place: String, known: [String],
        beside members: [SourceMember]
    ) {
        let remedy = KeyRemedy(member, nearest: nearest, beside: members) { $0 }
        let isPublished = ["ios", "android", "links["].contains(where: place.begins(with:))
        findings.report(
            .app003, at: member.keyRange,
            "\(path.quoted) is not a key of an app file, so it has no effect",
            fix: remedy.fix ?? "remove it; known here are \(known.joined(separator: ", "))", edit: remedy.edit,
            severity: nearest != nil || isPublished ? .error : .warning)
    }

    mutating func string(_ key: String, in fields: AppFileFields) -> Located<String>? {
        guard let value = fields[key]?.value else { return nil }
        return string(value, place: fields.path(key))
    }

    /// `place` is spelled out only for a message; files without mistakes have none.
    mutating func string(_ value: SourceValue, place: @autoclosure () -> String) -> Located<String>? {
        guard case .string(let text) = value.kind else {
            wrongType(value, place(), wanted: "a string", fix: "put it in quotes")
            return nil
        }
        guard !text.isEmpty else {
            report(.app007, value.range, "\(place().quoted) is empty", fix: "fill it in, or leave the key out")
            return nil
        }
        return Located(value: text, range: value.range)
    }

    mutating func bool(_ key: String, in fields: AppFileFields) -> Located<Bool>? {
        guard let value = fields[key]?.value else { return nil }
        guard case .bool(let flag) = value.kind else {
            wrongType(value, fields.path(key), wanted: "true or false")
            return nil
        }
        return Located(value: flag, range: value.range)
    }

    mutating func integer(_ key: String, in fields: AppFileFields, _ allowed: ClosedRange<Int>) -> Located<Int>? {
        guard let value = fields[key]?.value else { return nil }
        guard case .number(let number) = value.kind else {
            wrongType(value, fields.path(key), wanted: "a number")
            return nil
        }
        guard let whole = number.asInt, allowed.contains(whole) else {
            report(
                .app020, value.range,
                "\(fields.path(key).quoted) is \(number.text.quoted), and must be a whole number from "
                    + "\(allowed.lowerBound) to \(allowed.upperBound)")
            return nil
        }
        return Located(value: whole, range: value.range)
    }

    /// One of a closed set of words.
    mutating func word<Word: RawRepresentable<String> & CaseIterable>(
        _ key: String, in fields: AppFileFields, as: Word.Type
    ) -> Located<Word>? {
        guard let text = string(key, in: fields) else { return nil }
        guard let word = word(text, place: fields.path(key), as: Word.self) else { return nil }
        return Located(value: word, range: text.range)
    }

    mutating func word<Word: RawRepresentable<String> & CaseIterable>(
        _ text: Located<String>, place: @autoclosure () -> String, as: Word.Type
    ) -> Word? {
        if let word = Word(rawValue: text.value) { return word }
        let allowed = Word.allCases.map(\.rawValue)
        report(
            .app007, text.range, "\(place().quoted) is \(text.value.quoted), which means nothing here",
            fix: NearestKey.find(text.value, among: allowed).map { "write \"\($0)\"" }
                ?? "use one of \(allowed.joined(separator: ", "))")
        return nil
    }

    /// The elements of an array; a lone string counts as a mistake that has an obvious fix.
    mutating func elements(_ key: String, in fields: AppFileFields, of: String) -> [SourceValue]? {
        fields[key].flatMap { elements($0.value, place: fields.path(key), of: of) }
    }

    private mutating func elements(_ value: SourceValue, place: String, of: String) -> [SourceValue]? {
        guard case .array(let elements) = value.kind else {
            wrongType(
                value, place, wanted: "an array of \(of)", fix: "put it in square brackets",
                edit: value.asString.flatMap { _ in findings.wrapping(value.range, in: "[", "]") })
            return nil
        }
        return isWithin(Self.elementsMax, elements.count, value.range, place) ? elements : nil
    }

    mutating func strings(_ key: String, in fields: AppFileFields, of: String) -> [Located<String>]? {
        fields[key].flatMap { strings($0.value, place: fields.path(key), of: of) }
    }

    mutating func strings(_ value: SourceValue, place: String, of: String) -> [Located<String>]? {
        guard let values = elements(value, place: place, of: of) else { return nil }
        var texts: [Located<String>] = []
        for (index, value) in values.enumerated() {
            if let text = string(value, place: "\(place)[\(index)]") { texts.append(text) }
        }
        return texts
    }

    /// Reports a key that is missing, or an array that is empty, where nothing works without.
    mutating func requireElements(_ key: String, in fields: AppFileFields, because: String) {
        guard let member = fields[key] else {
            if fields.lacksMisspelt(key) { return }
            report(
                .app006, fields.range, "\(fields.path(key).quoted) is missing, so \(because)", fix: "add it")
            return
        }
        if case .array(let elements) = member.value.kind, elements.isEmpty {
            report(
                .app006, member.value.range, "\(fields.path(key).quoted) is empty, so \(because)", fix: "fill it")
        }
    }

    /// Reports what occurs twice and keeps the first of each.
    mutating func unique<Value: Hashable>(
        _ entries: [Located<Value>], place: String, rule: RuleID = .app014, text: (Value) -> String
    ) -> [Located<Value>] {
        unique(entries, place: place, rule: rule, by: { $0 }, text: text)
    }

    /// The same for values that are equal where their keys are.
    mutating func unique<Value, Key: Hashable>(
        _ entries: [Located<Value>], place: String, rule: RuleID = .app014, by key: (Value) -> Key,
        text: (Value) -> String
    ) -> [Located<Value>] {
        let repeats = { (index: Int) in entries[..<index].contains { key($0.value) == key(entries[index].value) } }
        // Few entries, as nearly always, are looked through faster than hashed.
        if entries.indices.count <= 8, !entries.indices.contains(where: repeats) { return entries }
        var seen: Set<Key> = []
        var kept: [Located<Value>] = []
        for entry in entries {
            if seen.insert(key(entry.value)).inserted {
                kept.append(entry)
            } else {
                report(rule, entry.range, "\(place.quoted) lists \(text(entry.value)) twice", fix: "remove one of them")
            }
        }
        return kept
    }
}
