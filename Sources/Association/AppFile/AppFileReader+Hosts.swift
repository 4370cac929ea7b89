// Host names in an app file.

import SourceJSON

extension AppFileReader {
    /// The hosts under `key`, each once, and where each stands. Required at the top, optional under `retired`.
    mutating func hosts(_ key: String, in fields: AppFileFields) -> ([HostPattern], [SourceRange]) {
        if fields.place.isEmpty { requireElements(key, in: fields, because: "nothing of the app is served") }
        guard let texts = strings(key, in: fields, of: "host names") else { return ([], []) }
        var located: [Located<HostPattern>] = []
        for text in texts {
            switch HostPattern.parse(text.value) {
            case .success(let host):
                noteNormalised(host, text)
                located.append(Located(value: host, range: text.range))
            case .failure(let fault): reportHost(text, fault)
            }
        }
        let kept = unique(located, place: fields.path(key), rule: .app010, text: \.text)
        if fields.place.isEmpty { checkReach(kept) }
        return (kept.map(\.value), kept.map(\.range))
    }

    private mutating func noteNormalised(_ host: HostPattern, _ text: Located<String>) {
        guard host.text != text.value else { return }
        report(
            .app009, text.range,
            "\(text.value.quoted) is read as \(host.text), which is how clients ask for it",
            edit: SourceEdit(range: text.range, replacement: host.text.jsonQuoted))
    }

    /// What is a host name, and yet not one that phones will verify.
    private mutating func checkReach(_ hosts: [Located<HostPattern>]) {
        let exact = Set(hosts.lazy.map(\.value).filter { !$0.isWildcard }.map(\.name))
        for host in hosts {
            let name = host.value.name
            if host.value.isWildcard, !exact.contains(name) {
                report(
                    .app011, host.range,
                    "Apple and Android fetch the file for \(host.value.text) from \(name), which is not listed",
                    fix: "add \"\(name)\"")
            }
            // `localhost` and the names below it are for trying things out.
            if !name.utf8.contains(UInt8(ascii: ".")), name != "localhost" {
                let reason = host.value.isWildcard ? "covers a whole top-level domain" : "has no dot"
                report(
                    .app012, host.range, "\(host.value.text) \(reason), and phones accept no such name",
                    fix: "use a full domain name")
            }
        }
    }

    private mutating func reportHost(_ text: Located<String>, _ fault: HostPattern.Fault) {
        let (reason, fix) = fault.explained
        report(.app008, text.range, "\(text.value.quoted) is not a host: \(reason)", fix: fix)
    }
}
