// A file of the native project: an app's entitlements on Apple's systems, or its manifest on Android. Both are XML. The
// checks of the two read only what a phone reads about associated hosts.

import Association
import SourceJSON

/// An XML file with the findings about it.
struct NativeFile {
    var findings: FindingList
    private let bytes: [UInt8]
    /// The offsets at which lines begin.
    private let lines: [Int]
    /// The app files, one of which belongs to the project, in all environments; nil if they are not known.
    private let appFiles: [AppFile]?

    init(_ bytes: [UInt8], file: String, appFiles: [AppFile]? = nil) {
        let text = Array(bytes[Self.start(of: bytes)...])
        lines = [0] + text.indices.filter { text[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
        (self.bytes, self.appFiles) = (text, appFiles)
        findings = FindingList(file: file)
    }

    /// The offset after a byte order mark.
    private static func start(of bytes: [UInt8]) -> Int { bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }

    /// The kind of a text that begins with a tag; nil if it is not a file of a native project.
    static func recognise(_ bytes: [UInt8]) -> DocumentKind? {
        let first = bytes[start(of: bytes)...].first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard first == UInt8(ascii: "<") else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        if text.contains(run: EntitlementsCheck.domainsKey) { return .entitlements }
        return text.contains(run: "<manifest") ? .androidManifest : nil
    }

    /// The outermost element. Reports a text that is not well-formed.
    mutating func root(for rule: RuleID, _ consequence: String) -> XMLElement? {
        do throws(XMLReader.Fault) {
            return try XMLReader.root(of: bytes)
        } catch {
            findings.report(
                rule, at: range(error.offset..<error.offset),
                "the file is not well-formed XML: \(error.reason), so \(consequence)", fix: "correct the XML",
                severity: .error)
            return nil
        }
    }

    /// Reports a host that no app file has.
    mutating func compare(_ host: HostPattern, rule: RuleID, at range: SourceRange) {
        guard let appFiles, !appFiles.contains(where: { NativeFile.covers($0.hosts, host) }) else { return }
        findings.report(
            rule, at: range, "no app file has the host \(host.text.quoted), so nothing is served for the app there",
            fix: "add it to `hosts`, or remove it here")
    }

    private static func covers(_ patterns: [HostPattern], _ host: HostPattern) -> Bool {
        patterns.contains { $0 == host || (!host.isWildcard && $0.matches(host.name)) }
    }

    /// The app file of the project, in the environment that fits best: the one that shares most hosts with it. If none shares any, the
    /// only app file of the platform, or nil.
    func ownApp(sharing named: [HostPattern], isOfPlatform: (AppFile) -> Bool) -> AppFile? {
        func lacking(_ app: AppFile) -> Int { app.hosts.count { !NativeFile.covers(named, $0) } }
        func isBetter(_ app: AppFile, _ best: AppFile) -> Bool {
            // An app file with all its hosts in the project is that of the project, even if another one shares more.
            let (left, right) = (lacking(app), lacking(best))
            if (left == 0) != (right == 0) { return left == 0 }
            return app.hosts.count - left > best.hosts.count - right
        }
        let apps = (appFiles ?? []).filter(isOfPlatform)
        let sharing = apps.filter { $0.hosts.contains { NativeFile.covers(named, $0) } }
        if sharing.isEmpty { return apps.allSatisfy { $0.file == apps[0].file } ? apps.first : nil }
        return sharing.reduce(nil) { best, app in best.map { isBetter(app, $0) ? app : $0 } ?? app }
    }

    private static let lackingMax = 5

    /// The first hosts of an app file that the project does not name.
    func lacking(_ app: AppFile, in named: [HostPattern]) -> [HostPattern] {
        Array(app.hosts.filter { !NativeFile.covers(named, $0) }.prefix(NativeFile.lackingMax))
    }

    func range(_ offsets: Range<Int>) -> SourceRange {
        SourceRange(start: position(offsets.lowerBound), end: position(offsets.upperBound))
    }

    private func position(_ offset: Int) -> SourcePosition {
        let line = lines.firstIndexInSorted { $0 > offset }
        let start = lines[line - 1]
        let column = bytes[start..<max(start, min(offset, bytes.count))].count { $0 & 0xC0 != 0x80 }
        return SourcePosition(line: line, column: column + 1, offset: offset)
    }
}
