// One entry of the rule catalogue. A rule is data: findings name it by id, `associated lint` explains it, docs/rules.md
// is printed from it, and the tests walk it. What a rule looks for is code elsewhere; nothing here reads a file.

public import Association

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

    /// Every rule, in the order of the families and then of the numbers.
    public static let all: [LintRule] = RuleID.Family.allCases.flatMap(\.rules)

    /// The rule with this id.
    public static func named(_ id: RuleID) -> LintRule {
        guard let rule = byID[id] else { preconditionFailure("\(id) has no rule in the tables") }
        return rule
    }

    private static let byID = Dictionary(all.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })

    /// The text of docs/rules.md. A test holds the file to it.
    public static func markdown() -> String {
        var text = """
            # Lint rules

            Printed from the catalogue in `Sources/AssociationLint/Rules`; do not edit by hand.

            - **error**: the association fails, or a rule cannot work. Nothing with an error is published.
            - **warning**: some consumer or system version breaks, or it is probably a mistake.
            - **note**: worth knowing.

            Where a rule has two severities, the first is the usual one; the message of a finding says why it has the other.

            Rules about a host need a look at the network (`associated check`), rules about the native project a look at
            the entitlement or the manifest. Rules about the server are found in its own files, while it loads or runs.
            All others are found by `associated lint` in the file alone.

            """
        for family in RuleID.Family.allCases where !family.rules.isEmpty {
            text += "\n## \(family.title)\n"
            for rule in family.rules { text += rule.section }
        }
        return text
    }

    private var section: String {
        let place =
            switch subject {
            case .document: ""
            case .nativeProject: " (native project)"
            case .host: " (host)"
            case .installation: " (server)"
            }
        let origins = sources.map(\.title).joined(separator: "; ")
        return """

            ### \(id)

            **\(severities.map(\.rawValue).joined(separator: "** or **"))**\(place): \(title)

            \(why) To mend it: \(fix)

            Sources: \(origins).

            """
    }
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
