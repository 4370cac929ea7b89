// Checks the associated domains in an app's entitlements, such as `applinks:shop.example.org`.

import Association
import SourceJSON

/// Lints an entitlements file.
struct EntitlementsCheck {
    var file: NativeFile
    /// The hosts that the entitlements name, by service.
    private var named: [String: [HostPattern]] = [:]

    init(file: NativeFile) { self.file = file }

    static let domainsKey = "com.apple.developer.associated-domains"
    private static let modes = ["mode=developer", "mode=managed", "mode=developer+managed"]

    mutating func run() -> [Finding] {
        guard let root = file.root(for: .ahst021, "iOS reads no domain") else { return file.findings.sorted }
        let pairs = root.all("dict").flatMap { zip($0.children, $0.children.dropFirst()) }.filter { $0.0.name == "key" }
        let lists = pairs.filter { Self.trimmed($0.0.text).isIdentical(to: Self.domainsKey) }.map(\.1)
        if lists.isEmpty { reportMissingKey(among: pairs.map(\.0), in: root) }
        for value in lists {
            guard value.name == "array" else {
                file.findings.report(
                    .ahst029, at: file.range(value.tag),
                    "\(Self.domainsKey) is not an array, so iOS associates no domain with the app",
                    fix: "write <array> with a <string> for each domain")
                continue
            }
            for entry in value.children where entry.name == "string" {
                lint(domain: Self.trimmed(entry.text), at: file.range(entry.content))
            }
        }
        if let range = lists.first.map({ file.range($0.tag) }) { reportMissingHosts(at: range) }
        return file.findings.sorted
    }

    /// Reports hosts that the app file has and the entitlements do not, the classic cause of dead links. Of services other than links,
    /// which an app file has by default, only those that the entitlements use.
    private mutating func reportMissingHosts(at range: SourceRange) {
        let all = named.values.flatMap(\.self)
        guard let app = file.ownApp(sharing: all, isOfPlatform: { $0.ios != nil }), let ios = app.ios else { return }
        for service in ios.services.map(\.rawValue).sorted() where service == "applinks" || named[service] != nil {
            for host in file.lacking(app, in: named[service] ?? []) {
                let outcome =
                    service == "applinks" ? "iOS opens no link to it in the app" : "iOS does not use \(service) with it"
                file.findings.report(
                    .ahst028, at: range,
                    "the entitlements lack \("\(service):\(host.text)".quoted), a host of \(app.file), so \(outcome)",
                    fix: "add it, or remove the host from the app file")
            }
        }
    }

    private mutating func reportMissingKey(among keys: [XMLElement], in root: XMLElement) {
        let misspelled = keys.first { key in
            let name = Self.trimmed(key.text)
            return name.contains(run: "associated") || NearestKey.find(name, among: [Self.domainsKey]) != nil
        }
        guard let misspelled else {
            return file.findings.report(
                .ahst029, at: file.range(root.tag),
                "the entitlements lack \(Self.domainsKey), so iOS associates no domain with the app",
                fix: "copy what `associated snippet APP ios` prints")
        }
        file.findings.report(
            .ahst029, at: file.range(misspelled.content),
            "iOS does not know the key \(Self.trimmed(misspelled.text).quoted), so it associates no domain with the app",
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
            // The host after `https://` or `applinks:https://`.
            let slashes = text.split(separator: "/", omittingEmptySubsequences: false)
            let host = text.contains(run: "://") && slashes.count > 2 ? String(slashes[2]) : text
            return file.findings.report(
                .ahst021, at: range, "\(text.quoted) \(what), so iOS associates nothing with it",
                fix: "write applinks:\(Self.hostAlone(host))")
        }
        let service = String(text[..<colon])
        guard AppleAssociation.services.containsExactly(service) else {
            return report(service: service, of: text, at: range)
        }
        var host = String(text[text.utf8.index(after: colon)...])
        var isForDevelopment = false
        if let mark = host.utf8.firstIndex(of: UInt8(ascii: "?")) {
            let query = String(host[host.utf8.index(after: mark)...])
            host = String(host[..<mark])
            if Self.modes.containsExactly(query) {
                isForDevelopment = query.contains(run: "developer")
                file.findings.report(
                    .ahst024, at: range, "\(text.quoted) has a mode, which is only for development and managed devices",
                    fix: "remove the mode before you submit the app")
            } else {
                let mode = NearestKey.find(query, among: Self.modes)
                report(part: "a query", of: text, meant: mode.map { "\(service):\(host)?\($0)" }, at: range)
            }
        }
        lint(host: host, of: service, text, isForDevelopment: isForDevelopment, at: range)
    }

    /// Apple has services that have nothing to do with association files, so only a similar name is reported.
    private mutating func report(service: String, of text: String, at range: SourceRange) {
        guard let nearest = NearestKey.find(service, among: AppleAssociation.services) else { return }
        file.findings.report(
            .ahst021, at: range,
            "\(text.quoted) names the unknown service \(service.quoted), so iOS associates nothing with it",
            fix: "write \(nearest + text.dropping(firstBytes: service.utf8.count))")
    }

    /// The text before a port, a path, a query or a fragment.
    private static func hostAlone(_ text: String) -> String { String(text.prefix { !"/:?#".contains($0) }) }

    /// - Parameter meant: the probable intention, if it is not the host alone.
    private mutating func report(part: String, of text: String, meant: String? = nil, at range: SourceRange) {
        let parts = text.split(separator: ":", maxSplits: 1)
        let host = parts.count > 1 ? "\(parts[0]):\(Self.hostAlone(String(parts[1])))" : text
        file.findings.report(
            .ahst021, at: range, "\(text.quoted) has \(part), so it matches no domain", fix: "write \(meant ?? host)")
    }

    private mutating func lint(
        host written: String, of service: String, _ text: String, isForDevelopment: Bool, at range: SourceRange
    ) {
        var host = written
        if let slash = host.utf8.firstIndex(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "#") }) {
            let isLast = host.utf8.index(after: slash) == host.utf8.endIndex
            report(part: isLast ? "a trailing slash" : "a path", of: text, at: range)
            host = String(host[..<slash])
        }
        if !host.begins(with: "["), let colon = host.utf8.firstIndex(of: UInt8(ascii: ":")) {
            report(part: "a port", of: text, at: range)
            host = String(host[..<colon])
        }
        if host.begins(with: "*."), service == "appclips" {
            file.findings.report(
                .ahst023, at: range, "\(text.quoted) has a wildcard, which App Clips do not support",
                fix: "list each host")
        }
        if let fault = Self.fault(of: host, isForDevelopment: isForDevelopment) {
            file.findings.report(.ahst025, at: range, "iOS rejects \(text.quoted): \(fault.reason)", fix: fault.fix)
        } else if case .success(let pattern) = HostPattern.parse(host) {
            named[service, default: []].append(pattern)
            if isForDevelopment { return }
            file.compare(pattern, rule: .ahst028, at: range)
        }
    }

    /// Why iOS rejects a host.
    private static func fault(of host: String, isForDevelopment: Bool) -> (reason: String, fix: String)? {
        switch host.begins(with: "[") ? .failure(.isAddress) : HostPattern.parse(host) {
        case .failure(let fault): return fault.explained
        case .success(let pattern):
            if !host.utf8.allSatisfy({ $0 < 0x80 }) {
                return ("the host is not in ASCII form", "write \(pattern.text)")
            }
            if !pattern.name.contains(run: "."), !(isForDevelopment && pattern.name == "localhost") {
                return ("the host has no dot", "write a full host name")
            }
            return nil
        }
    }
}
