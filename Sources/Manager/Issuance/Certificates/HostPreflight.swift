// Looks at the DNS records of a host and requests a challenge from this server as an authority would. `Preflight` judges what is
// found; this file has the lookups and the requests.

import ACME
import Client
import DNS
import Posix
import TLS

/// The preflight of one host, with the network.
public struct HostPreflight: Sendable {
    private let rules: IssuanceRules
    private let thumbprint: String
    private let preflight: PreflightRules

    private static let probeMilliseconds = 10_000
    private static let probeBytesMax = 4_096
    private static let tokenBytes = 24

    /// - Parameter session: an account at the authority; nil if it did not answer, so that its names in CAA records are not known.
    init(_ rules: IssuanceRules, _ thumbprint: String, _ session: AuthoritySession?) {
        (self.rules, self.thumbprint) = (rules, thumbprint)
        var preflight = rules.preflight
        preflight.caaIdentities = session?.directory.caaIdentities ?? []
        preflight.accountURL = session?.account?.text
        self.preflight = preflight
    }

    /// The check that an operator asks for.
    public static func run(
        _ host: String, _ rules: IssuanceRules, _ account: AccountSecret, userAgent: String
    ) throws -> PreflightReport {
        var link = try AuthorityClient(rules, account, userAgent: userAgent)
        var (session, problem) = (AuthoritySession?.none, String?.none)
        do throws(AuthorityProblem) { session = try link.session(rules.directories[0]) } catch {
            problem = "\(error)"
        }
        var report = HostPreflight(rules, account.key.thumbprint, session).report(host)
        (report.notes, report.authorityProblem) = (report.notes + link.takeNotes(), problem)
        return report
    }

    func report(_ host: String) -> PreflightReport {
        guard let name = DomainName(host) else { return PreflightReport(problem: .dns("\(host) is not a host name")) }
        let records = rules.challenge(for: host) == .dns ? ChallengeRecords(rules) : nil
        var preflight = preflight
        preflight.method = (records == nil ? ChallengeKind.http : .dns).rawValue
        let end = Clock.monotonicMilliseconds() + rules.preflightMilliseconds
        var isSilent: Bool?
        var report = Preflight.check(name, preflight) { type, name in
            let outcome = rules.resolver.lookUp(type, of: name, endingBy: end)
            isSilent = isSilent != false && outcome.isSilence
            return outcome
        } probe: { remote in
            probe(host, remote, endingBy: end)
        }
        report.areNameServersSilent = isSilent
        if report.problem == nil, let records {
            do throws(PreflightProblem) { try records.check(host) } catch { report.problem = error }
        }
        return report
    }

    /// Requests a challenge of no order: the server computes the answer to any.
    /// - Returns: why the answer is not this server's; nil if it is.
    private func probe(_ host: String, _ remote: RemoteAddress, endingBy end: Int64) -> String? {
        let left = Int(end - Clock.monotonicMilliseconds())
        if left <= 0 {
            return "not asked, because the checks before took \(rules.preflightMilliseconds / 1_000) s"
        }
        guard let address = SocketAddress(ip: "\(remote)", port: rules.port) else {
            return "cannot connect to \(remote)"
        }
        let token = Base64URL.text((0..<HostPreflight.tokenBytes).map { _ in .random(in: .min ... .max) })
        var request = FetchRequest(
            host: host, hostField: rules.port == 80 ? host : "\(host):\(rules.port)", address: address, isSecure: false,
            path: "/.well-known/acme-challenge/\(token)", userAgent: nil)
        request.limits.milliseconds = min(left, HostPreflight.probeMilliseconds)
        request.limits.bodyBytesMax = HostPreflight.probeBytesMax
        switch Fetcher(nil).fetch(request) {
        // What answers may be another program, and the owner of the domain may read this: nothing of the answer is shown.
        case .failure(.malformed): return "the answer is not HTTP"
        case .failure(let error): return "\(error)"
        case .success(let response):
            let body = String(decoding: response.body, as: UTF8.self)
            if response.status == 200, body.split(whereSeparator: \.isWhitespace) == ["\(token).\(thumbprint)"] {
                return nil
            }
            return response.status == 200
                ? "another server answers, or one with another account" : "it answers \(response.status)"
        }
    }
}
