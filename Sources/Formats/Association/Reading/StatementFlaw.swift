// How Android's own verifier, the StatementService, reads a statement list. This file follows its source step by step
// (JsonParser, StatementParser, AssetFactory, Relation). The linter and `associated verify` both use it to decide what one broken
// entry does to the rest of the list.

public import SourceJSON

/// The Android versions between which AOSP's verifier changed.
public enum AndroidRelease: Int, Hashable, Sendable, CaseIterable, Comparable {
    /// The first verifier, in Java: it skips a malformed statement.
    case android6 = 6
    /// The rewrite in Kotlin: a malformed target or relation ends the reading of the whole list.
    case android12 = 12
    /// Reads dynamic rules.
    case android15 = 15

    public static let newest = android15

    public static func < (left: AndroidRelease, right: AndroidRelease) -> Bool { left.rawValue < right.rawValue }

    /// The versions from one up to the last one before another, for messages.
    public static func span(from first: AndroidRelease, before next: AndroidRelease?) -> String {
        guard let next else { return "Android \(first.rawValue) and later" }
        guard first != .android6 else { return "Android \(next.rawValue - 1) and earlier" }
        return "Android \(first.rawValue) to \(next.rawValue - 1)"
    }
}

/// Why AOSP cannot use one entry of a list.
public struct StatementFlaw: Hashable, Sendable {
    /// What is wrong.
    public let reason: String
    public let range: SourceRange
    /// The entry that it is part of.
    public let entry: SourceRange
    /// The first Android version that rejects the whole list because of it; nil where every version only skips the entry.
    public let rejectsListSince: AndroidRelease?

    /// Whether a version rejects the whole list.
    public func rejectsList(on release: AndroidRelease) -> Bool { rejectsListSince.map { release >= $0 } ?? false }
}

/// Reads one entry as AOSP does.
struct AOSPEntryReader {
    private let entry: SourceRange

    /// The flaw because of which AOSP skips an entry or rejects the list; nil if it reads the entry.
    static func flaw(of entry: SourceValue) -> StatementFlaw? {
        AOSPEntryReader(entry: entry.range).flaw(of: entry)
    }

    private func flaw(of value: SourceValue) -> StatementFlaw? {
        guard case .object = value.kind else {
            return flaw("an entry is \(value.typeName)", value, since: .android6)
        }
        if let unsupported = unsupportedValue(in: value) { return unsupported }
        // Any value but an empty string becomes a URL that is fetched; its result cannot break this list.
        if let include = value.last("include"), include.asString?.isEmpty != true { return nil }
        guard let target = value.last("target"), case .object = target.kind else {
            return flaw("the statement has no target object", value.last("target") ?? value, since: nil)
        }
        guard let relation = value.last("relation"), let relations = relation.asArray else {
            return flaw("the statement has no array of relations", value.last("relation") ?? value, since: nil)
        }
        if let flaw = self.flaw(ofTarget: target) { return flaw }
        if relations.isEmpty { return flaw("the statement has no relation", relation, since: nil) }
        for relation in relations where !StatementRelation.isWellFormed(relation.asString ?? "") {
            return flaw("a relation is not kind/detail", relation, since: .android12)
        }
        return flaw(ofDynamicRules: value)
    }

    /// AOSP's JSON reader accepts objects, arrays and strings, and booleans only as members of objects.
    private func unsupportedValue(in value: SourceValue) -> StatementFlaw? {
        switch value.kind {
        case .null, .number: return flaw("\(value.typeName) is in the entry", value, since: .android6)
        case .bool, .string: return nil
        case .array(let elements):
            for element in elements {
                if case .bool = element.kind { return flaw("a boolean is in an array", element, since: .android6) }
                if let flaw = unsupportedValue(in: element) { return flaw }
            }
            return nil
        case .object(let members): return members.lazy.compactMap { unsupportedValue(in: $0.value) }.first
        }
    }

    private func flaw(ofTarget target: SourceValue) -> StatementFlaw? {
        guard let namespace = target.last("namespace") else {
            return flaw("the target has no namespace", target, since: .android12)
        }
        switch namespace.asString {
        case "android_app": return flaw(ofApp: target)
        case "web": return flaw(ofSite: target)
        default: return flaw("the namespace is neither android_app nor web", namespace, since: .android12)
        }
    }

    private func flaw(ofApp target: SourceValue) -> StatementFlaw? {
        let package = target.last("package_name")
        if package?.asString?.isEmpty ?? (package == nil) {
            return flaw("the target has no package name", package ?? target, since: .android12)
        }
        let prints = target.last("sha256_cert_fingerprints")
        if prints?.asArray?.isEmpty ?? true {
            return flaw("the target has no array of fingerprints", prints ?? target, since: .android12)
        }
        return nil
    }

    private func flaw(ofSite target: SourceValue) -> StatementFlaw? {
        guard let site = target.last("site") else { return flaw("the target has no site", target, since: .android12) }
        guard let address = site.asString.flatMap({ WebAddress($0) }), ["http", "https"].contains(address.scheme),
            address.portText.map({ $0.isEmpty || Int($0).map { $0 >= -1 } ?? false }) ?? true
        else { return flaw("the site is not an http or https URL", site, since: .android12) }
        if address.user != nil { return flaw("the site has user information", site, since: .android12) }
        // The fragment is not compared.
        let file = address.rest.prefix { $0 != "#" }
        return file.isEmpty || file == "/" ? nil : flaw("the site has a path or a query", site, since: .android12)
    }

    /// Any text is read as a pattern, but a rule has to be an object.
    private func flaw(ofDynamicRules statement: SourceValue) -> StatementFlaw? {
        let extensions = statement.last("relation_extensions")?.last(StatementRelation.handleAllURLs)
        for rule in extensions?.last(DynamicRuleReader.key)?.asArray ?? [] {
            guard case .object = rule.kind else {
                return flaw("a dynamic rule is \(rule.typeName)", rule, since: .android15)
            }
        }
        return nil
    }

    private func flaw(_ reason: String, _ value: SourceValue, since: AndroidRelease?) -> StatementFlaw {
        StatementFlaw(reason: reason, range: value.range, entry: entry, rejectsListSince: since)
    }
}

extension SourceValue {
    /// The member that counts if a key is duplicated.
    fileprivate func last(_ key: String) -> SourceValue? { members(named: key).last?.value }
}

extension StatementFlaw {
    /// What Android does because of it, with the other statements of apps in the list that are affected.
    func consequence(for others: [SourceRange]) -> String {
        guard let since = rejectsListSince else { return "Android skips the statement" }
        let affected = others.isEmpty ? "" : ", so \(Self.statements(in: others.map(\.start.line))) lost too"
        return switch since {
        case .android6: "every Android version rejects the whole file\(affected)"
        case .android12:
            "Android 12 and later reject the whole file\(affected); Android 11 and earlier skip only this statement"
        case .android15: "Android 15 and later reject the whole file\(affected)"
        }
    }

    /// `the statement on line 4 is`, `the statements on lines 4 and 7 are`.
    private static func statements(in lines: [Int]) -> String {
        let numbers = Set(lines).sorted()
        let named = numbers.prefix(3).map { String($0) }
        if numbers.count > 3 { return "the statements on lines \(named.joined(separator: ", ")) and others are" }
        guard let last = named.last, named.count > 1 else {
            return lines.count == 1 ? "the statement on line \(named.first ?? "") is" : "the other statements are"
        }
        return "the statements on lines \(named.dropLast().joined(separator: ", ")) and \(last) are"
    }
}
