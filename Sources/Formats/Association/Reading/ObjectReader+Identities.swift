// The identities in an app file: hosts, app ids, packages and fingerprints. They occur in several of its objects.

import SourceJSON

extension ObjectReader {
    /// The hosts under a key, each once. Required at the top, optional under `retired`.
    func hosts(_ key: String) -> [Located<HostPattern>] {
        if place.isEmpty { require(key, because: "nothing of the app is served") }
        var hosts: [Located<HostPattern>] = []
        for text in strings(key, of: "host names") ?? [] {
            switch HostPattern.parse(text.text) {
            case .success(let host):
                if host.text != text.text {
                    findings.report(
                        .app009, at: text.range, "\(text.text.quoted) is read as \(host.text), which clients request",
                        fix: "write \"\(host.text)\"",
                        edit: SourceEdit(range: text.range, replacement: host.text.jsonQuoted))
                }
                hosts.append(Located(value: host, range: text.range))
            case .failure(let fault):
                let (reason, fix) = fault.explained
                findings.report(.app008, at: text.range, "\(text.text.quoted) is not a host: \(reason)", fix: fix)
            }
        }
        let kept = findings.unique(hosts, path(key), rule: .app010, by: { $0 }, text: \.text)
        if place.isEmpty { checkReach(kept) }
        return kept
    }

    /// Reports host names that phones do not verify.
    private func checkReach(_ hosts: [Located<HostPattern>]) {
        let exact = Set(hosts.lazy.map(\.value).filter { !$0.isWildcard }.map(\.name))
        for host in hosts {
            let name = host.value.name
            if host.value.isWildcard, !exact.contains(name) {
                findings.report(
                    .app011, at: host.range,
                    "Apple and Android fetch the file for \(host.value.text) from \(name), which is not listed",
                    fix: "add \"\(name)\"")
            }
            for label in name.split(separator: ".") where label.contains(run: "--") {
                guard let objection = HostLabel.objection(to: label) else { continue }
                findings.report(
                    .app049, at: host.range, "\(String(label).quoted) \(objection)", fix: "use another name")
            }
            // `localhost` and the names below it are for trying things out.
            if !name.utf8.contains(UInt8(ascii: ".")), name != "localhost" {
                let reason = host.value.isWildcard ? "covers a whole top-level domain" : "has no dot"
                findings.report(
                    .app012, at: host.range, "\(host.value.text) \(reason), so phones do not accept it",
                    fix: "use a full domain name")
            }
        }
    }

    /// The app ids under a key, each once, without invalid ones.
    func appIDs(_ key: String) -> [Located<String>] {
        let ids = (strings(key, of: "app ids") ?? []).filter { isValid($0, AppID.problems(in: $0.text)) }
        return findings.unique(
            ids.map { Located(value: $0.text, range: $0.range) }, path(key), by: ExactText.init(_:)
        ) { $0 }
    }

    func packageName(_ key: String) -> LocatedText? {
        string(key).flatMap { isValid($0, PackageName.problems(in: $0.text)) ? $0 : nil }
    }

    /// Reports the problems of a text; true if none of them is an error.
    private func isValid(_ text: LocatedText, _ problems: [TextProblem]) -> Bool {
        findings.report(problems, at: text.range)
        return !problems.contains { $0.severity == .error }
    }

    /// The fingerprints under a key, in the form in which they are served. Here any spelling of 32 bytes is valid and gets a
    /// note; in a published file most spellings are errors.
    func fingerprints(_ key: String) -> [Located<String>] {
        var prints: [Located<String>] = []
        for text in strings(key, of: "fingerprints") ?? [] {
            guard let print = Fingerprint(normalising: text.text) else {
                findings.report(Fingerprint.problems(in: text.text), at: text.range)
                continue
            }
            if !print.text.isIdentical(to: text.text) {
                findings.report(
                    .app015, at: text.range,
                    "the fingerprint is served in upper case with colons; Google rejects any other form",
                    fix: "write it in that form",
                    edit: SourceEdit(range: text.range, replacement: print.text.jsonQuoted))
            }
            findings.report(Fingerprint.problems(in: print.text), at: text.range)
            prints.append(Located(value: print.text, range: text.range))
        }
        return findings.unique(prints, path(key), by: { $0 }) { String($0.prefix(11)) + "…" }
    }
}
