// The server's standing in lines for people: first whether it serves, then what does not, then the rest.

import Posix
import SourceJSON
import Telemetry

extension StatusReport {
    public var text: String {
        let state = isReady ? "ready" : "not ready: \(waits.joined(separator: "; "))"
        var lines = [
            "associated \(version) (\(library)), process \(processID), up \(Age.duration(seconds: uptimeSeconds)), \(state)",
            "serves \(count(hosting.appFiles, "app")) on \(count(hosting.hosts, "host")), "
                + "\(count(openConnections, "open connection")), digest \(servedDigest)",
        ]
        lines += keptLines
        lines += findingLines
        lines.append(reloadLine)
        lines += certificateLines
        lines.append(workerLine)
        lines += [refusals.text].compactMap { $0 }
        lines += verifierLines
        return lines.map { "\(Printable.line($0))\n" }.joined()
    }

    private var keptLines: [String] {
        guard hosting.keptHosts > 0 else { return [] }
        var lines = ["\(count(hosting.keptHosts, "host")) on a last good version:"]
        lines += kept.map { "  \($0.host), \(text($0.reason))" }
        lines += more(than: kept.count, of: hosting.keptHosts)
        return lines
    }

    private var findingLines: [String] {
        var lines: [String] = []
        if hosting.guardedEntries > 0 {
            let files = guardedFiles.isEmpty ? "" : ", of \(guardedFiles.joined(separator: ", "))"
            lines.append("the removal guard keeps \(entries(hosting.guardedEntries)) live\(files)")
        }
        let all = hosting.errors + hosting.warnings + hosting.notes
        guard all > 0 else { return lines + ["no finding stands"] }
        guard hosting.errors > 0 else {
            let rest = "\(count(hosting.warnings, "warning")), \(count(hosting.notes, "note"))"
            return lines + ["no error stands; \(rest) (`associated lint` lists them)"]
        }
        lines.append(
            "findings that stand: \(count(hosting.errors, "error")), \(count(hosting.warnings, "warning")), "
                + "\(count(hosting.notes, "note"))")
        lines += findings.map { "  \(text($0))" }
        return lines + more(than: findings.count, of: hosting.errors - (certificates?.standing.errors ?? 0))
    }

    private func text(_ standing: Standing) -> String {
        let age = Age.ago(from: standing.sinceSeconds, to: nowSeconds)
        let since =
            standing.sinceSeconds > startedSeconds
            ? "since \(Clock.day(standing.sinceSeconds)) (\(age))"
            : "since the start \(age) or longer"
        return "\(since): \(standing.finding)"
    }

    private var reloadLine: String {
        let rounds =
            "\(count(reloads.changed + reloads.unchanged + reloads.failed, "reload")), \(reloads.failed) failed"
        guard let last = reloads.last else { return "no reload yet" }
        let ago = Age.ago(from: last.seconds, to: nowSeconds)
        let outcome =
            switch last.outcome {
            case .changed: "brought changes"
            case .unchanged: "published no change"
            case .failed: "failed: \(last.message ?? "for no known reason")"
            }
        return "the last reload ended \(ago), took \(milliseconds(last.microseconds)) and \(outcome) (\(rounds))"
    }

    private var certificateLines: [String] {
        guard let certificates else { return ["no TLS"] }
        if !certificates.isComplete, certificates.isEmpty { return ["certificates have not been looked at yet"] }
        var lines = [
            "\(count(certificates.usable, "certificate")) usable, \(certificates.lastGood) on a last good version, "
                + "\(certificates.broken) broken; \(count(certificates.missing, "host")) without one"
                + (certificates.isComplete ? "" : "; not all looked at yet")
        ]
        lines += certificates.problems.map { "  \($0.folder), \($0.text(nowSeconds))" }
        lines += more(than: certificates.problems.count, of: certificates.standing.sum)
        for expiry in certificates.soonest {
            let left = expiry.notAfter - nowSeconds
            let when = left >= 0 ? "expires in \(Age.text(seconds: left))" : "expired \(Age.text(seconds: -left)) ago"
            lines.append("  \(expiry.folder) \(when) (\(Clock.day(expiry.notAfter)))")
        }
        return lines
    }

    private var workerLine: String {
        let stuck = workers.indices.filter { workers[$0].isStuck }
        let longest = workers.map(\.longestRoundMicroseconds).max() ?? 0
        let lag = "longest round of the last half minute \(milliseconds(Int64(clamping: longest)))"
        if stuck.isEmpty { return "\(count(workers.count, "worker")), all alive; \(lag)" }
        return
            "\(count(workers.count, "worker")), of which stuck: \(stuck.map { "\($0)" }.joined(separator: ", ")); \(lag)"
    }

    private var verifierLines: [String] {
        VerifierKind.known.map { kind in
            guard let last = verifiers.lastSeconds[kind] else { return "\(kind.name) never fetched anything" }
            return "\(kind.name) last fetched something \(Age.ago(from: last, to: nowSeconds))"
        }
    }

    private func more(than shown: Int, of all: Int) -> [String] {
        all > shown ? ["  and \(all - shown) more"] : []
    }

    private func entries(_ number: Int) -> String { "\(number) \(number == 1 ? "entry" : "entries")" }

    private func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    /// With a decimal below ten.
    private func milliseconds(_ microseconds: Int64) -> String {
        if microseconds >= 10_000 { return "\(microseconds / 1_000) ms" }
        return "\(microseconds / 1_000).\(microseconds % 1_000 / 100) ms"
    }
}

extension CertificateReport.Problem {
    /// Since when, and what.
    func text(_ nowSeconds: Int64) -> String {
        "since \(Clock.day(sinceSeconds)) (\(Age.ago(from: sinceSeconds, to: nowSeconds))): \(finding)"
    }
}
