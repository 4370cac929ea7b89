// Gives every byte of a Swift source its kind. Knows nested comments, raw and multi-line strings, interpolation and
// names in backticks; does not know regular expression literals, which this project does not use.

/// Walks over the bytes once; `kinds` is the result.
struct Lexer {
    enum Kind: UInt8 { case code, comment, literal }

    /// What surrounds the present byte. The stack of these is as deep as interpolations are nested.
    private enum Mode {
        case code(openParentheses: Int)
        case string(hashes: Int, quotes: Int)
    }

    /// The bytes at which, in code, something else may begin or end.
    private static let opens = (UInt8.min...UInt8.max).map { "/`#\"()".utf8.contains($0) }

    private let bytes: [UInt8]
    private var kinds: [Kind]
    private var index = 0
    private var modes = [Mode.code(openParentheses: 0)]

    init(_ text: String) {
        bytes = Array(text.utf8)
        kinds = Array(repeating: .code, count: bytes.count)
    }

    mutating func run() {
        while index < bytes.count {
            switch modes[modes.count - 1] {
            case .code(let open): readCode(openParentheses: open)
            case .string(let hashes, let quotes): readString(hashes: hashes, quotes: quotes)
            }
        }
    }

    /// The text with everything blank that is not wanted, line by line.
    func lines(where isWanted: (Kind) -> Bool) -> [String] {
        let visible = zip(bytes, kinds).map { $0 == UInt8(ascii: "\n") || isWanted($1) ? $0 : UInt8(ascii: " ") }
        return String(decoding: visible, as: UTF8.self).linesByLineFeed
    }

    private mutating func readCode(openParentheses: Int) {
        if !Self.opens[Int(bytes[index])] {
            take(.code, 1)
        } else if starts(with: "//") {
            take(.comment, upTo: "\n")
        } else if starts(with: "/*") {
            takeBlockComment()
        } else if starts(with: "`") {
            take(.literal, 1)
            take(.literal, upTo: "`")
            take(.literal, 1)
        } else if let opening = stringOpening() {
            take(.literal, opening.hashes + opening.quotes)
            modes.append(.string(hashes: opening.hashes, quotes: opening.quotes))
        } else {
            readParenthesis(openParentheses: openParentheses)
        }
    }

    /// A closing parenthesis too many ends an interpolation.
    private mutating func readParenthesis(openParentheses: Int) {
        if starts(with: "(") {
            modes[modes.count - 1] = .code(openParentheses: openParentheses + 1)
        } else if starts(with: ")") {
            if openParentheses == 0, modes.count > 1 {
                modes.removeLast()
            } else {
                modes[modes.count - 1] = .code(openParentheses: max(0, openParentheses - 1))
            }
        }
        take(.code, 1)
    }

    private mutating func readString(hashes: Int, quotes: Int) {
        let fence = String(repeating: "#", count: hashes)
        if starts(with: "\\" + fence + "(") {
            take(.literal, hashes + 1)
            take(.code, 1)
            modes.append(.code(openParentheses: 0))
        } else if starts(with: "\\" + fence) {
            take(.literal, hashes + 2)
        } else if starts(with: String(repeating: "\"", count: quotes) + fence) {
            take(.literal, quotes + hashes)
            modes.removeLast()
        } else {
            take(.literal, 1)
        }
    }

    private mutating func takeBlockComment() {
        var depth = 0
        repeat {
            if starts(with: "/*") { depth += 1 }
            if starts(with: "*/") { depth -= 1 }
            take(.comment, starts(with: "/*") || starts(with: "*/") ? 2 : 1)
        } while depth > 0 && index < bytes.count
    }

    private func stringOpening() -> (hashes: Int, quotes: Int)? {
        let hashes = bytes[index...].prefix { $0 == UInt8(ascii: "#") }.count
        let quotes = bytes[(index + hashes)...].prefix { $0 == UInt8(ascii: "\"") }.count
        return quotes == 0 ? nil : (hashes, quotes >= 3 ? 3 : 1)
    }

    private func starts(with text: String) -> Bool { bytes[index...].starts(with: text.utf8) }

    private mutating func take(_ kind: Kind, _ count: Int) {
        for _ in 0..<min(count, bytes.count - index) {
            kinds[index] = kind
            index += 1
        }
    }

    private mutating func take(_ kind: Kind, upTo end: Character) {
        while index < bytes.count, bytes[index] != end.asciiValue { take(kind, 1) }
    }
}
