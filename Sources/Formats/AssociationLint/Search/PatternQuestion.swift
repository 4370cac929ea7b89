// Questions about the texts that patterns match: does one pattern match all texts of another, do two patterns match the same
// text, does a pattern match any text? An answer holds for every text that a phone can see. Nil means that a limit was
// reached, or that the patterns read the URL in ways that cannot be compared.

import Association

/// A pattern with the piece of a URL that it reads, and how it reads it.
struct ReadPattern {
    enum Form {
        case apple(GlobPattern, URLReading)
        case android(AndroidGlob)
    }

    var form: Form
    var piece: Piece

    init(_ pattern: GlobPattern, _ reading: URLReading, _ piece: Piece) {
        form = .apple(pattern, reading)
        self.piece = piece
    }

    init(_ glob: AndroidGlob, _ piece: Piece) {
        form = .android(glob)
        self.piece = piece
    }

    var lens: Lens {
        switch form {
        case .apple(_, let reading): .apple(reading)
        case .android: .android
        }
    }

    /// The pattern in a form that can be compared with another's; nil with variables.
    fileprivate var key: Key? {
        switch form {
        case .apple(let pattern, let reading): pattern.key.map { .apple($0, reading, piece) }
        case .android(let glob): .android(glob.steps, piece)
        }
    }

    fileprivate enum Key: Hashable {
        case apple([UInt16], URLReading, Piece)
        case android([AndroidGlob.Step], Piece)
    }

    /// Whether it is a single star, which matches everything.
    var acceptsEverything: Bool {
        switch form {
        case .apple(let pattern, _): pattern.acceptsEverything
        case .android(let glob): glob.steps == [.rest]
        }
    }

    /// Whether it matches a text of a URL.
    func matches(_ text: [UInt8]) -> Bool {
        switch form {
        case .apple(let pattern, let reading):
            let seen = reading.read(text)
            return pattern.matches(piece == .path ? AppleSlashes.normalised(seen) : seen)
        case .android(let glob): return glob.matches(AndroidView.decode(text))
        }
    }

    func add(to automaton: inout PatternAutomaton, tag: Int) {
        switch form {
        case .apple(let pattern, _): automaton.add(pattern, tag: tag)
        case .android(let glob): automaton.add(glob, tag: tag)
        }
    }

    /// A text that the pattern matches. It is found without a search, so nil does not mean that there is none.
    var simpleText: [UInt8]? {
        let proposed =
            switch form {
            case .apple(let pattern, _): text(of: pattern.elements)
            case .android(let glob): text(of: glob.steps)
            }
        guard var text = proposed else { return nil }
        if piece == .path, text.first != UInt8(ascii: "/") { text.insert(UInt8(ascii: "/"), at: 0) }
        return matches(text) ? text : nil
    }

    /// The text for a wildcard: a letter that few patterns contain.
    private static let word = UInt8(ascii: "x")

    private func text(of elements: [GlobElement]) -> [UInt8]? {
        var text: [UInt8] = []
        for element in elements {
            switch element {
            case .literal(let bytes):
                for byte in bytes {
                    guard let spelling = spelling(of: byte) else { return nil }
                    text += spelling
                }
            case .any, .star: text.append(Self.word)
            case .oneOf(let set):
                guard let first = set.members.first else { return nil }
                text.append(first)
            case .choice(let choice):
                guard let first = choice.plain.strings.first else { return nil }
                for byte in first {
                    guard let spelling = spelling(of: byte) else { return nil }
                    text += spelling
                }
            case .never: return nil
            }
        }
        return text
    }

    private func text(of steps: [AndroidGlob.Step]) -> [UInt8]? {
        var text: [UInt8] = []
        for step in steps {
            switch step {
            case .unit(let unit), .through(let unit), .run(let unit):
                guard unit < 0x80, let spelling = spelling(of: UInt8(unit)) else { return nil }
                text += spelling
            case .any, .rest: text.append(Self.word)
            }
        }
        return text
    }

    /// A character as it is written in the piece; nil if the piece cannot contain it.
    private func spelling(of byte: UInt8) -> [UInt8]? {
        let isPlain = byte > 0x20 && byte < 0x7F && !piece.delimiters.contains(byte)
        guard lens.decodes else { return isPlain ? [byte] : nil }
        if byte == UInt8(ascii: "&"), piece == .item { return nil }
        return isPlain && byte != UInt8(ascii: "%") ? [byte] : Percent.escape(byte)
    }
}

/// Answers questions about patterns, with a common limit on the number of steps.
struct PatternQuestion {
    let limits: AutomatonLimits
    var stepsLeft: Int
    /// Earlier answers, because the rules of a list often have the same parameters. A link may become up to 128 rules with the
    /// same query, and each is compared with all earlier ones.
    private var answers: [Question: Bool?] = [:]

    private struct Question: Hashable {
        var wanted: [ReadPattern.Key]
        var unwanted: ReadPattern.Key?
    }

    init(_ limits: AutomatonLimits) {
        self.limits = limits
        stepsLeft = limits.stepsMax
    }

    /// Whether `outer` matches every text that `inner` matches.
    mutating func isIncluded(_ inner: ReadPattern, in outer: ReadPattern) -> Bool? {
        if outer.acceptsEverything { return true }
        return exists([inner], without: outer).map { !$0 }
    }

    mutating func areDisjoint(_ one: ReadPattern, _ other: ReadPattern) -> Bool? {
        exists([one, other], without: nil).map { !$0 }
    }

    mutating func isEmpty(_ pattern: ReadPattern) -> Bool? {
        if pattern.simpleText != nil { return false }
        return exists([pattern], without: nil).map { !$0 }
    }

    /// The cost of a question before its first step, for making the alphabet and the automata.
    private static let overhead = 40

    /// Whether there is a text that all of `wanted` match and `unwanted` does not.
    private mutating func exists(_ wanted: [ReadPattern], without unwanted: ReadPattern?) -> Bool? {
        let question = Question(wanted: wanted.compactMap(\.key), unwanted: unwanted?.key)
        guard question.wanted.count == wanted.count, (question.unwanted == nil) == (unwanted == nil) else {
            return search(wanted, without: unwanted)
        }
        if let known = answers[question] { return known }
        let answer = search(wanted, without: unwanted)
        answers[question] = .some(answer)
        return answer
    }

    private mutating func search(_ wanted: [ReadPattern], without unwanted: ReadPattern?) -> Bool? {
        stepsLeft -= Self.overhead
        guard stepsLeft > 0 else { return nil }
        let patterns = wanted + [unwanted].compactMap { $0 }
        guard let search = ProductSearch(everyTextOf: patterns, limits: limits) else { return nil }
        let count = wanted.count
        let outcome = search.run(stepsLeft: &stepsLeft) { states in
            (0..<count).contains { search.recognizers[$0].aliveTags(states[$0]).isEmpty }
        } visit: { states, _ in
            patterns.indices.allSatisfy { search.recognizers[$0].tags(states[$0]).isEmpty == ($0 >= count) }
        }
        return outcome == .outOfSteps ? nil : outcome == .stopped
    }
}

extension ProductSearch {
    /// A search over every text of the piece that the patterns read, with a group for each pattern. Nil if the patterns do
    /// not read the same text.
    init?(everyTextOf patterns: [ReadPattern], limits: AutomatonLimits) {
        guard let piece = patterns.first?.piece else { return nil }
        let groups = patterns.enumerated().map { index, pattern in
            var automaton = PatternAutomaton(statesMax: limits.patternStatesMax)
            pattern.add(to: &automaton, tag: index)
            return Group(automaton: automaton, lens: pattern.lens, piece: piece)
        }
        self.init(everyTextOf: groups, piece: piece, limits: limits)
    }

    /// The same for groups that are already built.
    init?(everyTextOf groups: [Group], piece: Piece, limits: AutomatonLimits) {
        let mentioned = groups.reduce(into: Set<UInt32>()) { $0.formUnion($1.automaton.symbols.all) }
        let letters: [Letter]
        switch groups.first?.lens {
        case .apple(let first):
            let readings = groups.map(\.lens.reading)
            guard readings.allSatisfy({ $0?.decodes == first.decodes }) else { return nil }
            letters =
                first.decodes
                ? Alphabet.everyDecodedLetter(
                    mentioned: mentioned, folds: readings.contains { $0?.folds == true })
                : Alphabet.everyEncodedLetter(of: piece)
        case .android:
            guard groups.allSatisfy({ $0.lens == .android }) else { return nil }
            letters = Alphabet.everyDecodedLetter(mentioned: mentioned, folds: false)
        case nil: return nil
        }
        // A parameter contains no `&`, which separates parameters.
        let allowed = piece == .item ? letters.filter { $0.value != UInt32(UInt8(ascii: "&")) } : letters
        self.init(groups, letters: allowed, texts: piece == .path ? .paths : .all, limits: limits)
    }
}

extension ProductSearch.Group {
    init(automaton: PatternAutomaton, lens: Lens, piece: Piece) {
        self.init(automaton: automaton, lens: lens, normalisesSlashes: piece == .path && lens != .android)
    }
}

extension Lens {
    var reading: URLReading? {
        if case .apple(let reading) = self { return reading }
        return nil
    }

    fileprivate var decodes: Bool { reading?.decodes ?? true }
}
