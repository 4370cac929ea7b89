// One entry of the rule catalogue. A rule is data: findings name it by id, `associated lint` explains it, docs/rules.md
// is printed from it, and the tests walk it. What a rule looks for is code elsewhere; nothing here reads a file.

/// One thing that linting looks for, with the reason why it matters and what to do about it.
public struct LintRule: Hashable, Sendable {
    public let id: RuleID
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
    public var severities: [Severity] { [id.severity] + [otherSeverity].compactMap { $0 } }

    /// Whether it takes a look at the live host to find it.
    public var needsNetwork: Bool { subject == .host }

    init(
        _ id: RuleID, or otherSeverity: Severity? = nil, _ title: String, why: String, fix: String,
        sources: [RuleSource], subject: Subject = .document
    ) {
        self.id = id
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
    public static let all: [LintRule] = RuleID.Family.allCases.flatMap(\.rules)

    /// The rule with this id.
    public static func named(_ id: RuleID) -> LintRule {
        guard let rule = byID[id] else { preconditionFailure("\(id) has no rule in the tables") }
        return rule
    }

    private static let byID = Dictionary(all.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
}

extension RuleID.Family {
    /// The rules of the family, by number.
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
