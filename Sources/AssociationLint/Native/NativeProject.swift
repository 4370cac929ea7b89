// The native side of an association: an app's entitlements on Apple's systems, and its manifest on Android. Both are XML;
// of each, only what the phone reads about associated hosts is looked at.

import Association
import SourceJSON

/// Lints one file of a native project.
struct NativeProject {
    var findings: FindingList
    /// The hosts of the app files that the project belongs to, where those are known.
    var appHosts: [HostPattern]?
    private let bytes: [UInt8]
    /// Where lines begin.
    private let lines: [Int]

    /// What the entitlement is called, and what manifests begin with.
    static let domainsKey = "com.apple.developer.associated-domains"
    private static let manifestTag = "<manifest"

    init(_ bytes: [UInt8], file: String) {
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let text = Array(bytes[start...])
        lines = [0] + text.indices.filter { text[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
        self.bytes = text
        findings = FindingList(file: file)
    }

    /// The kind of a text that begins with a tag; nil where it is none of a native project.
    static func recognise(_ bytes: [UInt8]) -> DocumentKind? {
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let first = bytes[start...].first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard first == UInt8(ascii: "<") else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        if text.contains(run: domainsKey) { return .entitlements }
        return text.contains(run: manifestTag) ? .androidManifest : nil
    }

    /// Reports a host that no app file has, and which nothing is served for then.
    mutating func compare(_ host: HostPattern, rule: RuleID, at range: SourceRange) {
        guard let appHosts, !appHosts.contains(where: { $0 == host || (!host.isWildcard && $0.matches(host.name)) })
        else { return }
        findings.report(
            rule, at: range, "no app file has the host \(host.text.quoted)", fix: "add it to `hosts`, or remove it here"
        )
    }

    /// The outermost element; reports a text that has none.
    mutating func root(for rule: RuleID, _ consequence: String) -> XMLElement? {
        do throws(XMLReader.Fault) {
            return try XMLReader.root(of: bytes)
        } catch {
            findings.report(
                rule, at: range(error.offset..<error.offset),
                "the file is no well-formed XML: \(error.reason), so \(consequence)", fix: "mend the XML",
                severity: .error)
            return nil
        }
    }

    func range(_ offsets: Range<Int>) -> SourceRange {
        SourceRange(start: position(offsets.lowerBound), end: position(offsets.upperBound))
    }

    private func position(_ offset: Int) -> SourcePosition {
        var (low, high) = (0, lines.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lines[middle] <= offset { low = middle } else { high = middle }
        }
        let start = lines[low]
        let column = bytes[start..<max(start, min(offset, bytes.count))].count { $0 & 0xC0 != 0x80 }
        return SourcePosition(line: low + 1, column: column + 1, offset: offset)
    }

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
        guard let nearest = NearestKey.find(service, among: AppleAssociation.services) else { return }
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
