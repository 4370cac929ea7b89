// A host's standing in lines for people.

import Posix
import SourceJSON
import Telemetry

extension HostReport {
    /// One line for each verifier, whether it was here or not.
    public var text: String {
        var lines = [host == name ? host : "\(host), served as \(name)"]
        for document in documents {
            lines.append("  \(document.kind.fileName) \(document.entityTags.first ?? "untagged")")
        }
        if documents.isEmpty { lines.append("  no association file") }
        if !reasons.isEmpty { lines.append("  serves its last good version, because of") }
        lines += reasons.map { "    \($0)" }
        lines += certificateLines
        lines += VerifierKind.known.map { line(about: $0) }
        return lines.map { "\(Printable.line($0))\n" }.joined()
    }

    private var certificateLines: [String] {
        guard let certificate else { return [] }
        var line = "  certificate in hosts/\(certificate.folder): \(certificate.state.replacing("_", with: " "))"
        if let notAfter = certificate.notAfter {
            let left = notAfter - nowSeconds
            let when = left >= 0 ? "ends in \(Age.text(seconds: left))" : "ended \(Age.text(seconds: -left)) ago"
            line += ", \(when) (\(Clock.day(notAfter)))"
        }
        if let serial = certificate.serial { line += ", serial \(serial)" }
        if let issuer = certificate.issuer { line += ", issuer \(issuer)" }
        return [line] + certificate.problems.map { "    \($0.text(nowSeconds))" }
    }

    private func line(about verifier: VerifierKind) -> String {
        guard let record = verifiers.first(where: { $0.verifier == verifier }) else {
            let since = Age.ago(from: recordedSinceSeconds, to: nowSeconds)
            return "\(verifier.name) never fetched \(name); the records began \(since)"
        }
        let ago = Age.ago(from: record.lastSeconds, to: nowSeconds)
        return "\(verifier.name) last fetched \(name) \(ago), \(words(for: outcome(of: record)))"
    }

    private func words(for outcome: Outcome) -> String {
        switch outcome {
        case .current(isRepeated: false): "got the current version"
        case .current(isRepeated: true): "had the current version already"
        case .older(let tag): "got an older version, \(tag)"
        case .status(let status): "got \(status)"
        }
    }
}

extension DocumentKind {
    /// What an association file is called; nothing else is reported by name.
    var fileName: String { self == .appleAssociation ? "apple-app-site-association" : "assetlinks.json" }
}
