// Which letters are tried. Two kinds: *every* letter that a text can hold, where a claim has to be about all URLs; and
// the *ordinary* ones, where a witness has to be a URL that people meet. Letters that no pattern tells apart are tried
// once, by the one that reads best.

import Association

/// The pieces of a URL, by the letters they can hold.
enum Piece: Sendable {
    case path, query, fragment
    /// What stands behind the `=` of a query item, and the whole item.
    case itemValue, item

    /// What ends the piece and so cannot stand in it.
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
    /// The best-reading characters come first, because the first of equals stands in witnesses.
    private static let preferred = Array(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_~!$'(),:@/=.;+&?*".utf8)

    /// Letters that are the text of an encoded comparison, whether well-formed or not.
    static func everyEncodedLetter(of piece: Piece) -> [Letter] {
        let printable = (UInt8(0x21)...0x7E).filter { !piece.delimiters.contains($0) }
        return (preferred.filter(printable.contains) + printable.filter { !preferred.contains($0) }).map { Letter($0) }
    }

    /// Every scalar of a decoded text, up to equality: those that patterns mention and what folds to them, and one
    /// that stands for all the rest.
    static func everyDecodedLetter(mentioned: Set<UInt32>, folds: Bool) -> [Letter] {
        var values = Set((0..<0x80).map(UInt32.init)).union(mentioned)
        if folds { values.formUnion(mentioned.flatMap { FoldTable.foldingTo[$0] ?? [] }) }
        return withStranger(values)
    }

    /// Every UTF-16 unit of a text that only Android's patterns look at.
    static func everyUnit(mentioned: Set<UInt32>) -> [Letter] {
        withStranger(Set((0..<0x80).map(UInt32.init)).union(mentioned))
    }

    private static func withStranger(_ values: Set<UInt32>) -> [Letter] {
        // A private-use scalar: no pattern means it, and it folds to itself.
        var stranger: UInt32 = 0xE000
        while values.contains(stranger) { stranger += 1 }
        let sorted = values.sorted()
        let first = preferred.map(UInt32.init)
        let ordered = first.filter(values.contains) + sorted.filter { !first.contains($0) }
        return (ordered + [stranger]).map { Letter(spelling: $0 < 0x80 ? [UInt8($0)] : [], value: $0) }
    }

    /// The letters of ordinary URLs that need no escape. No raw `*`, and no `+` in a query, whose treatment is odd.
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

    /// The letters of ordinary URLs: what may stand for itself does, everything else is escaped in upper case, and
    /// escapes that a pattern spells out are taken in its spelling. A few scalars stand for all that is neither ASCII
    /// nor mentioned: of two, three and four bytes, with every hexadecimal digit in the escape of one of them.
    static func ordinaryLetters(of piece: Piece, mentioned: Set<UInt32>, patterns: [String]) -> [Letter] {
        var letters = plainLetters(of: piece)
        let standingRaw = Set(preferred.map(UInt32.init))
        let escaped = " \"<>[]{}|^`\\%#é日😀áâäëí".unicodeScalars + mentioned.sorted().compactMap { Unicode.Scalar($0) }
        for scalar in escaped where !standingRaw.contains(scalar.value) && scalar.value >= 0x20 && scalar.value != 0x7F
        {
            letters.append(Letter(escaped: scalar))
        }
        letters += separators(of: piece, mentioned: mentioned)
        for pattern in patterns { letters += spelledEscapes(in: pattern) }
        var seen: Set<Letter> = []
        return letters.filter { seen.insert($0).inserted }
    }

    /// What ordinary queries have between their items and a pattern looks for within one, in both spellings.
    private static func separators(of piece: Piece, mentioned: Set<UInt32>) -> [Letter] {
        guard piece == .query || piece == .itemValue || piece == .item else { return [] }
        return Array("&;+".utf8).filter { mentioned.contains(UInt32($0)) }.flatMap { byte in
            let bare = piece.delimiters.contains(byte) ? [] : [Letter(byte)]
            return bare + [Letter(escaped: Unicode.Scalar(byte))]
        }
    }

    /// The escapes a pattern spells out, each run cut into whole scalars. Escapes of plain letters and of control
    /// characters are left aside: no ordinary URL has them.
    private static func spelledEscapes(in pattern: String) -> [Letter] {
        let bytes = Array(pattern.utf8)
        var letters: [Letter] = []
        var index = 0
        while index + 2 < bytes.count {
            guard bytes[index] == UInt8(ascii: "%"), let first = escaped(bytes, index) else {
                index += 1
                continue
            }
            let length = UTF8Scalar.length(startingWith: first)
            let end = index + 3 * length
            let run = stride(from: index, to: min(end, bytes.count), by: 3).compactMap { escaped(bytes, $0) }
            if run.count == length, let text = String(validating: run, as: UTF8.self),
                let scalar = text.unicodeScalars.first, isWorthSpelling(scalar)
            {
                letters.append(Letter(spelling: Array(bytes[index..<end]), value: scalar.value))
                index = end
            } else {
                index += 3
            }
        }
        return letters
    }

    /// Whether ordinary URLs have a character bare, where it is no delimiter.
    static func standsForItself(_ byte: UInt8, in piece: Piece) -> Bool {
        preferred.contains(byte) && !piece.delimiters.contains(byte)
    }

    private static func isWorthSpelling(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value < 0x80 else { return true }
        let byte = UInt8(scalar.value)
        let isUnreserved = ASCII.isLetter(byte) || ASCII.isDigit(byte) || Array("-._~".utf8).contains(byte)
        return byte >= 0x20 && byte != 0x7F && !isUnreserved
    }

    private static func escaped(_ bytes: [UInt8], _ index: Int) -> UInt8? {
        guard index + 2 < bytes.count, bytes[index] == UInt8(ascii: "%"), let high = ASCII.hexValue(bytes[index + 1]),
            let low = ASCII.hexValue(bytes[index + 2])
        else { return nil }
        return high << 4 | low
    }
}

/// What folds to a scalar, other than itself; made once from the Unicode tables.
enum FoldTable {
    static let foldingTo: [UInt32: [UInt32]] = {
        var table: [UInt32: [UInt32]] = [:]
        // No cased script lies beyond the supplementary multilingual plane.
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
    /// As it stands in the URL.
    var spelling: [UInt8]
    /// The scalar it stands for; a UTF-16 unit where the texts are Android's alone.
    var value: UInt32

    init(_ byte: UInt8) {
        spelling = [byte]
        value = UInt32(byte)
    }

    init(spelling: [UInt8], value: UInt32) {
        self.spelling = spelling
        self.value = value
    }

    /// The letter for a scalar that may not stand for itself.
    init(escaped scalar: Unicode.Scalar) {
        spelling = String(scalar).utf8.flatMap(Percent.escape)
        value = scalar.value
    }

    var isSlash: Bool { spelling == [UInt8(ascii: "/")] }
}

/// What a rule sees of a letter.
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
