// Android's pattern matching (reference B5-17 to B5-20): one pass without backtracking. A star matches up to the first occurrence
// of the next character, and a star before `?` or another star looks for a literal dot, because of AOSP's translation into its
// own notation. Characters are UTF-16 code units, as in Java.

/// A compiled Android pattern.
package struct AndroidGlob: Hashable, Sendable {
    package enum Step: Hashable, Sendable {
        case unit(UInt16)
        case any
        /// Up to and including the first occurrence of the unit.
        case through(UInt16)
        /// All occurrences of the unit in a row.
        case run(UInt16)
        /// The rest of the text.
        case rest
    }

    package let steps: [Step]
    /// A star is followed by `?` or by another star.
    package let hasStarLookahead: Bool

    private static let star = UInt16(UInt8(ascii: "*"))
    private static let question = UInt16(UInt8(ascii: "?"))
    private static let dot = UInt16(UInt8(ascii: "."))

    package init(_ pattern: String) {
        let units = Array(pattern.utf16)
        var steps: [Step] = []
        var hasStarLookahead = false
        var index = 0
        while index < units.count {
            let unit = units[index]
            index += 1
            guard unit == Self.star else {
                steps.append(unit == Self.question ? .any : .unit(unit))
                continue
            }
            guard index < units.count else {
                steps.append(.rest)
                break
            }
            let next = units[index]
            index += 1
            if next == Self.question || next == Self.star {
                hasStarLookahead = true
                steps.append(.through(Self.dot))
                // AOSP writes `*` as `.*`: after its dot is consumed, the second star remains as a character.
                if next == Self.star { steps.append(.unit(Self.star)) }
            } else {
                steps.append(.through(next))
            }
        }
        (self.steps, self.hasStarLookahead) = (steps, hasStarLookahead)
    }

    /// A `pathPattern` of a manifest, which is matched in the same way: `.` is any unit, `*` repeats the unit before it, and a
    /// backslash escapes the next unit. An escaped dot is a literal one only before a star.
    package init(pathPattern units: [UInt16]) {
        var rest = units[...]
        var steps: [Step] = []
        func next() -> (unit: UInt16, isEscaped: Bool)? {
            guard let first = rest.popFirst() else { return nil }
            guard first == UInt16(UInt8(ascii: "\\")) else { return (first, false) }
            return rest.popFirst().map { ($0, true) }
        }
        while let (unit, isEscaped) = next() {
            guard rest.first == Self.star else {
                steps.append(unit == Self.dot ? .any : .unit(unit))
                continue
            }
            rest.removeFirst()
            if unit != Self.dot || isEscaped {
                steps.append(.run(unit))
            } else {
                steps.append(next().map { .through($0.unit) } ?? .rest)
            }
        }
        self.init(steps: steps)
    }

    package init(steps: [Step]) {
        self.steps = steps
        hasStarLookahead = false
    }

    package func matches(_ text: some RandomAccessCollection<UInt16>) -> Bool {
        var position = text.startIndex
        for step in steps {
            if step == .rest { return true }
            guard position < text.endIndex else { return false }
            switch step {
            case .unit(let unit):
                guard text[position] == unit else { return false }
            case .any, .rest: break
            case .run(let unit):
                position = text[position...].firstIndex { $0 != unit } ?? text.endIndex
                continue
            case .through(let unit):
                guard let found = text[position...].firstIndex(of: unit) else { return false }
                position = found
            }
            position = text.index(after: position)
        }
        return position == text.endIndex
    }
}
