// The letters that a search tries. To prove something about all URLs, it tries *every* letter that a text can contain. To
// find a witness that is a usual URL, it tries only *ordinary* letters. Of letters that no pattern distinguishes, only one
// is tried: the one that reads best.

import Association
import SourceJSON

/// A piece of a URL, by the letters that it can contain.
enum Piece: Sendable {
    case path, query, fragment
    /// The text after the `=` of a query parameter, and the whole parameter.
    case itemValue, item

    /// The characters that end the piece.
    var delimiters: [UInt8] {
        switch self {
        case .path: Array("?#".utf8)
        case .query: Array("#".utf8)
        case .itemValue, .item: Array("#&".utf8)
        case .fragment: []
        }
    }
}

/// Builds the letters for a search.
enum Alphabet {
    /// The characters that read best come first, because witnesses use the first of equivalent letters.
    private static let preferred = Array(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_~!$'(),:@/=.;+&?*".utf8)

    /// Every letter of an encoded text, including texts that are not well-formed.
    static func everyEncodedLetter(of piece: Piece) -> [Letter] {
        let printable = (UInt8(0x21)...0x7E).filter { !piece.delimiters.contains($0) }
        return (preferred.filter(printable.contains) + printable.filter { !preferred.contains($0) }).map { Letter($0) }
    }

    /// Every letter of a decoded text that patterns can distinguish: the scalars that patterns mention, those that fold to
    /// them, and one that represents all others.
    static func everyDecodedLetter(mentioned: Set<UInt32>, folds: Bool) -> [Letter] {
        var values = Set((0..<0x80).map(UInt32.init)).union(mentioned)
        if folds { values.formUnion(mentioned.flatMap { FoldTable.foldingTo[$0] ?? [] }) }
        // A private-use scalar, which folds to itself.
        var unmentioned: UInt32 = 0xE000
        while values.contains(unmentioned) { unmentioned += 1 }
        let sorted = values.sorted()
        let first = preferred.map(UInt32.init)
        let ordered = first.filter(values.contains) + sorted.filter { !first.contains($0) }
        return (ordered + [unmentioned]).map { Letter(spelling: $0 < 0x80 ? [UInt8($0)] : [], value: $0) }
    }

    /// The letters of ordinary URLs that need no escape. Without a raw `*`, and without `+` in a query, which systems read
    /// differently.
    static func plainLetters(of piece: Piece) -> [Letter] {
        preferred.filter { byte in
            switch byte {
            case UInt8(ascii: "*"): false
            case UInt8(ascii: "+"): piece == .path || piece == .fragment
            case UInt8(ascii: "&"), UInt8(ascii: ";"): piece != .itemValue && piece != .item
            case UInt8(ascii: "?"): piece != .path
            default: !piece.delimiters.contains(byte)
            }
        }.map { Letter($0) }
    }

    /// The letters of ordinary URLs: unescaped where possible, otherwise escaped in upper case, and the escapes of the
    /// patterns as they are written. A few scalars represent all others that are not ASCII and not mentioned: scalars of
    /// two, three and four bytes, whose escapes together contain every hexadecimal digit.
    static func ordinaryLetters(of piece: Piece, mentioned: Set<UInt32>, patterns: [String]) -> [Letter] {
        var letters = plainLetters(of: piece)
        let unescaped = Set(preferred.map(UInt32.init))
        let escaped = " \"<>[]{}|^`\\%#é日😀áâäëí".unicodeScalars + mentioned.sorted().compactMap { Unicode.Scalar($0) }
        for scalar in escaped where !unescaped.contains(scalar.value) && scalar.value >= 0x20 && scalar.value != 0x7F {
            letters.append(Letter(escaped: scalar))
        }
        letters += separators(of: piece, mentioned: mentioned)
        for pattern in patterns { letters += writtenEscapes(in: pattern) }
        var seen: Set<Letter> = []
        return letters.filter { seen.insert($0).inserted }
    }

    /// The separators of query parameters that a pattern mentions, unescaped and escaped.
    private static func separators(of piece: Piece, mentioned: Set<UInt32>) -> [Letter] {
        guard piece == .query || piece == .itemValue || piece == .item else { return [] }
        return Array("&;+".utf8).filter { mentioned.contains(UInt32($0)) }.flatMap { byte in
            let bare = piece.delimiters.contains(byte) ? [] : [Letter(byte)]
            return bare + [Letter(escaped: Unicode.Scalar(byte))]
        }
    }

    /// The escapes in a pattern, split into whole scalars. Escapes of plain letters and of control characters are omitted,
    /// because no ordinary URL has them.
    private static func writtenEscapes(in pattern: String) -> [Letter] {
        let bytes = Array(pattern.utf8)
        var letters: [Letter] = []
        var index = 0
        while index + 2 < bytes.count {
            guard let first = Percent.byte(of: bytes[...], at: index) else {
                index += 1
                continue
            }
            let length = UTF8Scalar.length(startingWith: first)
            let end = index + 3 * length
            let run = stride(from: index, to: min(end, bytes.count), by: 3).compactMap {
                Percent.byte(of: bytes[...], at: $0)
            }
            if run.count == length, let text = String(validating: run, as: UTF8.self),
                let scalar = text.unicodeScalars.first, isOrdinaryEscape(scalar)
            {
                letters.append(Letter(spelling: Array(bytes[index..<end]), value: scalar.value))
                index = end
            } else {
                index += 3
            }
        }
        return letters
    }

    private static func isOrdinaryEscape(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value < 0x80 else { return true }
        let byte = UInt8(scalar.value)
        let isUnreserved = byte.isLetter || byte.isDigit || Array("-._~".utf8).contains(byte)
        return byte >= 0x20 && byte != 0x7F && !isUnreserved
    }
}

/// The other scalars that fold to a scalar; made once from the Unicode tables.
enum FoldTable {
    static let foldingTo: [UInt32: [UInt32]] = {
        var table: [UInt32: [UInt32]] = [:]
        // No script after the supplementary multilingual plane has case.
        for value in UInt32(0)..<0x20000 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let folded = scalar.folded.value
            if folded != value { table[folded, default: []].append(value) }
        }
        return table
    }()
}

/// One letter of a URL.
struct Letter: Hashable, Sendable {
    /// As it is written in the URL.
    var spelling: [UInt8]
    /// The decoded scalar; a UTF-16 unit in texts that only Android reads.
    var value: UInt32

    init(_ byte: UInt8) {
        spelling = [byte]
        value = UInt32(byte)
    }

    init(spelling: [UInt8], value: UInt32) {
        (self.spelling, self.value) = (spelling, value)
    }

    /// The letter for a scalar that has to be escaped.
    init(escaped scalar: Unicode.Scalar) {
        spelling = String(scalar).utf8.flatMap(Percent.escape)
        value = scalar.value
    }

    var isSlash: Bool { spelling == [UInt8(ascii: "/")] }
}

/// How a rule reads letters.
enum Lens: Hashable, Sendable {
    case apple(URLReading)
    case android

    func symbols(of letter: Letter) -> [UInt32] {
        switch self {
        case .apple(let reading):
            let symbols = reading.decodes ? [letter.value] : letter.spelling.map(UInt32.init)
            return reading.folds ? symbols.map(Self.fold) : symbols
        case .android:
            guard letter.value > 0xFFFF else { return [letter.value] }
            let offset = letter.value - 0x10000
            return [0xD800 + (offset >> 10), 0xDC00 + (offset & 0x3FF)]
        }
    }

    private static func fold(_ value: UInt32) -> UInt32 { Unicode.Scalar(value)?.folded.value ?? value }
}
