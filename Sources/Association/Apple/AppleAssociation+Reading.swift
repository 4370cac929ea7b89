// The door to apple-app-site-association files: bytes in, a model and findings out.

import SourceJSON

extension AppleAssociation {
    /// The decoded bytes that Apple's systems take of a file.
    public static let bytesMax = 131_072
    /// From here on it is said that the limit is near.
    static let bytesNear = 102_400

    /// Reads a file as it is served, after any gzip is undone. `file` is its name in the findings. Leniently read, a file
    /// that no system reads has the content that it was meant to have, as far as that shows.
    public static func read(_ bytes: [UInt8], file: String, leniently: Bool = false) -> AppleReading {
        var findings = FindingList(file: file)
        reportSize(bytes.count, &findings)
        // So far beyond the limit nobody wants to know the rest.
        if bytes.count > 4 * bytesMax {
            return AppleReading(association: nil, findings: findings.sorted, isSigned: false)
        }
        if SignedMessage.isCutOff(bytes) {
            findings.report(
                .aasa001, at: nil, "the file is signed and ends before its signature does, so nothing can read it",
                fix: "upload the whole file")
            return AppleReading(association: nil, findings: findings.sorted, isSigned: true)
        }
        if SignedMessage.isSigned(bytes) {
            findings.report(
                .aasa079, at: nil,
                "the file is signed; only iOS 8 needed that, how Apple's CDN treats it is unknown, and its rules "
                    + "cannot be checked here",
                fix: "serve the plain JSON")
            return AppleReading(association: nil, findings: findings.sorted, isSigned: true)
        }
        let document = SourceReader.read(bytes, as: .json)
        findings.takeProblems(of: document, as: .appleAssociation)
        let isReadable = !findings.hasErrors
        guard let root = document.value, leniently || document.isWorthLinting else {
            return AppleReading(association: nil, findings: findings.sorted, isSigned: false)
        }
        var reader = AppleReader(findings: findings)
        let association = reader.association(root)
        return AppleReading(
            association: isReadable || leniently ? association : nil, findings: reader.findings.sorted, isSigned: false)
    }

    private static func reportSize(_ count: Int, _ findings: inout FindingList) {
        if count > bytesMax {
            findings.report(
                .aasa005, at: nil,
                "the file has \(count) bytes, more than the \(bytesMax) that Apple's systems read; gzip does not raise "
                    + "the limit",
                fix: "merge patterns with wildcards and variables, or split the apps over several hosts")
        } else if count > bytesNear {
            findings.report(
                .aasa006, at: nil,
                "the file has \(count) bytes; from \(bytesMax + 1) on it is refused, and every device downloads it",
                fix: "merge patterns with wildcards and variables")
        }
    }
}
