// The native side of an association: an app's entitlements on Apple's systems, and its manifest on Android. Both are XML;
// of each, only what the phone reads about associated hosts is looked at.

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
}
