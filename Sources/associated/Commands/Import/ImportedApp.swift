// One imported app: the parts of association files that go into one app file, and the text of that file. Values that no phone
// accepts are kept with a comment, so that the user can fix them in place.

import Association
import SourceJSON

struct ImportedApp {
    var appIDs: [String] = []
    var services: [String] = []
    var appClips: [String] = []
    var hasLegacyPaths = false
    var rules: [AppleComponent] = []
    var variables: [SubstitutionVariable] = []
    var packages: [Package] = []
    /// Comments on invalid values, by the value.
    var comments: [String: String] = [:]
    /// Whether the imported file gives URLs of this app to other apps too.
    var sharesURLs = false

    /// An Android app with everything that its statements grant.
    struct Package {
        let name: String
        var relations = DistinctTexts()
        var fingerprints = DistinctTexts()
        /// The dynamic rules of each of its statements.
        var rules: [ImportedRules?] = []
    }

    /// The words that distinguish builds and platforms of one app.
    private static let buildWords: Set<String> = [
        "app", "ios", "android", "mobile", "prod", "production", "release", "dev", "develop", "development", "debug",
        "alpha", "beta", "test", "testing", "qa", "uat", "staging", "stage", "preview", "nightly", "internal",
        "enterprise", "inhouse", "adhoc", "local",
    ]

    /// The common part of the bundle ids and package names of one app's builds: `com.acme.shop` of `com.acme.Shop.beta`.
    static func family(of name: String) -> String {
        var words = name.lowercased().split { ".-_".contains($0) }.map(String.init)
        while words.count > 2, let last = words.last, buildWords.contains(last) { words.removeLast() }
        return words.joined(separator: ".")
    }

    /// The bundle id in an app id, which may be invalid.
    static func bundleID(of id: String) -> String {
        id.firstIndex(of: ".").map { String(id[id.index(after: $0)...]) } ?? id
    }

    var families: Set<String> {
        Set(appIDs.map { ImportedApp.family(of: ImportedApp.bundleID(of: $0)) })
            .union(packages.map { ImportedApp.family(of: $0.name) })
    }

    /// A name for the file, and for an app without a name.
    var stem: String {
        let name = appIDs.first.map(ImportedApp.bundleID(of:)) ?? packages.first?.name ?? ""
        let last = ImportedApp.family(of: name).split(separator: ".").last.map(String.init) ?? ""
        let letters = last.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return letters.isEmpty ? "app" : letters
    }

    var relations: [String] {
        packages.reduce(into: DistinctTexts()) { for text in $1.relations.texts { $0.add(text) } }.texts
    }

    var hasDynamicRules: Bool { packages.contains { $0.rules.contains { $0 != nil } } }

    /// The dynamic rules that all its statements have; nil if they differ, or if a statement has none.
    private var dynamicRules: ImportedRules? {
        let rules = packages.flatMap(\.rules)
        guard let first = rules.first else { return nil }
        return rules.allSatisfy { $0 == first } ? first : nil
    }

    /// Whether its links render to the same dynamic rules, so that the app file can have `dynamicRules`.
    func rendersDynamicRules(hosts: [String]) -> Bool {
        guard let dynamicRules else { return false }
        let text = text(name: "app", hosts: hosts, priority: 0, hasDynamicRules: true)
        guard let app = AppFile.read(text, file: "app").appFile,
            let statements = Renderer.documents(for: [app]).statementBytes,
            let list = StatementList.read(statements, file: "app").list
        else { return false }
        return list.statements.allSatisfy { ImportedRules($0.dynamicRules) == dynamicRules }
    }

    func text(name: String, hosts: [String], priority: Int, hasDynamicRules: Bool) -> [UInt8] {
        var members: [(String, SourceValue)] = [
            ("name", .string(name)), ("hosts", .array(hosts.map { .string($0) })),
        ]
        if priority > 0 { members.append(("priority", .integer(priority))) }
        if !appIDs.isEmpty { members.append(("ios", ios)) }
        if !packages.isEmpty { members.append(("android", android(hasDynamicRules: hasDynamicRules))) }
        let links = rules.map { $0.value(includingComment: true) }
        if !links.isEmpty { members.append(("links", .array(links))) }
        return commented(SourceWriter.canonical(.object(members)))
    }

    private var ios: SourceValue {
        var ios: [(String, SourceValue)] = [
            ("appIDs", .array(appIDs.map { .string($0) })), ("services", .array(services.map { .string($0) })),
        ]
        if !appClips.isEmpty { ios.append(("appClips", .array(appClips.map { .string($0) }))) }
        if hasLegacyPaths { ios.append(("legacyPaths", .bool(true))) }
        if !variables.isEmpty {
            let values = variables.map { ($0.name, SourceValue.array($0.values.map { .string($0) })) }
            ios.append(("variables", .object(values)))
        }
        return .object(ios)
    }

    private func android(hasDynamicRules: Bool) -> SourceValue {
        let values = packages.map { package in
            SourceValue.object([
                ("name", .string(package.name)),
                ("fingerprints", .array(package.fingerprints.texts.map { .string($0) })),
            ])
        }
        let android: [(String, SourceValue)] = [
            ("packages", .array(values)), ("relations", .array(relations.map { .string($0) })),
        ]
        return .object(hasDynamicRules ? android + [("dynamicRules", .bool(true))] : android)
    }

    /// The text with the comments. Each value is the last thing in its line, alone or as a `name`, and its comment follows it.
    private func commented(_ text: [UInt8]) -> [UInt8] {
        if comments.isEmpty, !sharesURLs { return text }
        let comments = Dictionary(
            uniqueKeysWithValues: comments.map { (ExactText(SourceWriter.quoted($0.key)), $0.value) })
        var lines = String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in
                let element = line.drop { $0 == " " }
                let value = element.hasPrefix("\"name\": ") ? element.dropFirst("\"name\": ".count) : element
                let comment = comments[ExactText(String(value.hasSuffix(",") ? value.dropLast() : value))]
                return comment.map { "\(line)  // \(Printable.line($0))" } ?? String(line)
            }
        if sharesURLs {
            lines.insert("// As in the imported file, several apps open some links: associated-ignore APP-036", at: 0)
        }
        return Array(lines.joined(separator: "\n").utf8)
    }
}

/// Texts in the order in which they were added, each once.
struct DistinctTexts {
    private(set) var texts: [String] = []
    private var known: Set<ExactText> = []

    mutating func add(_ text: String) { if known.insert(ExactText(text)).inserted { texts.append(text) } }
}

/// Dynamic rules as values that can be compared, independent of the file that they come from.
enum ImportedRules: Equatable {
    case list([Rule])
    /// There are rules that Android ignores, or may ignore.
    case unreadable

    struct Rule: Equatable {
        let path: ExactText?
        let query: [QueryItemPattern]?
        let fragment: ExactText?
        let excludes: Bool
    }

    /// Nil if there are none.
    init?(_ rules: [AndroidRule]?) {
        guard let rules else { return nil }
        self = .list(
            rules.map { rule in
                Rule(
                    path: rule.path.map(ExactText.init(_:)), query: rule.query,
                    fragment: rule.fragment.map(ExactText.init(_:)), excludes: rule.exclude)
            })
    }
}
