// One lint rule as data: findings refer to it by id, `associated lint --explain` prints it, and docs/rules.md is generated
// from it. The code that finds violations is elsewhere; nothing here reads a file.

public import Association

/// What linting looks for, why it matters, and how to fix it.
public struct LintRule: Hashable, Sendable {
    public let id: RuleID
    /// The severity of a finding that is more or less serious than usual.
    public let otherSeverity: Severity?
    /// What is wrong, in a few words: lower case, without a full stop.
    public let title: String
    /// What iOS, Android or another client does because of it, in sentences.
    public let why: String
    /// What to write or do instead, in sentences.
    public let fix: String
    public let sources: [RuleSource]
    public let subject: Subject

    /// What a rule is about, and so what has to be read to check it.
    public enum Subject: String, Hashable, Sendable, CaseIterable {
        /// The text of an association file or an app file.
        case document
        /// The native project: entitlements or a manifest.
        case nativeProject
        /// A host on the network, or a page that it serves.
        case host
        /// The files of this server other than app files: settings, certificates, pages.
        case installation
    }

    /// Every severity that its findings can have, the usual one first.
    public var severities: [Severity] { [id.severity] + [otherSeverity].compactMap { $0 } }

    init(
        _ id: RuleID, or otherSeverity: Severity? = nil, _ title: String, why: String, fix: String,
        sources: [RuleSource] = [.inference], subject: Subject = .document
    ) {
        (self.id, self.otherSeverity, self.title, self.why) = (id, otherSeverity, title, why)
        (self.fix, self.sources, self.subject) = (fix, sources, subject)
    }

    /// Every rule, in the order of the families and then of the numbers.
    public static let all: [LintRule] = RuleID.Family.allCases.flatMap(\.rules)

    public static func named(_ id: RuleID) -> LintRule {
        guard let rule = byID[id] else { preconditionFailure("\(id) has no rule in the tables") }
        return rule
    }

    private static let byID = Dictionary(all.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
}

extension RuleID.Family {
    /// The rules of the family, in the order of their numbers.
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
