// Why a link opens the browser and not the app. It takes what a check of the host has found and what the rules decide about the
// URL, and puts both in the order in which a person should look at them: one step for each stage, and the first problem is the
// cause. It sends no requests and finds nothing itself.

public import Association
import Client
import Posix
import TLS

/// The steps of a link on its way to an app.
public struct LinkDiagnosis: Sendable {
    /// In the order of the stages. Stages that the link does not reach are missing.
    public private(set) var steps: [Step]

    /// The first problem; nil if nothing before the phone keeps the link in the browser.
    public var cause: Step? { steps.first { $0.status == .problem } }

    /// The stages, in the order in which to check them.
    public enum Stage: String, Sendable {
        case url, dns, tls, appleFile, androidFile, appleCopy, googleView, registration, appleRules, androidRules

        /// The name for people.
        public var name: String {
            switch self {
            case .url: "URL"
            case .dns: "DNS"
            case .tls: "TLS"
            case .appleFile: "apple-app-site-association"
            case .androidFile: "assetlinks.json"
            case .appleCopy: "Apple's copy"
            case .googleView: "Google's view"
            case .registration: "Google's registration"
            case .appleRules: "rules for iOS"
            case .androidRules: "rules for Android"
            }
        }
    }

    public enum Status: String, Sendable {
        case ok
        /// It keeps the link in the browser.
        case problem
        /// It does not, but people should know it.
        case note
    }

    /// The result of one stage.
    public struct Step: Hashable, Sendable {
        public var stage: Stage
        public var status: Status
        public var message: String
        public var fix: String?
        public var rules: [RuleID] = []
        /// Further findings of the stage, which `associated check` lists.
        public var more = 0

        init(_ stage: Stage, _ status: Status, _ message: String, fix: String? = nil) {
            (self.stage, self.status, self.message, self.fix) = (stage, status, message, fix)
        }
    }

    /// - Parameter report: the check of the URL's host; nil if its files cannot be fetched.
    public init(
        of url: LinkURL, _ report: ServerCheckReport?, _ verdicts: LinkVerdicts, platforms: ExpectedFiles.Platforms
    ) {
        steps = [LinkDiagnosis.step(for: url, isFetchable: report != nil)]
        guard let report else { return }
        let found = StageFindings(report)
        steps.append(LinkDiagnosis.nameStep(found[.dns], report))
        if report.addresses.isEmpty { return }
        steps.append(LinkDiagnosis.step(.tls, found[.tls], fine: LinkDiagnosis.connection(report)))
        if !report.isReachable { return }
        if platforms.contains(.apple) {
            steps.append(LinkDiagnosis.fileStep(.appleFile, found, report, verdicts.apple))
        }
        if platforms.contains(.android) {
            steps.append(LinkDiagnosis.fileStep(.androidFile, found, report, verdicts.android))
        }
        if platforms.contains(.apple) {
            steps.append(LinkDiagnosis.copyStep(found[.appleCopy].first, report, verdicts))
        }
        if platforms.contains(.android) {
            steps.append(LinkDiagnosis.viewStep(found[.googleView].first, report))
            // Without a key, most people need not know of it.
            if report.registrationsAsked {
                let fine = "each app is registered with a certificate in the file"
                steps.append(
                    LinkDiagnosis.step(.registration, found[.registration], fine: fine, showsNotes: true) {
                        $0.rule == .ghst018
                    })
            }
        }
        if platforms.contains(.apple) { steps += LinkDiagnosis.ruleSteps(.appleRules, verdicts.apple) }
        if platforms.contains(.android) { steps += LinkDiagnosis.ruleSteps(.androidRules, verdicts.android) }
    }

    private static func step(for url: LinkURL, isFetchable: Bool) -> Step {
        if url.host.hasPrefix("[") || SocketAddress("\(url.host):443") != nil {
            return Step(
                .url, .problem, "the link has an address instead of a host name, and apps are bound to names only",
                fix: "link to the name of the host")
        }
        guard isFetchable else {
            let port = url.port.map { " and port \($0)" } ?? ""
            return Step(
                .url, .problem, "phones fetch the files over https, which is not possible for \(url.host)\(port)",
                fix: "link to https:// and a valid host name, without a port")
        }
        if url.scheme == "http" {
            return Step(
                .url, .note, "the link begins with http, and Android opens it only if the manifest names this scheme",
                fix: "link to https")
        }
        if let port = url.port, port != 443 {
            return Step(
                .url, .note, "the link names port \(port), but phones fetch the files from port 443 only",
                fix: "test links with a port only on a development machine")
        }
        return Step(.url, .ok, "\(url.scheme), without a port")
    }

    private static func nameStep(_ findings: [Finding], _ report: ServerCheckReport) -> Step {
        if report.addresses.isEmpty, findings.isEmpty {
            return Step(
                .dns, .problem, "\(report.host.name) has no address", fix: "add an A or AAAA record to DNS")
        }
        let hasIPv6 = report.addresses.contains { $0.contains(":") }
        let list = report.addresses.joined(separator: ", ")
        return step(.dns, findings, fine: "at \(list)" + (hasIPv6 ? "" : " (no IPv6 address)"))
    }

    private static func connection(_ report: ServerCheckReport) -> String {
        guard let peer = report.peer, let own = peer.certificates.first else { return "the host accepts connections" }
        return "\(peer.version), certificate by \(own.issuer), expires on \(Clock.day(own.notAfter))"
    }

    private static func fileStep(
        _ stage: Stage, _ found: StageFindings, _ report: ServerCheckReport, _ verdicts: [RuleVerdict]?
    ) -> Step {
        let path = stage == .appleFile ? AssociationPath.apple : AssociationPath.statements
        let file = report.files.first { $0.path == path }
        let facts = [
            file?.status.map { "\($0)" }, file?.contentType, file?.byteCount.map { Count.of($0, "byte") },
        ].compactMap { $0 }
        if let status = file?.status, status != 200, found[stage].isEmpty {
            return Step(stage, .note, "the answer is \(status), and the configuration has no app that needs the file")
        }
        let outcome = verdicts.map { RuleVerdict.outcome(of: $0) }
        return step(stage, found[stage], fine: facts.joined(separator: ", ")) { blocks($0, outcome) }
    }

    /// Whether a finding about a file keeps the link in the browser.
    private static func blocks(_ finding: Finding, _ outcome: RuleVerdict.Outcome?) -> Bool {
        switch finding.rule {
        // For the host it is only a note if the other platform has its file, but this platform has no app then.
        case .ahst001, .ghst001: return true
        // Another file than the expected one is the cause only if the expected one could differ in its decision.
        case .srv016: return outcome != .opensApp && outcome != .manifestDecides
        default: break
        }
        guard finding.severity == .error else { return false }
        switch finding.rule.family {
        case .appleHosting, .androidHosting: return true
        // A mistake in the content may concern other apps or other links, so the rules decide where there are any.
        default: return finding.isFatal || outcome == nil || outcome == .noApp
        }
    }

    private static func copyStep(_ finding: Finding?, _ report: ServerCheckReport, _ verdicts: LinkVerdicts) -> Step {
        guard report.copiesAsked.contains(.apple) else { return notAsked(.appleCopy, "Apple's CDN") }
        guard let finding else { return Step(.appleCopy, .ok, "Apple's CDN has the same file") }
        if finding.severity == .error { return Step(.appleCopy, finding, .problem) }
        // Phones have an older copy, so what matters is whether it opens the app where the host's file does.
        let opens = verdicts.apple.map { RuleVerdict.outcome(of: $0) } == .opensApp
        guard finding.rule == .ahst015, opens, let copy = verdicts.appleCopy, RuleVerdict.outcome(of: copy) != .opensApp
        else { return Step(.appleCopy, finding, .note) }
        var step = Step(.appleCopy, finding, .problem)
        step.message += "; by the copy, \(copy.first?.message ?? "no app opens links")"
        step.fix = finding.fix.map { "\($0); installing the app again fetches Apple's copy at once" }
        return step
    }

    private static func viewStep(_ finding: Finding?, _ report: ServerCheckReport) -> Step {
        guard report.copiesAsked.contains(.android) else { return notAsked(.googleView, "Google's service") }
        guard let finding else { return Step(.googleView, .ok, "Google's service sees the same statements") }
        // Without a fix, the service could not be asked or gave no answer about the host.
        return Step(.googleView, finding, finding.fix == nil ? .note : .problem)
    }

    private static func notAsked(_ stage: Stage, _ service: String) -> Step {
        Step(stage, .note, "\(service) was not asked, because the address of the host was given, or is on this machine")
    }

    private static func ruleSteps(_ stage: Stage, _ verdicts: [RuleVerdict]?) -> [Step] {
        guard let verdicts else { return [] }
        guard !verdicts.isEmpty else {
            return [
                Step(stage, .problem, "the file names no app that opens links", fix: "add the app to the file")
            ]
        }
        let outcome = RuleVerdict.outcome(of: verdicts)
        let isFine = outcome == .opensApp || outcome == .manifestDecides
        let fix =
            outcome == .noApp
            ? "fix the app's entry in the file" : "change the rules of the app, or link to a URL that they include"
        return verdicts.map { verdict in
            Step(
                stage, isFine ? .ok : .problem, "\(verdict.apps.joined(separator: ", ")): \(verdict.message)",
                fix: isFine ? nil : fix)
        }
    }

    /// The step of a stage: a problem if a finding blocks links, else a note if one is a warning, else fine.
    private static func step(
        _ stage: Stage, _ findings: [Finding], fine: String, showsNotes: Bool = false,
        blocks: (Finding) -> Bool = { $0.severity == .error }
    ) -> Step {
        let blocking = findings.filter(blocks)
        let notable = blocking.isEmpty ? findings.filter { showsNotes || $0.severity != .note } : blocking
        guard let first = notable.first else { return Step(stage, .ok, fine) }
        let cause = blocking.isEmpty ? first : explanation(of: blocking, among: findings) ?? first
        var step = Step(stage, cause, blocking.isEmpty ? .note : .problem)
        let same = findings.filter { $0.message == cause.message && $0.fix == cause.fix }
        step.rules = same.map(\.rule)
        step.more = Set(notable.map(\.message)).subtracting([cause.message]).count
        return step
    }

    /// The finding that says why no system reads the file, why it is missing, or why it is another one.
    private static func explanation(of blocking: [Finding], among findings: [Finding]) -> Finding? {
        if let broken = blocking.first(where: \.isFatal) { return broken }
        if let other = blocking.first(where: { $0.rule == .srv016 }) { return other }
        guard let first = blocking.first, [.ahst001, .ghst001].contains(first.rule) else { return nil }
        let reasons: [RuleID] = [.ahst010, .ahst008, .ahst022, .ghst009, .ghst010, .ahst026]
        return reasons.lazy.compactMap { reason in findings.first { $0.rule == reason } }.first
    }
}

extension LinkDiagnosis.Step {
    /// The step that one finding describes.
    fileprivate init(_ stage: LinkDiagnosis.Stage, _ finding: Finding, _ status: LinkDiagnosis.Status) {
        self.init(stage, status, finding.message, fix: finding.fix)
        rules = [finding.rule]
    }
}

/// The findings of a report by the stage that they are about.
private struct StageFindings {
    private let found: [LinkDiagnosis.Stage?: [Finding]]

    init(_ report: ServerCheckReport) {
        found = Dictionary(grouping: report.findings) { StageFindings.stage(of: $0, in: report) }
    }

    subscript(stage: LinkDiagnosis.Stage) -> [Finding] { found[stage] ?? [] }

    /// Nil for a finding that has nothing to do with links.
    private static func stage(of finding: Finding, in report: ServerCheckReport) -> LinkDiagnosis.Stage? {
        if report.addresses.isEmpty { return .dns }
        switch finding.rule {
        case .ahst014: return .dns
        // An address family that does not answer, or a server without HTTP/1.1.
        case .srv015: return report.isReachable ? .dns : .tls
        case .ahst011, .ahst012, .ghst004: return .tls
        case .ahst015, .ahst016: return .appleCopy
        case .ghst013: return .googleView
        case .ghst018, .ghst019, .ghst020: return .registration
        // The banner of the start page, and the crawler for shared passwords.
        case .ahst027, .ghst007: return nil
        default: break
        }
        if !report.isReachable { return .tls }
        switch finding.rule.family {
        // Some rules of Apple's family are about both files.
        case .appleHosting, .androidHosting:
            if finding.file.hasSuffix(AssociationPath.statements) { return .androidFile }
            return finding.rule.family == .appleHosting ? .appleFile : .androidFile
        case .apple: return .appleFile
        case .statements: return .androidFile
        case .server where finding.rule == .srv016:
            return finding.file.hasSuffix(AssociationPath.statements) ? .androidFile : .appleFile
        case .appFile, .server, .certificate, .configuration: return nil
        }
    }
}

/// The decision of the rules for one app, or for several with the same decision.
public struct RuleVerdict: Hashable, Sendable {
    public var apps: [String]
    public var outcome: Outcome
    /// The deciding rule in words.
    public var message: String

    public enum Outcome: Hashable, Sendable {
        case opensApp
        /// Android decides by the manifest, which is not known here.
        case manifestDecides
        case staysInBrowser
        /// No signed app can have the entry, or no verifier accepts it.
        case noApp
    }

    public init(_ apps: [String], _ outcome: Outcome, _ message: String) {
        (self.apps, self.outcome, self.message) = (apps, outcome, message)
    }

    /// The outcome for a platform: one app that opens is enough.
    static func outcome(of verdicts: [RuleVerdict]) -> Outcome {
        let order: [Outcome] = [.opensApp, .manifestDecides, .staysInBrowser]
        return order.first { outcome in verdicts.contains { $0.outcome == outcome } } ?? .noApp
    }
}

/// The decisions about one URL by all files.
public struct LinkVerdicts: Sendable {
    /// By the files of the host; nil if a file could not be read.
    public var apple: [RuleVerdict]?
    public var android: [RuleVerdict]?
    /// By Apple's copy, if there is one.
    public var appleCopy: [RuleVerdict]?

    public init() {}
}
