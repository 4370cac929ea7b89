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
        let kept = unique(located, place: fields.path(key), rule: .duplicateHost, text: \.text)
        if fields.place.isEmpty { checkReach(kept) }
        return (kept.map(\.value), kept.map(\.range))
    }

    private mutating func noteNormalised(_ host: HostPattern, _ text: Located<String>) {
        guard host.text != text.value else { return }
        report(
            .hostNormalised, text.range,
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
                    .wildcardWithoutParent, host.range,
                    "Apple and Android fetch the file for \(host.value.text) from \(name), which is not listed",
                    fix: "add \"\(name)\"")
            }
            // `localhost` and the names below it are for trying things out.
            if !name.utf8.contains(UInt8(ascii: ".")), name != "localhost" {
                let reason = host.value.isWildcard ? "covers a whole top-level domain" : "has no dot"
                report(
                    .hostWithoutDot, host.range, "\(host.value.text) \(reason), and phones accept no such name",
                    fix: "use a full domain name")
            }
        }
    }

    private mutating func reportHost(_ text: Located<String>, _ fault: HostPattern.Fault) {
        let (reason, fix) = fault.explained
        report(.badHost, text.range, "\(text.value.quoted) is not a host: \(reason)", fix: fix)
    }
}

extension HostPattern.Fault {
    /// Why it is no host, and what to write.
    var explained: (reason: String, fix: String) {
        switch self {
        case .empty: ("it is empty", "remove it")
        case .hasScheme: ("it has a scheme", "leave out https:// and anything after the name")
        case .hasPort: ("it has a port, and the files are only ever fetched from port 443", "leave out the port")
        case .hasPath: ("it has a path", "leave out everything from the first slash")
        case .isAddress: ("it is an address, and phones verify names only", "use a domain name")
        case .bareWildcard: ("it would be every name there is", "name a domain, such as *.example.com")
        case .wildcardInside: ("a * stands only at the front, before a dot", "write *.example.com, or list the names")
        case .emptyLabel: ("there is nothing between two of its dots", "remove the extra dot")
        case .labelTooLong(let label): ("\(label.quoted) is longer than the 63 bytes of a label", "shorten it")
        case .tooLong: ("it is longer than the 253 bytes of a name", "shorten it")
        case .hyphenAtEdge(let label): ("\"\(label)\" begins or ends with a hyphen", "remove the hyphen")
        case .character(let scalar): ("\(scalar.spokenName) cannot stand in a name", "use letters, digits and hyphens")
        case .unsureCharacter(let scalar):
            (
                "\(scalar.spokenName) can be normalised in more than one way",
                "write the label in its Punycode form, xn--…"
            )
        case .notPunycode(let label): ("\"\(label)\" is not proper Punycode", "encode the label again")
        }
    }
}

extension Unicode.Scalar {
    /// The character and its code point, visible even when the character is not.
    var spokenName: String {
        let hex = String(value, radix: 16, uppercase: true)
        let code = "U+" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
        let isVisible = value > 0x20 && properties.generalCategory != .control && properties.generalCategory != .format
        return isVisible ? "\"\(self)\" (\(code))" : code
    }
}
