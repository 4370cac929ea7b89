// The rules of hosting, put to the answers of one host. Each looks at a few answers and says what a verifier would make of
// them; none asks anything itself.

import Association
import Posix
import SourceJSON
import TLS

/// Judges the answers of one host.
struct HostRules {
    let answers: HostAnswers
    let expected: ExpectedFiles?
    private(set) var findings: [Finding] = []

    init(_ answers: HostAnswers, _ settings: CheckSettings) {
        self.answers = answers
        expected = settings.expected(answers.host.name)
    }

    mutating func judge() {
        if let error = answers.lookUpError {
            let why = error.isUnknownName ? "there is no such host" : "nobody answered"
            return reportForBoth("AHST-001", "GHST-001", "\(error); \(why)", fix: "check the name and its DNS entry")
        }
        judgeAddresses()
        judgeTransport()
        if !answers.isReachable { return judgeUnreachable() }
        for document in Probe.Document.allCases { judge(document) }
        judgeApple()
        judgeStatements()
        judgeServer()
        judgeNeighbours()
        judgeCopies()
        judgeExpectations()
    }

    private mutating func judgeUnreachable() {
        guard let error = answers.error(.file(.apple)) else { return }
        switch error {
        case .handshake(.timedOut):
            reportForBoth(
                "AHST-013", "GHST-005", "\(error)", fix: "let a handshake be done within a second", severity: .error)
        case .handshake:
            reportForBoth(
                "AHST-011", "GHST-004", "\(error)",
                fix: "let the host speak TLS 1.2 or 1.3 with a public certificate for this very name")
            if case .handshake(.failed(let reason)) = error, reason.contains("no application protocol") {
                report(
                    "SRV-015", .file(.apple), "the server does not speak HTTP/1.1", fix: "speak HTTP/1.1 beside HTTP/2")
            }
        default:
            reportForBoth(
                "AHST-001", "GHST-001", "\(error) at \(answers.addresses.first?.description ?? "no address")",
                fix: "let the host be reached on port \(answers.host.port) from everywhere")
        }
    }

    private mutating func judgeAddresses() {
        guard !answers.isOverridden else { return }
        let closed = answers.addresses.filter(\.isPrivate)
        guard !closed.isEmpty else { return }
        report(
            "AHST-014", .file(.apple),
            "the name leads to \(closed.map(\.host).joined(separator: ", ")), which nobody outside can reach; Apple's "
                + "fetcher refuses it with SWCERR00202",
            fix: "publish a public address; for tests use ?mode=developer in the entitlement")
    }

    /// What is wrong with the certificate, and with the time that the handshake takes.
    private mutating func judgeTransport() {
        guard let response = answers.response(.file(.apple)) ?? answers.response(.file(.statements)),
            let peer = response.peer
        else { return }
        if peer.isOutdated {
            reportForBoth(
                "AHST-011", "GHST-004", "the server speaks \(peer.version), which current clients refuse",
                fix: "turn on TLS 1.2 and 1.3")
        }
        if let problem = peer.problem {
            let fix =
                problem.kind == .missingIntermediate
                ? "send the intermediate certificates too (certbot's fullchain.pem)"
                : "use a certificate of a public authority for exactly this name"
            reportForBoth("AHST-011", "GHST-004", problem.message, fix: fix)
            if problem.kind == .missingIntermediate {
                report("AHST-012", .file(.apple), problem.message, fix: fix)
            }
        } else if let own = peer.certificates.first, own.notAfter - Clock.wallSeconds() < 14 * 86_400 {
            let days = Int((own.notAfter - Clock.wallSeconds()) / 86_400)
            report(
                "AHST-011", .file(.apple), "the certificate expires in \(Count.of(days, "day"))",
                fix: "renew it, and see why that did not happen by itself", severity: .warning)
        }
        let later = answers.response(.head(.apple))?.handshakeMilliseconds ?? response.handshakeMilliseconds
        if response.handshakeMilliseconds > 2_000, later < response.handshakeMilliseconds / 4 {
            report(
                "SRV-005", .file(.apple),
                "the first handshake took \(response.handshakeMilliseconds) ms and a later one \(later) ms, as if the "
                    + "certificate had been issued in between",
                fix: "issue certificates before the host is published")
        }
    }

    mutating func report(
        _ rule: String, _ probe: Probe, _ message: String, fix: String? = nil, severity: Severity? = nil
    ) {
        report(
            Finding(
                rule: rule, severity: severity ?? LintRule.named(rule)?.severity ?? .error, file: answers.name(probe),
                range: nil, message: message, fix: fix))
    }

    mutating func report(_ finding: Finding) { findings.append(finding) }

    /// For what stands in the way of both verifiers.
    private mutating func reportForBoth(
        _ apple: String, _ android: String, _ message: String, fix: String, severity: Severity? = nil
    ) {
        report(apple, .file(.apple), message, fix: fix, severity: severity)
        report(android, .file(.statements), message, fix: fix, severity: severity)
    }
}
