// Apple's wildcard patterns, compiled once. `*` is any run of characters including `/`, `?` one scalar; the whole text
// has to match. Plain patterns are cut at their stars and each piece is searched leftmost, which needs no second try;
// patterns with variables, and hostile sizes, go through sets of positions (`GlobPattern+Positions`).

/// A compiled pattern over UTF-8 text.
struct GlobPattern: Sendable {
    let elements: [GlobElement]
    private let form: Form

    private enum Form: Sendable {
        case everything
        case never
        /// Symbols between stars; the first range is anchored at the start and the last at the end.
        case segments(symbols: [UInt16], ranges: [Range<Int>], hasStar: Bool)
        case elements
    }

    /// The symbol for `?`; bytes stand for themselves.
    private static let anySymbol: UInt16 = 256

    /// Up to this many symbols times bytes, searching piece by piece is the faster way even at its worst.
    private static let segmentWorkMax = 1 << 18

    init(_ tokens: [PatternToken], folds: Bool, table: SubstitutionTable) {
        self.init(elements: Self.elements(of: tokens, folds: folds, table: table))
    }

    init(elements: [GlobElement]) {
        self.elements = elements
        form = Self.form(of: elements)
    }

    /// Whether every text matches.
    var acceptsEverything: Bool {
        if case .everything = form { return true }
        return false
    }

    /// Whether `bytes[range]` matches. The bytes are valid UTF-8. Running out of steps counts as no.
    func matches(_ bytes: [UInt8], _ range: Range<Int>) -> Bool { test(bytes, range) == true }

    func matches(_ bytes: [UInt8]) -> Bool { test(bytes, 0..<bytes.count) == true }

    /// The same, but nil where the limit on steps left the question open.
    func test(_ bytes: [UInt8], _ range: Range<Int>) -> Bool? {
        switch form {
        case .everything: return true
        case .never: return false
        case .segments(let symbols, let ranges, let hasStar):
            // A symbol consumes at least one byte, so a longer pattern cannot match and needs no work.
            if symbols.count > range.count { return false }
            if symbols.count <= Self.segmentWorkMax / (range.count + 1) {
                return Self.matches(symbols, ranges, hasStar: hasStar, bytes, range)
            }
        case .elements: break
        }
        return PositionSearch.test(elements, in: Array(bytes[range]))
    }

    /// Resolves tokens; literals are joined, and folded when the comparison folds.
    static func elements(of tokens: [PatternToken], folds: Bool, table: SubstitutionTable) -> [GlobElement] {
        var elements: [GlobElement] = []
        var literal: [UInt8] = []
        for token in tokens {
            if case .scalar(let scalar) = token {
                literal.append(contentsOf: String(folds ? scalar.folded : scalar).utf8)
                continue
            }
            if !literal.isEmpty { elements.append(.literal(literal)) }
            literal.removeAll(keepingCapacity: true)
            switch token {
            case .any: elements.append(.any)
            case .star: elements.append(.star)
            case .variable(let name): elements.append(table.element(for: name, folds: folds))
            case .broken, .scalar: elements.append(.never)
            }
        }
        if !literal.isEmpty { elements.append(.literal(literal)) }
        return elements
    }

    private static func form(of elements: [GlobElement]) -> Form {
        var symbols: [UInt16] = []
        var ranges: [Range<Int>] = []
        var start = 0
        for element in elements {
            switch element {
            case .literal(let bytes): symbols.append(contentsOf: bytes.map(UInt16.init))
            case .any: symbols.append(anySymbol)
            case .star:
                ranges.append(start..<symbols.count)
                start = symbols.count
            case .never: return .never
            case .oneOf, .choice: return elements.contains(where: \.isNever) ? .never : .elements
            }
        }
        if symbols.isEmpty && !ranges.isEmpty { return .everything }
        ranges.append(start..<symbols.count)
        return .segments(symbols: symbols, ranges: ranges, hasStar: ranges.count > 1)
    }

    private static func matches(
        _ symbols: [UInt16], _ ranges: [Range<Int>], hasStar: Bool, _ bytes: [UInt8], _ range: Range<Int>
    ) -> Bool {
        guard var position = end(of: ranges[0], of: symbols, in: bytes, at: range.lowerBound, upTo: range.upperBound)
        else { return false }
        if !hasStar { return position == range.upperBound }
        guard
            let last = start(
                of: ranges[ranges.count - 1], of: symbols, in: bytes, endingAt: range.upperBound, downTo: position)
        else { return false }
        for piece in ranges[1..<(ranges.count - 1)] where !piece.isEmpty {
            guard let next = firstEnd(of: piece, of: symbols, in: bytes, from: position, upTo: last) else {
                return false
            }
            position = next
        }
        return true
    }

    /// Where `piece` ends if it stands at `start`.
    private static func end(
        of piece: Range<Int>, of symbols: [UInt16], in bytes: [UInt8], at start: Int, upTo limit: Int
    ) -> Int? {
        var position = start
        for index in piece {
            guard position < limit else { return nil }
            let symbol = symbols[index]
            if symbol == anySymbol {
                position += UTF8Scalar.length(startingWith: bytes[position])
            } else {
                guard UInt16(bytes[position]) == symbol else { return nil }
                position += 1
            }
        }
        return position <= limit ? position : nil
    }

    /// Where `piece` begins if it stands just before `end`.
    private static func start(
        of piece: Range<Int>, of symbols: [UInt16], in bytes: [UInt8], endingAt end: Int, downTo limit: Int
    ) -> Int? {
        var position = end
        for index in piece.reversed() {
            guard position > limit else { return nil }
            position -= 1
            let symbol = symbols[index]
            if symbol == anySymbol {
                while position > limit, UTF8Scalar.isContinuation(bytes[position]) { position -= 1 }
            } else {
                guard UInt16(bytes[position]) == symbol else { return nil }
            }
        }
        return position
    }

    /// The end of the leftmost place where `piece` stands.
    private static func firstEnd(
        of piece: Range<Int>, of symbols: [UInt16], in bytes: [UInt8], from start: Int, upTo limit: Int
    ) -> Int? {
        var position = start
        while position + piece.count <= limit {
            if let end = end(of: piece, of: symbols, in: bytes, at: position, upTo: limit) { return end }
            position += UTF8Scalar.length(startingWith: bytes[position])
        }
        return nil
    }
}

extension GlobElement {
    var isNever: Bool {
        if case .never = self { return true }
        return false
    }
}

/// The shape of UTF-8, for text that is known to be valid.
enum UTF8Scalar {
    static func length(startingWith byte: UInt8) -> Int {
        byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
    }

    static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
}
