// The door of the module: bytes of a file in, a document out. It never fails; what is wrong is in the document.

/// Reads JSON and JSON5.
public enum SourceReader {
    /// Reads a file. Any bytes give a document; time and memory are linear in their number.
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
            return document(text.bytes, dialect, limits, text) { scanner in
                let start = scanner.position
                scanner.skipLine()
                scanner.stop(format.kind, from: start, subject: format.name)
            }
        }
        var parser = Parser(text.bytes, dialect: dialect, limits: limits)
        noteEncoding(text, in: &parser.scanner)
        parser.read()
        var problems = parser.scanner.problems
        // Problems of the encoding were found first but may stand anywhere.
        problems.sort { $0.range.start.offset < $1.range.start.offset }
        return SourceDocument(
            value: parser.value, problems: problems, encoding: text.encoding, hasByteOrderMark: text.hasByteOrderMark,
            text: text.bytes)
    }

    private static func noteEncoding(_ text: DecodedText, in scanner: inout Scanner) {
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
        _ bytes: [UInt8], _ dialect: SourceDialect, _ limits: SourceLimits, _ text: DecodedText? = nil,
        reporting report: (inout Scanner) -> Void
    ) -> SourceDocument {
        var scanner = Scanner(bytes, dialect: dialect, limits: limits)
        report(&scanner)
        return SourceDocument(
            value: nil, problems: scanner.problems, encoding: text?.encoding ?? .utf8,
            hasByteOrderMark: text?.hasByteOrderMark ?? false, text: bytes)
    }
}
