// A dynamic rule with a value of the wrong type. The documentation has Android throw all rules away for it; AOSP seems to
// pass the value over. So the manifest is taken to decide, and whoever asks about a URL is told that this is not settled.

public import SourceJSON

/// The first malformed rule of a list.
public struct MalformedRule: Hashable, Sendable {
    /// Its index in the list as it was written.
    public var index: Int
    /// Where the value stands.
    public var range: SourceRange

    public init(index: Int, range: SourceRange) {
        self.index = index
        self.range = range
    }

    /// What becomes of any URL.
    public var step: MatchStep {
        MatchStep(
            rule: index, outcome: .leftOpen,
            message: "rule \(index) has a value of the wrong type, so Android throws all the rules away and the "
                + "manifest decides alone",
            range: range)
    }

    public var unsettled: UnsettledPoint { UnsettledPoint(.malformedRule, rule: index) }
}
