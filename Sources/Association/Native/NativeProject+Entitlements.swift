// The domains of an app's entitlements: `service:host`, perhaps with `?mode=`. Xcode's build settings (`$(HOST)`) are filled
// in later and are passed over.

import SourceJSON

extension NativeProject {
    mutating func lintEntitlements() -> [Finding] {
        guard let root = root(for: .ahst021, "no domain is read") else { return findings.sorted }
        let pairs = root.all("dict").flatMap { zip($0.children, $0.children.dropFirst()) }.filter { $0.0.name == "key" }
        let lists = pairs.filter { Self.trimmed($0.0.text).isIdentical(to: Self.domainsKey) }.map(\.1)
        if lists.isEmpty { reportMissingKey(among: pairs.map(\.0), in: root) }
        for value in lists {
            guard value.name == "array" else {
                findings.report(
                    .ahst029, at: range(value.tag), "\(Self.domainsKey) is no array, so the app associates nothing",
                    fix: "write <array> with a <string> for each domain")
                continue
            }
            for entry in value.children where entry.name == "string" {
                lint(domain: Self.trimmed(entry.text), at: range(entry.content))
            }
        }
        return findings.sorted
    }

    private mutating func reportMissingKey(among keys: [XMLElement], in root: XMLElement) {
        let misspelt = keys.first { key in
            let name = Self.trimmed(key.text)
            return name.contains(run: "associated") || NearestKey.find(name, among: [Self.domainsKey]) != nil
        }
        guard let misspelt else {
            return findings.report(
                .ahst029, at: range(root.tag),
                "the entitlements lack \(Self.domainsKey), so the app associates nothing",
                fix: "take over what `associated snippet APP ios` prints")
        }
        findings.report(
            .ahst029, at: range(misspelt.content),
            "the key \(Self.trimmed(misspelt.text).quoted) is none that iOS knows, so the app associates nothing",
            fix: "write \(Self.domainsKey)")
    }

    private static func trimmed(_ text: String) -> String {
        let isSpace = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
        let scalars = text.unicodeScalars.drop(while: isSpace)
        let end = scalars.lastIndex { !isSpace($0) }.map { scalars.index(after: $0) } ?? scalars.startIndex
        return String(scalars[..<end])
    }

    private mutating func lint(domain text: String, at range: SourceRange) {
        guard !text.contains(run: "$(") else { return }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), !text.contains(run: "://") else {
            let what = text.contains(run: "://") ? "has a scheme" : "names no service"
            // The host behind `https://`, and behind `applinks:https://`.
            let slashes = text.split(separator: "/", omittingEmptySubsequences: false)
            let host = text.contains(run: "://") && slashes.count > 2 ? String(slashes[2]) : text
            return findings.report(
                .ahst021, at: range, "\(text.quoted) \(what), so it associates nothing",
                fix: "write applinks:\(Self.hostAlone(host))")
        }
        let service = String(text[..<colon])
        guard AppleReader.services.containsExactly(service) else {
            return report(service: service, of: text, at: range)
        }
        var host = String(text[text.utf8.index(after: colon)...])
        var isForDevelopment = false
        if let mark = host.utf8.firstIndex(of: UInt8(ascii: "?")) {
            let query = String(host[host.utf8.index(after: mark)...])
            host = String(host[..<mark])
            if Self.modes.containsExactly(query) {
                isForDevelopment = query.contains(run: "developer")
                findings.report(
                    .ahst024, at: range, "\(text.quoted) has a mode, which is for development and managed devices",
                    fix: "remove it before the app is submitted")
            } else {
                let mode = NearestKey.find(query, among: Self.modes)
                reportPart("a query", text, mode.map { "\(service):\(host)?\($0)" }, at: range)
            }
        }
        lint(host: host, of: service, text, isForDevelopment: isForDevelopment, at: range)
    }

    /// Apple has services of its own that are no business of association files, so only a near miss is a mistake.
    private mutating func report(service: String, of text: String, at range: SourceRange) {
        guard let nearest = NearestKey.find(service, among: AppleReader.services) else { return }
        findings.report(
            .ahst021, at: range,
            "\(text.quoted) names the unknown service \(service.quoted), so it associates nothing",
            fix: "write \(nearest + text.dropping(firstBytes: service.utf8.count))")
    }

    private static let modes = ["mode=developer", "mode=managed", "mode=developer+managed"]

    /// What stands before a port, a path, a query or a fragment.
    private static func hostAlone(_ text: String) -> String { String(text.prefix { !"/:?#".contains($0) }) }

    /// - Parameter meant: what was meant, where it is not the host alone.
    private mutating func reportPart(_ part: String, _ text: String, _ meant: String? = nil, at range: SourceRange) {
        let parts = text.split(separator: ":", maxSplits: 1)
        let host = parts.count > 1 ? "\(parts[0]):\(Self.hostAlone(String(parts[1])))" : text
        findings.report(
            .ahst021, at: range, "\(text.quoted) has \(part), so it matches no domain", fix: "write \(meant ?? host)")
    }

    private mutating func lint(
        host written: String, of service: String, _ text: String, isForDevelopment: Bool, at range: SourceRange
    ) {
        var host = written
        if let slash = host.utf8.firstIndex(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "#") }) {
            let isLast = host.utf8.index(after: slash) == host.utf8.endIndex
            reportPart(isLast ? "a slash at the end" : "a path", text, at: range)
            host = String(host[..<slash])
        }
        if !host.begins(with: "["), let colon = host.utf8.firstIndex(of: UInt8(ascii: ":")) {
            reportPart("a port", text, at: range)
            host = String(host[..<colon])
        }
        if host.begins(with: "*."), service == "appclips" {
            findings.report(
                .ahst023, at: range, "\(text.quoted) has a wildcard, which App Clips do not support",
                fix: "list the hosts")
        }
        if let fault = fault(of: host, isForDevelopment: isForDevelopment) {
            findings.report(.ahst025, at: range, "\(text.quoted) is refused: \(fault.reason)", fix: fault.fix)
        } else if case .success(let pattern) = HostPattern.parse(host), !isForDevelopment {
            compare(pattern, rule: .ahst028, at: range)
        }
    }

    /// Why a host cannot be associated.
    private func fault(of host: String, isForDevelopment: Bool) -> (reason: String, fix: String)? {
        switch host.begins(with: "[") ? .failure(.isAddress) : HostPattern.parse(host) {
        case .failure(let fault): return fault.explained
        case .success(let pattern):
            if !host.utf8.allSatisfy({ $0 < 0x80 }) {
                return ("hosts are compared in their ASCII form, and it is not", "write \(pattern.text)")
            }
            if !pattern.name.contains(run: "."), !(isForDevelopment && pattern.name == "localhost") {
                return ("it has no dot", "write a full host name")
            }
            return nil
        }
    }
}
