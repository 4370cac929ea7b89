// The objects of a file, as the readers of app files and association files see them: known keys and their values, a finding for
// each unknown key with the known one that was probably meant, and a finding for each value of the wrong type.

import SourceJSON

/// One object whose keys have been checked.
struct ObjectReader {
    let findings: FindingCollector
    /// Its name in messages; in an app file its path, such as `ios`, and empty at the top.
    let place: String
    let range: SourceRange
    /// The members with known keys; in an app file each key once.
    var members: [SourceMember] = []
    private(set) var hasUnknownKeys = false
    /// The known keys that unknown ones were probably meant to be.
    private var intended: Set<String> = []

    /// - Parameter more: keys that are also known, but not suggested for unknown ones.
    init(
        _ members: [SourceMember], _ place: String, at range: SourceRange, keys: [String], more: [String] = [],
        rules: KeyRules? = nil, _ findings: FindingCollector
    ) {
        (self.findings, self.place, self.range) = (findings, place, range)
        let rules = rules ?? findings.keyRules
        for member in members {
            if !keys.contains(member.key), !more.contains(member.key) {
                hasUnknownKeys = true
                let key = findings.reportUnknown(member, in: place, of: members, keys: keys, rules)
                if let key { intended.insert(key) }
            } else if rules.isAppFile, self[member.key] != nil {
                findings.reportDuplicate(member, path(member.key))
            } else {
                self.members.append(member)
            }
        }
    }

    /// The member with a key: the last one, as for Apple and Google.
    subscript(key: String) -> SourceMember? { members.last { $0.key == key } }

    func path(_ key: String) -> String { place.isEmpty ? key : "\(place).\(key)" }

    /// Whether a key is missing because it is misspelt, which is reported at the misspelt one.
    func misspells(_ key: String) -> Bool {
        (intended.contains(key) || place.isEmpty && findings.misplaced.contains(key)) && self[key] == nil
    }

    func object(_ key: String, keys: [String]) -> ObjectReader? {
        self[key].flatMap { findings.object($0.value, path(key), keys: keys) }
    }

    func string(_ key: String) -> LocatedText? {
        self[key].flatMap { findings.string($0.value, path(key)) }
    }

    func bool(_ key: String) -> Located<Bool>? {
        guard let value = self[key]?.value else { return nil }
        let flag = findings.read(\.asBool, of: value, path(key).quoted, .app005, "but must be true or false")
        return flag.map { Located(value: $0, range: value.range) }
    }

    func integer(_ key: String, _ allowed: ClosedRange<Int>) -> Located<Int>? {
        guard let value = self[key]?.value,
            let number = findings.read(\.asNumber, of: value, path(key).quoted, .app005, "but must be a number")
        else { return nil }
        if let whole = number.asInt, allowed.contains(whole) { return Located(value: whole, range: value.range) }
        findings.report(
            .app020, at: value.range,
            "\(path(key).quoted) is \(number.text.quoted), but must be a whole number from \(allowed.lowerBound) to "
                + "\(allowed.upperBound)")
        return nil
    }

    /// One of a closed set of words.
    func word<Word: RawRepresentable<String> & CaseIterable>(_ key: String, as: Word.Type) -> Word? {
        string(key).flatMap { findings.word($0, path(key), as: Word.self) }
    }

    func elements(_ key: String, of content: String) -> [SourceValue]? {
        self[key].flatMap { findings.elements($0.value, path(key), of: content) }
    }

    func strings(_ key: String, of content: String) -> [LocatedText]? {
        self[key].flatMap { findings.strings($0.value, path(key), of: content) }
    }

    /// The members of an object under a key whose own keys are names that the file chooses, each once.
    func names(_ key: String, of content: String, max: Int) -> [SourceMember] {
        guard let value = self[key]?.value,
            let members = findings.read(\.asObject, of: value, path(key).quoted, .app005, "but must be \(content)"),
            findings.isWithin(max, members.count, value.range, path(key))
        else { return [] }
        var seen: Set<ExactText> = []
        return members.filter { member in
            let isNew = seen.insert(ExactText(member.key)).inserted
            if !isNew { findings.reportDuplicate(member, "\(path(key))[\(member.key)]") }
            return isNew
        }
    }

    /// Reports a key that is missing, or an array that is empty, where the app needs an element.
    func require(_ key: String, because consequence: String) {
        let value = self[key]?.value
        guard value == nil ? !misspells(key) : value?.asArray?.isEmpty == true else { return }
        findings.report(
            .app006, at: value?.range ?? range,
            "\(path(key).quoted) is \(value == nil ? "missing" : "empty"), so \(consequence)",
            fix: value == nil ? "add it" : "fill it")
    }
}

/// What a format reports about unknown keys.
struct KeyRules: Sendable {
    let rule: RuleID
    /// An app file: keys need no quotation marks, and places are paths.
    var isAppFile = false
    /// Keys of other formats in lower case, and the key for what they mean.
    var synonyms: [String: String] = [:]
    /// Keys that belong into another object, and which.
    var homes: [(keys: Set<String>, place: String)] = []
    /// By the place, the key that was probably meant, and whether there is an edit.
    let severity: @Sendable (String, String?, Bool) -> Severity

    /// Keys without which systems ignore the file or the statement, so that it decides nothing until they are right, and keys that decide
    /// nothing. An entry without ids is beside others, and may name an app of theirs.
    private static let ineffectiveWithout: Set<String> = [
        "applinks", "webcredentials", "appclips", "activitycontinuation", "details", "apps", "relation",
        "target", "namespace", "package_name", "sha256_cert_fingerprints", "site", "appid", "comment", "comments",
    ]

    /// Whether systems that read some members would read another thing if one of them had this key. An app file with such a mistake is
    /// not published, so it is not read at all.
    fileprivate func changesMeaning(_ key: String) -> Bool {
        !isAppFile && !Self.ineffectiveWithout.contains(key)
    }

    /// Keys of other formats, and guesses, for those of a rule.
    static let synonymsOfRules = [
        "path": "/", "pathname": "/", "url": "/", "pattern": "/", "query": "?", "params": "?", "queryparams": "?",
        "parameters": "?", "fragment": "#", "hash": "#", "anchor": "#", "comments": "comment", "description": "comment",
        "_comment": "comment", "not": "exclude", "excluded": "exclude", "excludes": "exclude",
        "ignorecase": "caseSensitive", "caseinsensitive": "caseSensitive",
    ]
}

/// Collects the findings of one file, for all of its readers.
final class FindingCollector {
    var list: FindingList
    let keyRules: KeyRules
    /// The keys of the top level of an app file that are in the section of a platform.
    fileprivate(set) var misplaced: Set<String> = []
    /// Where an app file has its overlays. The object that an overlay changes is another one in the file.
    var overlays: SourceRange?

    init(_ list: FindingList, _ keyRules: KeyRules) { (self.list, self.keyRules) = (list, keyRules) }

    func report(
        _ rule: RuleID, at range: SourceRange?, _ message: String, fix: String? = nil, edit: SourceEdit? = nil,
        severity: Severity? = nil
    ) {
        list.report(rule, at: range, message, fix: fix, edit: edit, severity: severity)
    }

    func report(_ problems: [TextProblem], at range: SourceRange) {
        for problem in problems { list.report(problem, at: range) }
    }

    /// The value as another type; nil, and a finding, if it has not that type. The edit converts it where nothing is lost.
    func read<Value>(
        _ cast: (SourceValue) -> Value?, of value: SourceValue, _ name: @autoclosure () -> String, _ rule: RuleID,
        _ consequence: String, fix: String? = nil, converts: Bool = true, edit: SourceEdit? = nil,
        changesMeaning: Bool = false
    ) -> Value? {
        if let read = cast(value) { return read }
        var edit = edit ?? (converts ? conversion(of: value, to: Value.self) : nil)
        if changesMeaning { edit?.changesMeaning = true }
        report(rule, at: value.range, "\(name()) is \(value.typeName), \(consequence)", fix: fix, edit: edit)
        return nil
    }

    /// The object in a value; nil, and a finding, if it is not one.
    func object(
        _ value: SourceValue, _ name: String, keys: [String], more: [String] = [], rules: KeyRules? = nil,
        _ rule: RuleID, _ consequence: String, fix: String, edit: SourceEdit? = nil
    ) -> ObjectReader? {
        read(\.asObject, of: value, name, rule, consequence, fix: fix, edit: edit).map {
            ObjectReader($0, name, at: value.range, keys: keys, more: more, rules: rules, self)
        }
    }

    private func conversion<Value>(of value: SourceValue, to type: Value.Type) -> SourceEdit? {
        switch value.kind {
        case .string where type == [SourceValue].self: list.wrapping(value.range, in: "[", "]")
        case .string(let text) where type == Bool.self && ["true", "false"].contains(text.lowercased()):
            SourceEdit(range: value.range, replacement: text.lowercased())
        case .number(let number) where type == String.self:
            SourceEdit(range: value.range, replacement: number.text.jsonQuoted)
        case .bool(let flag) where type == String.self:
            SourceEdit(range: value.range, replacement: String(flag).jsonQuoted)
        default: nil
        }
    }

    /// Reports an unknown key of some members, and returns the known one that was probably meant.
    fileprivate func reportUnknown(
        _ member: SourceMember, in place: String, of members: [SourceMember], keys: [String], _ rules: KeyRules
    ) -> String? {
        let key = member.key
        let name = rules.isAppFile ? (place.isEmpty ? key : "\(place).\(key)").quoted : "\(key.quoted) in \(place)"
        if let home = rules.homes.first(where: { $0.keys.contains(key) }) {
            report(rules.rule, at: member.keyRange, "misplaced key \(name) is ignored", fix: "move it to \(home.place)")
            return nil
        }
        let meant = rules.synonyms[key.lowercased()] ?? key
        if rules.isAppFile, ["ios", "android"].contains(place), !keys.contains(meant),
            meant != "name", AppFileSchema.appKeys.contains(meant)
        {
            misplaced.insert(meant)
            report(
                rules.rule, at: member.keyRange, "unknown key \(name); therefore the file is not published",
                fix: "\(meant == key ? "move it" : "write `\(meant)`") to the top level of the file, beside `\(place)`",
                severity: .error)
            return nil
        }
        let synonym = keys.contains(meant) && meant != key ? meant : nil
        let nearest = synonym ?? list.nearest(key, among: keys)
        let isTaken = nearest.map { nearest in
            members.contains { $0.key == nearest && isInOverlay($0) == isInOverlay(member) }
        }
        let edit = nearest.flatMap { nearest in
            isTaken == true
                ? nil
                : SourceEdit(
                    range: member.keyRange,
                    replacement: rules.isAppFile && nearest.allSatisfy(\.isLetter) ? nearest : nearest.jsonQuoted,
                    changesMeaning: rules.changesMeaning(nearest))
        }
        let differsInCase = nearest?.lowercased() == key.lowercased()
        let severity = rules.severity(place, nearest, edit != nil)
        report(
            rules.rule, at: member.keyRange,
            "unknown key \(name)" + (differsInCase ? " (keys are case-sensitive)" : "")
                + (rules.isAppFile && severity == .error ? "; therefore the file is not published" : " is ignored"),
            fix: nearest.map { isTaken == true ? "remove it; the object already has `\($0)`" : "write `\($0)`" }
                ?? "remove it; known keys are \(keys.joined(separator: ", "))",
            edit: edit, severity: severity)
        return nearest
    }

    private func isInOverlay(_ member: SourceMember) -> Bool { overlays?.contains(member.keyRange) == true }
}

/// The values of app files, each of which has to be right.
extension FindingCollector {
    static let appFile = KeyRules(
        rule: .app003, isAppFile: true,
        synonyms: KeyRules.synonymsOfRules.merging(
            [
                "package_name": "package", "packagename": "package", "sha256_cert_fingerprints": "fingerprints",
                "relation": "relations", "components": "links", "paths": "links", "apple": "ios",
            ]
        ) { key, _ in key }
    ) { place, intended, _ in
        // A key without effect that was meant for phones would publish something else than intended.
        intended != nil || ["ios", "android", "links["].contains(where: place.begins(with:)) ? .error : .warning
    }

    func object(_ value: SourceValue, _ place: String, keys: [String]) -> ObjectReader? {
        read(\.asObject, of: value, place.quoted, .app005, "but must be an object").map {
            ObjectReader($0, place, at: value.range, keys: keys, self)
        }
    }

    /// `place` is evaluated only for a message.
    func string(_ value: SourceValue, _ place: @autoclosure () -> String) -> LocatedText? {
        guard let text = read(\.asString, of: value, place().quoted, .app005, "but must be a string") else {
            return nil
        }
        if !text.isEmpty { return LocatedText(text, range: value.range) }
        report(.app007, at: value.range, "\(place().quoted) is empty", fix: "fill it, or remove the key")
        return nil
    }

    func word<Word: RawRepresentable<String> & CaseIterable>(
        _ text: LocatedText, _ place: @autoclosure () -> String, as: Word.Type
    ) -> Word? {
        if let word = Word(rawValue: text.text) { return word }
        let allowed = Word.allCases.map(\.rawValue)
        report(
            .app007, at: text.range, "\(place().quoted) has the unknown value \(text.text.quoted)",
            fix: NearestKey.find(text.text, among: allowed).map { "write \"\($0)\"" }
                ?? "write one of \(allowed.joined(separator: ", "))")
        return nil
    }

    func elements(_ value: SourceValue, _ place: String, of content: String) -> [SourceValue]? {
        let elements = read(
            \.asArray, of: value, place.quoted, .app005, "but must be an array of \(content)",
            fix: "put it in square brackets")
        return elements.flatMap { isWithin(AppFileReader.elementsMax, $0.count, value.range, place) ? $0 : nil }
    }

    func strings(_ value: SourceValue, _ place: String, of content: String) -> [LocatedText]? {
        elements(value, place, of: content)?.enumerated().compactMap { string($1, "\(place)[\($0)]") }
    }

    fileprivate func isWithin(_ max: Int, _ count: Int, _ range: SourceRange, _ place: String) -> Bool {
        if count > max {
            report(.app020, at: range, "\(place.quoted) has \(count) entries; the limit is \(max)", fix: "remove some")
        }
        return count <= max
    }

    fileprivate func reportDuplicate(_ member: SourceMember, _ path: String) {
        report(
            .app004, at: member.keyRange, "duplicate key \(path.quoted); it is unclear which one is meant",
            fix: "keep one of them")
    }

    /// Reports duplicates and returns the first of each; values are equal where their keys are.
    func unique<Value, Key: Hashable>(
        _ entries: [Located<Value>], _ place: String, rule: RuleID = .app014, by key: (Value) -> Key,
        text: (Value) -> String
    ) -> [Located<Value>] {
        let repeats = { (index: Int) in entries[..<index].contains { key($0.value) == key(entries[index].value) } }
        // Comparing few entries, as in nearly all files, is faster than hashing them.
        if entries.count <= 8, !entries.indices.contains(where: repeats) { return entries }
        var seen: Set<Key> = []
        return entries.filter { entry in
            let isNew = seen.insert(key(entry.value)).inserted
            if !isNew {
                report(
                    rule, at: entry.range, "\(place.quoted) lists \(text(entry.value)) twice",
                    fix: "remove one of them")
            }
            return isNew
        }
    }
}
