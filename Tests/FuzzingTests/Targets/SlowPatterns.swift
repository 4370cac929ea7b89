// The slow, obvious readings that matchers are held against: they keep every place that a pattern can have reached.

@testable import Association

/// Apple's patterns and those of landing pages, over scalars.
enum SlowPattern {
    /// Whether all of the text matches.
    static func matches(_ pattern: String, _ text: String, _ variables: [String: [String]] = [:]) -> Bool {
        let scalars = Array(text.unicodeScalars)
        return ends(of: ParsedPattern(pattern), in: scalars, from: [0], variables).contains(scalars.count)
    }

    private static func ends(
        of pattern: ParsedPattern, in text: [Unicode.Scalar], from starts: Set<Int>, _ variables: [String: [String]]
    ) -> Set<Int> {
        func behind(_ places: Set<Int>, where holds: (Int) -> Bool) -> Set<Int> {
            Set(places.filter { $0 < text.count && holds($0) }.map { $0 + 1 })
        }
        var reached = starts
        for token in pattern.tokens {
            switch token {
            case .scalar(let scalar): reached = behind(reached) { text[$0] == scalar }
            case .any: reached = behind(reached) { _ in true }
            case .star: reached = reached.min().map { Set($0...text.count) } ?? []
            case .variable(let index):
                let values = variables[pattern.names[index]] ?? []
                reached = values.reduce(into: []) {
                    $0.formUnion(ends(of: ParsedPattern($1), in: text, from: reached, variables))
                }
            case .broken: reached = []
            }
        }
        return reached
    }
}

/// Android's machine as its documentation tells it: each step consumes what it says, and nothing is tried twice.
enum SlowAndroidPattern {
    static func matches(_ pattern: String, _ text: String) -> Bool {
        consume(Array(pattern.utf16)[...], Array(text.utf16)[...])
    }

    private static func consume(_ pattern: ArraySlice<UInt16>, _ text: ArraySlice<UInt16>) -> Bool {
        guard let symbol = pattern.first else { return text.isEmpty }
        let star = UInt16(UInt8(ascii: "*"))
        let any = UInt16(UInt8(ascii: "?"))
        guard symbol == star else {
            guard let unit = text.first, symbol == any || symbol == unit else { return false }
            return consume(pattern.dropFirst(), text.dropFirst())
        }
        guard let next = pattern.dropFirst().first else { return true }
        // `**` is written `.*.*` for the old machine: its star looks for a dot, and the second star is a character.
        let wanted = next == star || next == any ? UInt16(UInt8(ascii: ".")) : next
        guard let place = text.firstIndex(of: wanted) else { return false }
        let rest = text[(place + 1)...]
        if next == star {
            guard rest.first == star else { return false }
            return consume(pattern.dropFirst(2), rest.dropFirst())
        }
        return consume(pattern.dropFirst(2), rest)
    }
}
