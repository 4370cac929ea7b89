// What operators see of the certificates that the manager orders, in words and as JSON: `associated status`, `associated acme` and the
// manager's admin listener say the same.

import HTTP
import Posix
public import SourceJSON
import Tenancy

extension IssuanceFigures {
    /// How many hosts that need a person are listed.
    public static let attentionMax = 10

    /// Such as `1 waiting-dns, 31 queued, 214 issued`; nil without hosts.
    public var counts: String? {
        let counts = IssuanceState.allCases.compactMap { state in hosts[state].map { "\($0) \(state.rawValue)" } }
        return counts.isEmpty ? nil : counts.joined(separator: ", ")
    }

    /// For programs. Times are in seconds since 1970.
    public var members: [(String, SourceValue)] {
        let states = IssuanceState.allCases.map { ($0.rawValue, SourceValue.integer(hosts[$0] ?? 0)) }
        let stuck = stuck.prefix(IssuanceFigures.attentionMax).map(\.jsonValue)
        let limits = accountLimits.map { limit in
            SourceValue.object([
                ("authority", .string(limit.authority)), ("problem", .string(limit.problem)),
                ("until", .integer(Int(limit.until / 1_000))),
            ])
        }
        return [
            ("orderedCertificates", .object(states)), ("hostsThatNeedAttention", .array(stuck)),
            ("accountLimits", .array(limits)),
        ]
    }
}

extension AccountLimit {
    /// Such as `acme.example limits the account until 2026-12-04T08:00:00Z (for 6 days): too many new orders; ...`.
    public var line: String {
        let left = Age.text(seconds: until / 1_000 - Clock.wallSeconds())
        return
            "\(authority) limits the account until \(HTTPDate.timestamp(until / 1_000)) (for \(left)): \(problem); an order that "
            + "it accepts lifts this, and so does `associated acme issue HOST --ignore-limit`"
    }
}

extension IssuanceReport {
    public var jsonValue: SourceValue {
        func text(_ text: String?) -> SourceValue { text.map { .string($0) } ?? .null }
        func seconds(_ time: Int64?) -> SourceValue { time.map { .integer(Int($0 / 1_000)) } ?? .null }
        return .object([
            ("host", .string(host)), ("state", text(state?.rawValue)), ("problem", text(problem)),
            ("since", seconds(shownSince)), ("next", text(state?.nextStep)), ("nextTry", seconds(due)),
            ("issuer", text(issuer)), ("notAfter", seconds(notAfter)), ("renewAt", seconds(renewAt)),
        ])
    }

    /// Further attempts do not end what is wrong.
    private var shownSince: Int64 {
        switch state {
        case .new, .queued, .ordering, .leaving: since
        case .failing: tries > 1 ? began : since
        default: began
        }
    }

    /// The states of hosts, those with problems first, and each problem once.
    public static func lines(
        _ reports: [IssuanceReport], _ forecast: QueueForecast?, obstacle: String?, max: Int
    ) -> [String] {
        let sorted = reports.sorted { ProblemGroups.isBefore($0.host, $1.host) }
        let groups = ProblemGroups.grouped(sorted.filter { $0.problem != nil } + sorted.filter { $0.problem == nil }) {
            report in report.cause.map { "\(report.state?.rawValue ?? "") \($0)" }
        }
        let lines = groups.prefix(max).map { group in
            let names = ProblemGroups.list(group.map(\.host), count: group.count)
            return "  \(names): \(group[0].line(forecast, obstacle: obstacle, others: group.dropFirst()))"
        }
        return lines + (groups.count > max ? ["  and others"] : [])
    }

    /// The problem, without the name of the host.
    private var cause: String? { problem.map { ProblemGroups.cause($0, of: host) } }

    /// Such as `waiting-dns for 3 hours: shop.example.com has no A or AAAA record; next try in 20 minutes`, or
    /// `queued for 5 minutes: waits for the limit of orders of the account; place 12, about 8 h`.
    /// - Parameters:
    ///   - obstacle: with it, nothing is tried.
    ///   - others: hosts with the same problem. The time and the next try are those of the first.
    public func line(_ forecast: QueueForecast?, obstacle: String?, others: ArraySlice<IssuanceReport> = []) -> String {
        let now = Clock.wallSeconds() * 1_000
        let began = others.map(\.shownSince).min().map { min($0, shownSince) } ?? shownSince
        let due = others.map(\.due).min().map { min($0, self.due) } ?? self.due
        var text = "\(state?.rawValue ?? "unknown") for \(Age.text(seconds: max(0, now - began) / 1_000))"
        if let problem = others.isEmpty ? problem : cause { text += ": \(problem)" }
        if obstacle != nil { return text }
        if others.isEmpty, state != .ordering, claimedUntil ?? 0 > now {
            text += "; being looked at now"
        } else if let turn = forecast?[host] {
            text += ": \(turn)"
        } else if state != .issued, state != .ordering, due > now {
            text += "; next try in \(Age.text(seconds: (due - now) / 1_000))"
        }
        return text
    }

    /// The certificate, and the next step.
    public func details(obstacle: String?) -> [String] {
        let (term, now) = (CertificateTerm(self), Clock.wallSeconds())
        var lines: [String] = []
        if let term { lines.append("  \(term.text(now: now)), issued by \(issuer ?? "an unknown authority")") }
        if let obstacle {
            lines.append("  next: \(obstacle)")
        } else if term?.isOver(now: now) == true, state == .issued {
            lines.append("  next: see the manager's log for why it was not renewed, then `associated acme issue`")
        } else if let step = state?.nextStep {
            lines.append("  next: \(step)")
        }
        return lines
    }
}

/// Until when an ordered certificate is valid, in words: an operator must see at once that it has expired, or is about to. The times
/// are in seconds since 1970.
public struct CertificateTerm {
    var notAfter: Int64
    var renewAt: Int64

    /// Below this time, a day alone does not say enough.
    private static let shortSeconds: Int64 = 2 * 86_400

    public func isOver(now: Int64) -> Bool { notAfter <= now }

    /// Such as `certificate until 2026-12-24, renewed on 2026-11-24 (in 5 hours)`.
    public func text(now: Int64) -> String {
        if isOver(now: now) { return "certificate EXPIRED \(Age.text(seconds: now - notAfter)) ago" }
        let renewal = renewAt <= now ? "to be renewed now" : "renewed on \(CertificateTerm.day(renewAt, now: now))"
        return "certificate until \(CertificateTerm.day(notAfter, now: now)), \(renewal)"
    }

    private static func day(_ time: Int64, now: Int64) -> String {
        let left = time - now
        return Clock.day(time) + (left < shortSeconds ? " (in \(Age.text(seconds: left)))" : "")
    }
}

extension CertificateTerm {
    /// Nil without a certificate.
    public init?(_ report: IssuanceReport) {
        guard let notAfter = report.notAfter, let renewAt = report.renewAt else { return nil }
        self.init(notAfter: notAfter / 1_000, renewAt: renewAt / 1_000)
    }
}
