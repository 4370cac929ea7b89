// Runs an automaton deterministically: a state is the set of the automaton's states that a text can reach. States are made
// when they are first needed, and stored. For Apple's paths it normalises slashes while reading.

/// A deterministic run of patterns that read a URL in the same way.
final class Recognizer {
    private let automaton: PatternAutomaton
    private let normalisesSlashes: Bool
    private let letterSymbols: [[UInt32]]

    /// The sets so far: sorted states, followed by the ending of the text.
    private var sets: [[Int32]] = []
    private var numbers: [[Int32]: Int] = [:]
    private var transitions: [[Int32]] = []
    private var tagsAtEnd: [[Int]?] = []
    private var tagsAlive: [[Int]?] = []
    private var tagsSettled: [[Int]?] = []
    /// The last round of `advance` in which each state was reached, so that none is added twice.
    private var rounds: [Int]
    private var round = 0

    /// The last character of the text, for normalising slashes.
    private enum Ending: Int32 { case nothing, slash, star, other }

    private static let slash = UInt32(UInt8(ascii: "/"))
    private static let star = UInt32(UInt8(ascii: "*"))

    init(_ automaton: PatternAutomaton, lens: Lens, normalisesSlashes: Bool, letters: [Letter]) {
        (self.automaton, self.normalisesSlashes) = (automaton, normalisesSlashes)
        letterSymbols = letters.map(lens.symbols)
        rounds = [Int](repeating: 0, count: automaton.states.count)
        _ = number(of: closure(automaton.starts), .nothing)
    }

    /// The state of the empty text.
    var start: Int { 0 }

    /// The state after one more letter. Adds the cost to `work`: one for a stored step, more for a new one.
    func step(_ state: Int, _ letter: Int, work: inout Int) -> Int {
        work += 1
        let known = transitions[state][letter]
        if known >= 0 { return Int(known) }
        var current = Array(sets[state].dropLast())
        var ending = Ending(rawValue: sets[state].last ?? 0) ?? .nothing
        for symbol in letterSymbols[letter] {
            work += current.count
            read(symbol, &current, &ending)
        }
        let next = number(of: current, ending)
        transitions[state][letter] = Int32(next)
        return next
    }

    /// The patterns that match the text read so far, in order.
    func tags(_ state: Int) -> [Int] {
        if let tags = tagsAtEnd[state] { return tags }
        var current = Array(sets[state].dropLast())
        let ending = sets[state].last ?? 0
        if normalisesSlashes, ending != Ending.slash.rawValue, ending != Ending.star.rawValue {
            current = advance(current, over: Self.slash)
        }
        let tags = Set(current.lazy.map { self.automaton.states[Int($0)] }.filter(\.accepts).map(\.tag)).sorted()
        tagsAtEnd[state] = tags
        return tags
    }

    /// The patterns that may match a text that begins with the text read so far, in order.
    func aliveTags(_ state: Int) -> [Int] {
        if let tags = tagsAlive[state] { return tags }
        let tags = Set(sets[state].dropLast().map { automaton.states[Int($0)].tag }).sorted()
        tagsAlive[state] = tags
        return tags
    }

    /// The patterns that match any continuation, because they have reached a star at their end.
    func settledTags(_ state: Int) -> [Int] {
        if let tags = tagsSettled[state] { return tags }
        let settled = sets[state].dropLast().filter {
            automaton.states[Int($0)].matchesWhateverFollows(itself: Int($0))
        }
        let tags = Set(settled.map { automaton.states[Int($0)].tag }).sorted()
        tagsSettled[state] = tags
        return tags
    }

    private func read(_ symbol: UInt32, _ current: inout [Int32], _ ending: inout Ending) {
        guard normalisesSlashes else {
            current = advance(current, over: symbol)
            return
        }
        let isSlash = symbol == Self.slash
        let isStar = symbol == Self.star
        if (isSlash && ending == .slash) || (isStar && ending == .star) { return }
        if ending == .nothing && !isSlash && !isStar { current = advance(current, over: Self.slash) }
        current = advance(current, over: symbol)
        ending = isSlash ? .slash : isStar ? .star : .other
    }

    private func advance(_ current: [Int32], over symbol: UInt32) -> [Int32] {
        var targets: [Int32] = []
        round += 1
        for state in current {
            for edge in automaton.states[Int(state)].edges where edge.set.contains(symbol) {
                if rounds[edge.target] != round {
                    rounds[edge.target] = round
                    targets.append(Int32(edge.target))
                }
            }
        }
        return closed(targets)
    }

    private func closure(_ states: [Int]) -> [Int32] {
        round += 1
        for state in states { rounds[state] = round }
        return closed(states.map(Int32.init))
    }

    /// Adds the states that are reached without reading a symbol, and sorts.
    private func closed(_ states: [Int32]) -> [Int32] {
        var reached = states
        var index = 0
        while index < reached.count {
            for jump in automaton.states[Int(reached[index])].jumps where rounds[jump] != round {
                rounds[jump] = round
                reached.append(Int32(jump))
            }
            index += 1
        }
        return reached.sorted()
    }

    /// If no state is left, the ending of the text no longer matters.
    private func number(of set: [Int32], _ ending: Ending) -> Int {
        let needsEnding = normalisesSlashes && !set.isEmpty
        let key = set + [needsEnding ? ending.rawValue : Ending.other.rawValue]
        if let number = numbers[key] { return number }
        numbers[key] = sets.count
        sets.append(key)
        transitions.append([Int32](repeating: -1, count: letterSymbols.count))
        tagsAtEnd.append(nil)
        tagsAlive.append(nil)
        tagsSettled.append(nil)
        return sets.count - 1
    }
}
