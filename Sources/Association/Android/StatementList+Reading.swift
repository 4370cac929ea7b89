// The door to assetlinks.json files: bytes in, a model and findings out.

import SourceJSON

extension StatementList {
    /// What AOSP reads.
    public static let bytesMax = 1_048_576
    /// Google's limit is not published; from here on it is said.
    static let bytesNear = 262_144

    /// Reads a file as it is served, after any gzip is undone. `file` is its name in the findings; `host` is the host
    /// that serves it, where that is known. Leniently read, a file that no system reads has the content that it was meant
    /// to have, as far as that shows.
    public static func read(
        _ bytes: [UInt8], file: String, host: String? = nil, leniently: Bool = false
    ) -> StatementReading {
        var findings = FindingList(file: file)
        reportSize(bytes.count, &findings)
        // So far beyond the limit nobody wants to know the rest.
        if bytes.count > 4 * bytesMax { return StatementReading(list: nil, findings: findings.sorted) }
        let document = SourceReader.read(bytes, as: .json)
        findings.takeProblems(of: document, as: .statementList)
        let isReadable = document.isAcceptable
        guard let root = document.value, leniently || document.isWorthLinting else {
            return StatementReading(list: nil, findings: findings.sorted)
        }
        var reader = StatementReader(findings: findings, host: host)
        let list = reader.list(root)
        return StatementReading(list: isReadable || leniently ? list : nil, findings: reader.findings.sorted)
    }

    private static func reportSize(_ count: Int, _ findings: inout FindingList) {
        guard count > bytesNear else { return }
        let isTooLarge = count > bytesMax
        findings.report(
            .ghst006, at: nil,
            isTooLarge
                ? "the file has \(count) bytes, more than the \(bytesMax) that AOSP reads; Google's limit is not "
                    + "published"
                : "the file has \(count) bytes; Google's limit is not published, and AOSP refuses more than "
                    + "\(bytesMax)",
            fix: "shorten it; split the apps over several hosts", severity: isTooLarge ? .error : .warning)
    }
}
