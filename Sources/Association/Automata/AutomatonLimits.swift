// How much work a question about patterns may cost. Past a limit the answer is "unknown", and then nothing is reported:
// a finding that is missing is better than one that is false.

/// Limits on the analysis of one rule list or of one pair of lists.
public struct AutomatonLimits: Hashable, Sendable {
    /// States of all patterns of one kind together; a page of rules has a few hundred.
    public var patternStatesMax = 50_000
    /// States that the patterns make together when they are run side by side.
    public var productStatesMax = 20_000
    /// Steps from state to state, weighted by their cost: all of them take some tenths of a second.
    public var stepsMax = 2_000_000
    /// Combinations of query and fragment that are tried when two lists are compared.
    public var situationsMax = 400
    /// Witnesses that may fail their check by the matchers before the search is given up.
    public var rejectedWitnessesMax = 64

    public init() {}
}
