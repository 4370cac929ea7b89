// One imported app: the parts of association files that go into one app file. Values that no phone accepts are kept with a comment,
// so that the user can fix them in place.

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

    /// Words that say nothing about an app, as in `com.acme.www`.
    private static let commonWords: Set<String> = [
        "www", "web", "website", "site", "link", "links", "example", "sample", "demo", "default", "com", "org", "net",
        "io", "me", "my", "co", "the", "apps", "client", "template", "project",
    ]

    /// A name for the file, and for an app without a name: the last word of its id that says something, or else the longest label of
    /// the host.
    func stem(hosts: [String]) -> String {
        let id = appIDs.first.map(ImportedApp.bundleID(of:)) ?? packages.first?.name ?? ""
        let words = ImportedApp.family(of: id).split { ".-_".contains($0) }.reversed().map(String.init)
        let labels = (hosts.first ?? "").split(separator: ".").dropLast().map(String.init)
        let stems = (words + labels.sorted { $0.count > $1.count }).map { word in
            word.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        }
        let telling = stems.first { stem in
            stem.count > 1 && !ImportedApp.commonWords.contains(stem) && !ImportedApp.buildWords.contains(stem)
        }
        return telling ?? stems.first { !$0.isEmpty } ?? "app"
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
        let links = rules.map { $0.value(includingComment: true) }
        let value = SourceValue.object(present: [
            ("name", .string(name)), ("hosts", .strings(hosts)),
            ("priority", priority > 0 ? .integer(priority) : nil),
            ("ios", appIDs.isEmpty ? nil : ios),
            ("android", packages.isEmpty ? nil : android(hasDynamicRules: hasDynamicRules)),
            ("links", links.isEmpty ? nil : .array(links)),
        ])
        var text = AppFileText(comments: comments)
        if sharesURLs {
            text.add("// As in the imported file, several apps open some links: associated-ignore APP-036")
        }
        text.add(value)
        return Array(text.text.utf8)
    }

    private var ios: SourceValue {
        let values = variables.map { ($0.name, SourceValue.strings($0.values)) }
        let isUsual = services == AppleService.defaults.map(\.rawValue)
        return .object(present: [
            ("appIDs", .strings(appIDs)), ("services", isUsual ? nil : .strings(services)),
            ("appClips", appClips.isEmpty ? nil : .strings(appClips)),
            ("legacyPaths", hasLegacyPaths ? .bool(true) : nil),
            ("variables", variables.isEmpty ? nil : .object(values)),
        ])
    }

    private func android(hasDynamicRules: Bool) -> SourceValue {
        let values = packages.map { package in
            SourceValue.object([
                ("name", .string(package.name)), ("fingerprints", .strings(package.fingerprints.texts)),
            ])
        }
        let only = packages.count == 1 ? packages.first : nil
        let isUsual = relations == [AndroidApp.handleAllURLs]
        return .object(present: [
            ("package", only.map { .string($0.name) }), ("fingerprints", only.map { .strings($0.fingerprints.texts) }),
            ("packages", only == nil ? .array(values) : nil),
            ("relations", isUsual ? nil : .strings(relations.map(AndroidRelation.shortened))),
            ("dynamicRules", hasDynamicRules ? .bool(true) : nil),
        ])
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

    /// The rules, in the words of messages.
    var texts: [String] {
        guard case .list(let rules) = self else { return ["rules that Android may ignore"] }
        return rules.map { rule in
            let query = (rule.query ?? []).map { "\($0.name)=\($0.pattern)" }.joined(separator: "&")
            return (rule.excludes ? "NOT " : "") + (rule.path?.text ?? "") + (query.isEmpty ? "" : "?\(query)")
                + (rule.fragment.map { "#\($0.text)" } ?? "")
        }
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
