// The changes between two versions of an association file, in words for an operator: entries that were added or removed. It
// compares sets of entries, so the cost does not depend on the order, and a change of the order alone is reported as such.

import SourceJSON

public enum DocumentChange {
    /// Changes that are listed; the others are counted.
    private static let wordsMax = 8
    private static let wordCharactersMax = 200

    /// Such as `added rule /buy/*`; empty when the two are equal.
    public static func words(from before: [UInt8], to after: [UInt8]) -> [String] {
        if before == after { return [] }
        guard let old = entries(before), let new = entries(after) else { return ["other content"] }
        let changes =
            new.filter(new: old).map { "added \($0)" } + old.filter(new: new).map { "removed \($0)" }
        if changes.isEmpty { return ["the same entries in another order or form"] }
        let shown = changes.prefix(wordsMax).map { String($0.prefix(wordCharactersMax)) }
        return changes.count > wordsMax ? shown + ["\(changes.count - wordsMax) more"] : shown
    }

    /// Nil if the file is not JSON, such as a signed file.
    private static func entries(_ bytes: [UInt8]) -> [String]? {
        guard let value = SourceReader.read(bytes, as: .json).value else { return nil }
        return switch value.kind {
        case .array(let statements): statements.flatMap(entries(ofStatement:))
        case .object(let members): members.flatMap { entries(ofService: $0.key, $0.value) }
        default: nil
        }
    }

    private static func entries(ofService name: String, _ service: SourceValue) -> [String] {
        guard name == "applinks" else {
            guard let apps = service.member(named: "apps")?.texts else { return [other(name, service)] }
            return apps.map { "\(name) for \($0)" }
        }
        let details = service.member(named: "details")?.asArray ?? []
        return details.flatMap { detail -> [String] in
            let ids = detail.member(named: "appIDs")?.texts ?? detail.member(named: "appID")?.texts ?? []
            // With only one entry the owner is clear.
            let owner = details.count > 1 ? " of \(ids.first ?? "no app")" : ""
            let rules = detail.member(named: "components")?.asArray ?? []
            return ids.map { "app id \($0)" } + rules.map { "rule \(rule($0))\(owner)" }
                + (detail.member(named: "paths")?.texts ?? []).map { "path \($0)\(owner)" }
                + (detail.member(named: "defaults").map { ["\(other("defaults", $0))\(owner)"] } ?? [])
        } + (service.asObject ?? []).filter { !["details", "apps"].contains($0.key) }.map { other($0.key, $0.value) }
    }

    /// The rule without its comment, which has no effect.
    private static func rule(_ component: SourceValue) -> String {
        let members = (component.asObject ?? []).filter { $0.key != "comment" }
        let excludes = component.member(named: "exclude")?.asBool == true
        let decisive = members.filter { $0.key != "exclude" }
        guard decisive.count == 1, decisive[0].key == "/", let path = decisive[0].value.asString else {
            return text(.object(members.map { ($0.key, $0.value) }))
        }
        return excludes ? "NOT \(path)" : path
    }

    private static func entries(ofStatement statement: SourceValue) -> [String] {
        let target = statement.member(named: "target")
        let package = target?.member(named: "package_name")?.asString
        let subject = package ?? target?.member(named: "site")?.asString ?? "no target"
        let extensions = statement.member(named: "relation_extensions")?.asObject ?? []
        return (statement.member(named: "relation")?.texts ?? []).map { "\($0) for \(subject)" }
            + (target?.member(named: "sha256_cert_fingerprints")?.texts ?? []).map { "fingerprint \($0) of \(subject)" }
            + extensions.flatMap { relation in
                (relation.value.member(named: "dynamic_app_link_components")?.asArray ?? []).map {
                    "dynamic rule \(rule($0)) of \(subject)"
                }
            }
    }

    private static func other(_ name: String, _ value: SourceValue) -> String { "\(name) \(text(value))" }

    private static func text(_ value: SourceValue) -> String {
        String(decoding: SourceWriter.minified(value), as: UTF8.self)
    }
}

extension [String] {
    /// The entries that are not in the other version, each once.
    fileprivate func filter(new other: [String]) -> [String] {
        var known = Set(other)
        return filter { known.insert($0).inserted }
    }
}

extension SourceValue {
    /// The strings of an array; a string alone counts as one.
    fileprivate var texts: [String]? { asString.map { [$0] } ?? asArray?.compactMap(\.asString) }
}
