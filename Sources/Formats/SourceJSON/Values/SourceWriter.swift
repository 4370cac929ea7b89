// Values to text: strict JSON in UTF-8 without a byte order mark, with members in the given order. Escaped is what JSON requires,
// and what controls a terminal or the direction of text: the text goes to terminals and reviews too. It has its own stack, so deep
// values need no stack of the thread.

/// Writes values as JSON.
public enum SourceWriter {
    /// The form for people and files: two spaces of indentation, one element on each line, a line feed at the end.
    public static func canonical(_ value: SourceValue) -> [UInt8] {
        var text = Output(isIndented: true)
        text.write(value)
        text.bytes.append(Byte.lineFeed)
        return text.bytes
    }

    /// The form for people in one line: a space after each comma and colon, and inside the braces of an object.
    public static func line(_ value: SourceValue) -> String {
        var text = Output(isIndented: false, isSpaced: true)
        text.write(value)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// The shortest form: no white space at all.
    public static func minified(_ value: SourceValue) -> [UInt8] {
        var text = Output(isIndented: false)
        text.write(value)
        return text.bytes
    }

    /// A string as a JSON string, with its quotation marks.
    public static func quoted(_ string: String) -> String {
        var bytes: [UInt8] = []
        append(quoted: string, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The same, appended to a buffer, for callers that write many strings.
    public static func append(quoted string: String, to bytes: inout [UInt8]) {
        bytes.append(Byte.quote)
        let start = bytes.count
        bytes.append(contentsOf: string.utf8)
        // Few strings have anything to escape.
        if bytes[start...].contains(where: mayBeEscaped) {
            bytes.removeSubrange(start...)
            for scalar in string.unicodeScalars { bytes.append(contentsOf: escaped(scalar).utf8) }
        }
        bytes.append(Byte.quote)
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        if let byte = UInt8(exactly: scalar.value), byte < 0x7F { return Scanner.escape(byte) }
        return Printable.isControl(scalar) ? Scanner.unicodeEscape(scalar.value) : String(scalar)
    }

    /// Whether a byte is escaped, or begins a scalar that may be.
    private static func mayBeEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == Byte.quote || byte == Byte.backslash || byte == 0x7F || byte == 0xC2 || byte == 0xD8
            || byte == 0xE2
    }

    /// The text written so far.
    private struct Output {
        /// An open container, and the index of its next element.
        private enum Open {
            case array([SourceValue], next: Int)
            case object([SourceMember], next: Int)
        }

        var bytes: [UInt8] = []
        let isIndented: Bool
        let isSpaced: Bool
        private var open: [Open] = []

        init(isIndented: Bool, isSpaced: Bool = false) { (self.isIndented, self.isSpaced) = (isIndented, isSpaced) }

        mutating func write(_ value: SourceValue) {
            begin(value)
            while let container = open.popLast() {
                switch container {
                case .array(let elements, let next):
                    guard next < elements.count else {
                        end(Byte.closeBracket, isEmpty: elements.isEmpty)
                        continue
                    }
                    open.append(.array(elements, next: next + 1))
                    separate(isFirst: next == 0)
                    begin(elements[next])
                case .object(let members, let next):
                    guard next < members.count else {
                        if isSpaced, !members.isEmpty { bytes.append(Byte.space) }
                        end(Byte.closeBrace, isEmpty: members.isEmpty)
                        continue
                    }
                    open.append(.object(members, next: next + 1))
                    separate(isFirst: next == 0)
                    if isSpaced, next == 0 { bytes.append(Byte.space) }
                    write(members[next].key)
                    bytes.append(Byte.colon)
                    if isIndented || isSpaced { bytes.append(Byte.space) }
                    begin(members[next].value)
                }
            }
        }

        /// Writes a scalar whole, and of a container its opening bracket.
        private mutating func begin(_ value: SourceValue) {
            switch value.kind {
            case .null: bytes.append(contentsOf: "null".utf8)
            case .bool(let bool): bytes.append(contentsOf: (bool ? "true" : "false").utf8)
            case .number(let number): bytes.append(contentsOf: number.canonicalText.utf8)
            case .string(let string): write(string)
            case .array(let elements):
                bytes.append(Byte.openBracket)
                open.append(.array(elements, next: 0))
            case .object(let members):
                bytes.append(Byte.openBrace)
                open.append(.object(members, next: 0))
            }
        }

        private mutating func separate(isFirst: Bool) {
            if !isFirst { bytes.append(Byte.comma) }
            if isSpaced, !isFirst { bytes.append(Byte.space) }
            breakLine()
        }

        private mutating func end(_ bracket: UInt8, isEmpty: Bool) {
            if !isEmpty { breakLine() }
            bytes.append(bracket)
        }

        private mutating func breakLine() {
            guard isIndented else { return }
            bytes.append(Byte.lineFeed)
            bytes.append(contentsOf: repeatElement(Byte.space, count: 2 * open.count))
        }

        mutating func write(_ string: String) { SourceWriter.append(quoted: string, to: &bytes) }
    }
}
