// The entry point of the module: from the bytes of a file to a document. It never fails; all problems are in the document.

/// Reads JSON and JSON5.
public enum SourceReader {
    /// Reads a file. Any bytes result in a document; time and memory are linear in their number.
    public static func read(
        _ bytes: [UInt8], as dialect: SourceDialect, limits: SourceLimits = .standard
    ) -> SourceDocument {
        if bytes.count > limits.bytes {
            return document([], dialect, limits) { $0.stop(.tooLarge, at: .start, subject: "\(limits.bytes)") }
        }
        if let format = ForeignFormat(binary: bytes) {
            return document([], dialect, limits) { $0.stop(format.kind, at: .start, subject: format.name) }
        }
        let text = DecodedText(bytes, problemsMax: limits.problems)
        if let format = ForeignFormat(text: text.bytes) {
            return document(text.bytes, dialect, limits) { scanner in
                let start = scanner.position
                scanner.skipLine()
                scanner.stop(format.kind, from: start, subject: format.name)
            }
        }
        var parser = Parser(text.bytes, dialect: dialect, limits: limits)
        reportEncoding(text, in: &parser.scanner)
        parser.read()
        var problems = parser.scanner.problems
        // Problems of the encoding are found first but may be anywhere in the text.
        problems.sort { $0.range.start.offset < $1.range.start.offset }
        return SourceDocument(value: parser.value, problems: problems, text: text.bytes)
    }

    private static func reportEncoding(_ text: DecodedText, in scanner: inout Scanner) {
        if text.hasByteOrderMark {
            scanner.report(.byteOrderMark, at: .none, subject: text.encoding.rawValue)
        }
        if text.encoding != .utf8 {
            scanner.report(.otherEncoding, at: .none, subject: text.encoding.rawValue)
        }
        for offset in text.replacements {
            scanner.advance(to: offset)
            let start = scanner.position
            scanner.advance()
            scanner.report(.invalidEncoding, from: start, subject: text.encoding.rawValue)
        }
        scanner.rewind(to: .start)
    }

    /// A document without a value.
    private static func document(
        _ bytes: [UInt8], _ dialect: SourceDialect, _ limits: SourceLimits, reporting report: (inout Scanner) -> Void
    ) -> SourceDocument {
        var scanner = Scanner(bytes, dialect: dialect, limits: limits)
        report(&scanner)
        return SourceDocument(value: nil, problems: scanner.problems, text: bytes)
    }
}

/// The language that a text is read as.
public enum SourceDialect: String, Hashable, Sendable, CaseIterable {
    /// RFC 8259: what phones and verifiers read.
    case json
    /// JSON5 (spec.json5.org, version 1.0.0): what people may write in app files and settings.
    case json5
}

/// The limits of reading. RFC 8259 §9 allows limits on size, depth and the length of numbers; exceeding one is a problem
/// like any other.
public struct SourceLimits: Hashable, Sendable {
    /// Levels of nesting. A value is destroyed recursively, so depth needs stack; real files have about eight levels.
    public var depth: Int { didSet { depth = Self.clampedDepth(depth) } }
    /// Bytes of the file, before decoding. Apple reads 128 KiB; no association file is near this limit.
    public var bytes: Int { didSet { bytes = Self.clampedBytes(bytes) } }
    /// Bytes of one number. The time to convert a number grows with its length.
    public var numberBytes: Int
    /// Values in the text. Each takes about a hundred bytes of memory and half a microsecond, but its source may be two bytes.
    /// An app file at its limits (10,000 hosts, app ids and rules) has about 100,000; the largest association file found in use
    /// has 2,869.
    public var values: Int
    /// Problems recorded. More are of no use to a reader, and a hostile text could have millions.
    public var problems: Int

    /// The greatest depth that can be set: a thread with 512 KiB of stack can destroy such a value.
    public static let depthMax = 1_024

    public static let standard = SourceLimits()

    public init(
        depth: Int = 512, bytes: Int = 16 * 1_024 * 1_024, numberBytes: Int = 1_000, values: Int = 200_000,
        problems: Int = 100
    ) {
        self.depth = Self.clampedDepth(depth)
        self.bytes = Self.clampedBytes(bytes)
        (self.numberBytes, self.values) = (numberBytes, values)
        self.problems = max(1, problems)
    }

    /// Offsets have 32 bits, and decoding can double the bytes.
    private static func clampedBytes(_ bytes: Int) -> Int { min(max(0, bytes), 1 << 30) }

    private static func clampedDepth(_ depth: Int) -> Int { min(max(0, depth), depthMax) }
}
