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
    /// note; in a published file most spellings are errors. An element is a text, or an object with it and a note.
    func fingerprints(_ key: String) -> [Located<NotedFingerprint>] {
        var prints: [Located<NotedFingerprint>] = []
        for (index, value) in (elements(key, of: "fingerprints") ?? []).enumerated() {
            guard let (text, note) = notedText(value, "\(path(key))[\(index)]") else { continue }
            let mark = note.map { "\($0.quoted): " } ?? ""
            func report(_ problems: [TextProblem]) {
                for var problem in problems {
                    problem.message = mark + problem.message
                    findings.report([problem], at: text.range)
                }
            }
            guard let print = Fingerprint(normalising: text.text) else {
                report(Fingerprint.problems(in: text.text))
                continue
            }
            if !print.text.isIdentical(to: text.text) {
                findings.report(
                    .app015, at: text.range,
                    "\(mark)the fingerprint is served in upper case with colons; Google rejects any other form",
                    fix: "write it in that form",
                    edit: SourceEdit(range: text.range, replacement: print.text.jsonQuoted))
            }
            report(Fingerprint.problems(in: print.text))
            prints.append(Located(value: NotedFingerprint(text: print.text, note: note), range: text.range))
        }
        return findings.unique(prints, path(key), by: { $0.text }) { Fingerprint.short($0.text, note: $0.note) }
    }

    /// The text of an element of a list of fingerprints, and its note.
    private func notedText(_ value: SourceValue, _ place: String) -> (LocatedText, note: String?)? {
        guard value.asObject != nil else { return findings.string(value, place).map { ($0, nil) } }
        guard let object = findings.object(value, place, keys: AppFileSchema.fingerprintKeys) else { return nil }
        object.require("sha256", because: "the note belongs to no fingerprint")
        let note = object.string("note")
        if let note, note.text.utf8.count > Fingerprint.noteBytesMax {
            findings.report(
                .app020, at: note.range,
                "\(object.path("note").quoted) has \(note.text.utf8.count) bytes; the limit is \(Fingerprint.noteBytesMax)",
                fix: "write it shorter, or as a comment")
        }
        return object.string("sha256").map { ($0, note?.text) }
    }
}

/// A fingerprint in the served form, and what its app file notes about it.
struct NotedFingerprint {
    let text: String
    let note: String?
}
