// A question that the comparison of the platforms asks.

/// A URL and the difference between the dialects that it is made to show.
struct WitnessCandidate {
    enum Reason {
        case plain
        /// A `?` that the trailing slash can stand for.
        case trailingSlash
        /// More occurrences of what follows a star than the translation provides for.
        case repetition
        case letterCase
        case absentItem, extraItem
        /// An escape: in the upper case that browsers write, or where the rule has a `?`.
        case escape
    }

    var url: LinkURL
    var reason: Reason
}
