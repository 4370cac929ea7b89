// The rules of an entry that the imported app does not have. Rules are compared as they are written: another spelling of the same rule
// counts as lost, because nothing else shows that both mean the same.

import Association
import SourceJSON

struct LostRules {
    private let hosts: [String]
    /// The apps as they were imported.
    var imported: [ImportedApp]
    /// What each app has, by its place; made when first needed.
    private var known: [Int: (rules: Set<[UInt8]>, paths: Set<[UInt8]>)] = [:]

    init(hosts: [String], imported: [ImportedApp]) { (self.hosts, self.imported) = (hosts, imported) }

    /// The rules of an entry that are missing in the first of these apps that lacks any.
    /// - Parameter components: the entry's rules, with inherited defaults.
    mutating func of(
        _ detail: AppleDetail, _ components: [AppleComponent], _ links: AppleLinks, in places: [Int]
    ) -> [String] {
        let defaults = [detail.defaults, links.defaults].compactMap { $0 }
        let rules = detail.components == nil && detail.paths != nil ? [] : components.map { (LostRules.form($0), $0) }
        let paths = (detail.paths ?? []).map { path in
            let rule = LostRules.form(AppleComponent(legacyPath: path.text, defaults: defaults))
            return (rule, LostRules.form(AppleComponent(legacyPath: path.text)), path.text)
        }
        var seen: Set<Int> = []
        for place in places where seen.insert(place).inserted {
            let own = contents(at: place)
            let missing =
                rules.filter { !own.rules.contains($0.0) }
                .map { SourceWriter.line($0.1.value(includingComment: false)) }
                + paths.filter { !own.rules.contains($0.0) && !own.paths.contains($0.1) }.map(\.2)
            if !missing.isEmpty { return missing }
        }
        return []
    }

    private mutating func contents(at place: Int) -> (rules: Set<[UInt8]>, paths: Set<[UInt8]>) {
        if let present = known[place] { return present }
        var app = imported[place]
        // Generated paths do not depend on the ids, which may be invalid.
        (app.appIDs, app.services) = (["A1B2C3D4E5.a.b"], [AppleService.applinks.rawValue])
        let text = app.text(name: "app", hosts: hosts, priority: 0, hasDynamicRules: false)
        let paths = AppFile.read(text, file: "app").appFile?.legacyPaths?.rules ?? []
        let own = (
            rules: Set(app.rules.map(LostRules.form)),
            paths: Set(paths.map { LostRules.form(AppleComponent(legacyPath: $0)) })
        )
        known[place] = own
        return own
    }

    /// A rule in one form: with the slash that systems add, and without what says nothing.
    private static func form(_ rule: AppleComponent) -> [UInt8] {
        var rule = rule
        if rule.exclude == false { rule.exclude = nil }
        if let path = rule.path, !["/", "*", "?", "$("].contains(where: path.hasPrefix) { rule.path = "/" + path }
        return SourceWriter.minified(rule.value(includingComment: false))
    }

    /// More are of no use in a terminal.
    private static let (rulesMax, lengthMax) = (10, 120)

    static func list(_ texts: [String]) -> String {
        var distinct = DistinctTexts()
        for text in texts { distinct.add(text.count > lengthMax ? "\(text.prefix(lengthMax))..." : text) }
        let more = distinct.texts.count - rulesMax
        return distinct.texts.prefix(rulesMax).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }
}
