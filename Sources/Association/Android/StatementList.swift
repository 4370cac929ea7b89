// What an assetlinks.json file says: its statements and includes, and which of the three consumers can use which.

public import SourceJSON

/// A statement list.
public struct StatementList: Sendable {
    /// Every entry that is an object and no include, also those that nobody can use.
    public var statements: [Statement]
    /// The URLs of the includes.
    public var includes: [LocatedText]
    /// The consumers that may drop the whole list because of one entry.
    public var endangeredFor: Set<StatementConsumer>
    public var range: SourceRange

    public init(
        statements: [Statement] = [], includes: [LocatedText] = [], endangeredFor: Set<StatementConsumer> = [],
        range: SourceRange
    ) {
        self.statements = statements
        self.includes = includes
        self.endangeredFor = endangeredFor
        self.range = range
    }

    /// The statements that a consumer can use.
    public func statements(for consumer: StatementConsumer) -> [Statement] {
        statements.filter { $0.consumers.contains(consumer) }
    }
}

/// What reading a statement list gave.
public struct StatementReading: Sendable {
    /// Nil where no consumer sees a list.
    public let list: StatementList?
    /// In the order of the text.
    public let findings: [Finding]
}

extension StatementList {
    /// What AOSP reads.
    public static let bytesMax = 1_048_576
    /// Google's limit is not published; from here on it is said.
    static let bytesNear = 262_144

    /// Reads a file as it is served, after any gzip is undone. `file` is its name in the findings; `host` is the host that
    /// serves it, where that is known.
    public static func read(_ bytes: [UInt8], file: String, host: String? = nil) -> StatementReading {
        var findings = FindingList(file: file)
        reportSize(bytes.count, &findings)
        let document = SourceReader.read(bytes, as: .json)
        findings.takeProblems(of: document, as: .statementList)
        let isReadable = !findings.hasErrors
        guard let root = document.value, document.isWorthLinting else {
            return StatementReading(list: nil, findings: findings.sorted)
        }
        var reader = StatementReader(findings: findings, host: host)
        let list = reader.list(root)
        return StatementReading(list: isReadable ? list : nil, findings: reader.findings.sorted)
    }

    private static func reportSize(_ count: Int, _ findings: inout FindingList) {
        guard count > bytesNear else { return }
        let isTooLarge = count > bytesMax
        findings.report(
            "GHST-006", at: nil,
            isTooLarge
                ? "the file has \(count) bytes, more than the \(bytesMax) that AOSP reads; Google's limit is not published"
                : "the file has \(count) bytes; Google's limit is not published, and AOSP refuses more than \(bytesMax)",
            fix: "shorten it; split the apps over several hosts", severity: isTooLarge ? .error : .warning)
    }
}
