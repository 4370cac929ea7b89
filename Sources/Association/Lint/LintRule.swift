// One entry of the rule catalogue. A rule is data: findings name it by id, `associated lint` explains it, docs/rules.md
// is printed from it, and the tests walk it. What a rule looks for is code elsewhere; nothing here reads a file.

/// One thing that linting looks for, with the reason why it matters and what to do about it.
public struct LintRule: Hashable, Sendable {
    /// Such as `AASA-019`; stable, because people silence and search by it.
    public let id: String
    /// The severity of its findings, unless a finding has a reason to differ.
    public let severity: Severity
    /// What a finding has instead, where its case is more or less serious than usual.
    public let otherSeverity: Severity?
    /// What is wrong, in a few words.
    public let title: String
    /// What breaks, and on which platform.
    public let why: String
    /// What to do.
    public let fix: String
    /// What the rule rests on.
    public let sources: [RuleSource]
    /// What one has to look at to find it.
    public let subject: Subject

    /// What a rule is about, and so what is needed to check it.
    public enum Subject: String, Hashable, Sendable, CaseIterable {
        /// The text of an association file or an app file.
        case document
        /// The native project: an entitlement or a manifest.
        case nativeProject
        /// A host as it answers on the network, or a page that it serves.
        case host
        /// The files of this server other than app files: settings, certificates, pages.
        case installation
    }

    /// Every severity that its findings have, the usual one first.
    public var severities: [Severity] { [severity] + [otherSeverity].compactMap { $0 } }

    /// Whether it takes a look at the live host to find it.
    public var needsNetwork: Bool { subject == .host }

    init(
        _ id: String, _ severity: Severity, or otherSeverity: Severity? = nil, _ title: String, why: String,
        fix: String, sources: [RuleSource],
        subject: Subject = .document
    ) {
        self.id = id
        self.severity = severity
        self.otherSeverity = otherSeverity
        self.title = title
        self.why = why
        self.fix = fix
        self.sources = sources
        self.subject = subject
    }
}

extension LintRule {
    /// Every rule, in the order of the families and then of the numbers.
    public static let all: [LintRule] = Family.allCases.flatMap(\.rules)

    /// The rule with this id, or nil.
    public static func named(_ id: String) -> LintRule? { byID[id] }

    /// The rule that a mistyped id was probably meant to be: that of the same number, in a family of nearly the same name.
    public static func nearest(to id: String) -> String? {
        let letters = String(id.prefix { $0.isLetter })
        guard let number = Int(id.drop { !$0.isNumber }), let family = NearestKey.find(letters, among: families) else {
            return nil
        }
        return Family(rawValue: family)?.rules.first { Int($0.id.suffix(3)) == number }?.id
    }

    private static let families = Family.allCases.map(\.rawValue)

    private static let byID: [String: LintRule] = Dictionary(
        all.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })

    /// The rules of one kind of file or host; the letters before the number of an id.
    public enum Family: String, Sendable, CaseIterable {
        case apple = "AASA"
        case appleHosting = "AHST"
        case statements = "DAL"
        case androidHosting = "GHST"
        case appFile = "APP"
        case server = "SRV"
        case certificate = "CERT"
        case configuration = "CFG"

        /// What the family is about, as a heading.
        public var title: String {
            switch self {
            case .apple: "apple-app-site-association"
            case .appleHosting: "Hosting for Apple"
            case .statements: "assetlinks.json"
            case .androidHosting: "Hosting for Android"
            case .appFile: "App files"
            case .server: "The server as a whole"
            case .certificate: "Certificates in config/hosts"
            case .configuration: "Settings and pages"
            }
        }

        /// Its rules, by number.
        public var rules: [LintRule] {
            switch self {
            case .apple: LintRule.appleStructure + LintRule.applePatterns
            case .appleHosting: LintRule.appleHosting
            case .statements: LintRule.statements
            case .androidHosting: LintRule.androidHosting
            case .appFile: LintRule.appFile
            case .server: LintRule.server
            case .certificate: LintRule.certificate
            case .configuration: LintRule.configuration
            }
        }
    }
}
