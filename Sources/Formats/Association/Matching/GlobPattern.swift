// Apple's wildcard patterns, compiled once. `*` is any run of characters including `/`, `?` is one scalar; the whole text has to
// match. Plain patterns are split at their stars, and the leftmost match of each piece is found without backtracking. Patterns
// with variables, and very large ones, are matched with sets of positions (`PositionSearch`).

import SourceJSON

/// A compiled pattern over UTF-8 text.
package struct GlobPattern: Sendable {
    package let elements: [GlobElement]
    private let form: Form
    /// The characters between the stars, one after the other, and the range of each piece between two stars. The first piece
    /// is anchored at the start of the text and the last at its end.
    private let symbols: [UInt16]
    private let pieces: [Range<Int>]

    private enum Form: Sendable {
        case everything
        case never
        /// Compared piece by piece; without a star there is one piece, for the whole text.
        case pieces
        /// With variables: matched with sets of positions.
        case elements
    }

    /// The symbol for `?`; other symbols are bytes.
    private static let anySymbol: UInt16 = 256

    /// Up to this number of symbols times bytes, searching piece by piece is faster even in its worst case.
    private static let pieceWorkMax = 1 << 18

    package init(_ pattern: ParsedPattern, folds: Bool, table: SubstitutionTable) {
        self.init(elements: Self.elements(of: pattern, folds: folds, table: table))
    }

    package init(elements: [GlobElement]) {
        self.elements = elements
        (form, symbols, pieces) = Self.form(of: elements)
    }

    /// Whether every text matches.
    package var acceptsEverything: Bool {
        if case .everything = form { return true }
        return false
    }

    /// Whether `bytes[range]` matches. The bytes are valid UTF-8. Running out of steps counts as no.
    package func matches(_ bytes: [UInt8], _ range: Range<Int>) -> Bool { test(bytes, range) == true }

    package func matches(_ bytes: [UInt8]) -> Bool { test(bytes, 0..<bytes.count) == true }

    /// The same, but nil if it needs more steps than the limit.
    package func test(_ bytes: [UInt8], _ range: Range<Int>) -> Bool? {
        switch form {
        case .everything: return true
        case .never: return false
        case .pieces:
            // A symbol matches at least one byte, so a longer pattern cannot match.
            if symbols.count > range.count { return false }
            if symbols.count <= Self.pieceWorkMax / (range.count + 1) { return matchesPieces(bytes, range) }
        case .elements: break
        }
        return PositionSearch.test(elements, in: Array(bytes[range]))
    }

    /// The pattern in a form that can be compared with another's; nil with variables.
    package var key: [UInt16]? {
        switch form {
        case .everything: return [.max]
        case .never, .elements: return nil
        case .pieces: return Array(pieces.map { symbols[$0] }.joined(separator: [.max]))
        }
    }

    /// A rough upper bound of the work of a comparison with `count` bytes, in nanoseconds.
    package func work(over count: Int) -> Int {
        let fixed = 64
        switch form {
        case .everything, .never: return fixed
        case .pieces:
            // Without a star between others, each piece is compared in one place.
            if symbols.count > count || pieces.count <= 2 { return fixed + min(symbols.count, count) }
            let isSearched = symbols.count <= Self.pieceWorkMax / (count + 1)
            return fixed + symbols.count * (count / (isSearched ? 8 : 16) + 1)
        case .elements: return 8 * fixed + elements.count * (count + 1)
        }
    }

    /// Resolves tokens; literals are joined, and folded if the comparison folds.
    /// Without a table, variables never match.
    package static func elements(of pattern: ParsedPattern, folds: Bool, table: SubstitutionTable?) -> [GlobElement] {
        var elements: [GlobElement] = []
        var literal: [UInt8] = []
        literal.reserveCapacity(min(pattern.tokens.count, 48))
        for token in pattern.tokens {
            if case .scalar(let scalar) = token {
                let scalar = folds ? scalar.folded : scalar
                if scalar.isASCII {
                    literal.append(UInt8(truncatingIfNeeded: scalar.value))
                } else {
                    literal.append(contentsOf: String(scalar).utf8)
                }
                continue
            }
            if !literal.isEmpty { elements.append(.literal(literal)) }
            // Not `removeAll`: the array is shared now, so that would allocate the whole capacity again each time.
            literal = []
            switch token {
            case .any: elements.append(.any)
            case .star: elements.append(.star)
            case .variable(let index):
                elements.append(table?.element(for: pattern.names[index], folds: folds) ?? .never)
            case .broken, .scalar: elements.append(.never)
            }
        }
        if !literal.isEmpty { elements.append(.literal(literal)) }
        return elements
    }

    private static func form(of elements: [GlobElement]) -> (Form, symbols: [UInt16], pieces: [Range<Int>]) {
        var symbols: [UInt16] = []
        symbols.reserveCapacity(elements.lengthMin)
        var pieces: [Range<Int>] = []
        pieces.reserveCapacity(elements.count + 1)
        var start = 0
        for element in elements {
            switch element {
            case .literal(let bytes): symbols.append(contentsOf: bytes.lazy.map(UInt16.init))
            case .any: symbols.append(anySymbol)
            case .star:
                pieces.append(start..<symbols.count)
                start = symbols.count
            case .never: return (.never, [], [])
            case .oneOf, .choice: return (elements.contains(where: \.isNever) ? .never : .elements, [], [])
            }
        }
        if symbols.isEmpty && !pieces.isEmpty { return (.everything, [], []) }
        pieces.append(start..<symbols.count)
        return (.pieces, symbols, pieces)
    }

    private func matchesPieces(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
        guard var position = end(of: pieces[0], in: bytes, at: range.lowerBound, upTo: range.upperBound) else {
            return false
        }
        if pieces.count == 1 { return position == range.upperBound }
        guard let last = start(of: pieces[pieces.count - 1], in: bytes, endingAt: range.upperBound, downTo: position)
        else { return false }
        for piece in pieces[1..<(pieces.count - 1)] where !piece.isEmpty {
            guard let next = firstEnd(of: piece, in: bytes, from: position, upTo: last) else { return false }
            position = next
        }
        return true
    }

    private func end(of piece: Range<Int>, in bytes: [UInt8], at start: Int, upTo limit: Int) -> Int? {
        var position = start
        for index in piece {
            guard position < limit else { return nil }
            let symbol = symbols[index]
            if symbol == Self.anySymbol {
                position += UTF8Scalar.length(startingWith: bytes[position])
            } else {
                guard UInt16(bytes[position]) == symbol else { return nil }
                position += 1
            }
        }
        return position <= limit ? position : nil
    }

    /// The start of `piece` if it matches up to `end`.
    private func start(of piece: Range<Int>, in bytes: [UInt8], endingAt end: Int, downTo limit: Int) -> Int? {
        var position = end
        for index in piece.reversed() {
            guard position > limit else { return nil }
            position -= 1
            let symbol = symbols[index]
            if symbol == Self.anySymbol {
                while position > limit, bytes[position].isContinuation { position -= 1 }
            } else {
                guard UInt16(bytes[position]) == symbol else { return nil }
            }
        }
        return position
    }

    /// The end of the leftmost match of `piece`.
    private func firstEnd(of piece: Range<Int>, in bytes: [UInt8], from start: Int, upTo limit: Int) -> Int? {
        var position = start
        while position + piece.count <= limit {
            if let end = end(of: piece, in: bytes, at: position, upTo: limit) { return end }
            position += UTF8Scalar.length(startingWith: bytes[position])
        }
        return nil
    }
}

/// One step of a compiled pattern.
package enum GlobElement: Sendable {
    case literal([UInt8])
    /// Exactly one scalar.
    case any
    /// Zero or more scalars.
    case star
    /// One ASCII character of a class.
    case oneOf(ByteSet)
    /// One of the values of a variable.
    case choice(GlobChoice)
    /// Matches nothing.
    case never

    package var isStar: Bool {
        if case .star = self { return true }
        return false
    }

    package var isNever: Bool {
        if case .never = self { return true }
        return false
    }
}

/// The values of a variable: plain ones in a trie, those with wildcards as patterns.
package final class GlobChoice: Sendable {
    package let plain: ByteTrie
    package let patterns: [[GlobElement]]
    /// The fewest bytes that a value matches.
    package let lengthMin: Int
    /// The most bytes that a value matches; nil without a limit.
    package let lengthMax: Int?

    package init(plain: ByteTrie, patterns: [[GlobElement]]) {
        (self.plain, self.patterns) = (plain, patterns)
        lengthMin = (plain.strings.map(\.count) + patterns.map(\.lengthMin)).min() ?? 0
        lengthMax = patterns.reduce(plain.strings.map(\.count).max() ?? 0) { longest, pattern in
            guard let longest, let length = pattern.lengthMax else { return nil }
            return max(longest, length)
        }
    }
}

extension Collection<GlobElement> {
    /// The fewest bytes that match the elements one after the other.
    package var lengthMin: Int {
        reduce(0) { length, element in
            switch element {
            case .literal(let bytes): length + bytes.count
            case .any, .oneOf: length + 1
            case .choice(let choice): length + choice.lengthMin
            case .star, .never: length
            }
        }
    }

    /// The most bytes that can match them; nil without a limit.
    package var lengthMax: Int? {
        reduce(0) { length, element in
            guard let length else { return nil }
            switch element {
            case .literal(let bytes): return length + bytes.count
            case .any: return length + 4
            case .oneOf: return length + 1
            case .choice(let choice): return choice.lengthMax.map { length + $0 }
            case .star: return nil
            case .never: return length
            }
        }
    }
}

/// A set of ASCII characters.
package struct ByteSet: Hashable, Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    package init(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { insert(byte) }
    }

    package mutating func insert(_ byte: UInt8) {
        if byte < 64 { low |= 1 << UInt64(byte) } else if byte < 0x80 { high |= 1 << UInt64(byte - 64) }
    }

    package func contains(_ byte: UInt8) -> Bool {
        if byte >= 0x80 { return false }
        return byte < 64 ? low >> UInt64(byte) & 1 == 1 : high >> UInt64(byte - 64) & 1 == 1
    }

    package var members: [UInt8] { (0..<0x80).filter(contains) }
}
