// What is not known for certain about the platforms. The matchers follow the most plausible reading and report the doubt: a
// decision that another plausible reading would change has one of these points, and no finding may depend on it.

/// A point about a rule or a decision on which the evidence is not conclusive.
public struct UndocumentedBehaviour: Hashable, Sendable {
    /// What is not known, in words.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// `/a?*` against `/a`.
        case addedSlash = "it is not known whether `?*` at the end may match the slash that iOS adds to a path"
        case plusSign = "it is not known whether iOS ever reads `+` in a query as a space"
        case notWithoutSpace = "`NOT` without a space is read as part of the pattern; Apple does not document it"
        case lowerCaseNot = "`not` in lower case is read as `NOT`; Apple does not document it"
        case backslash = "a backslash in a pattern is read as an ordinary character; Apple does not document it"
        case shadowedVariable = "a custom variable with a predefined name is assumed to replace it"
        case nestedVariable = "a variable's value with `$(` in it is assumed to be ignored"
        case bareVariable = "a variable that is a string is assumed to be read as an array of that value"
        case flagOfWrongType = "a flag that is neither true nor false is assumed to be ignored"
        /// An element of a list of rules that is not a rule.
        case ignoredElement = "it has the wrong type and is assumed to be ignored, but it may match every URL"
        case variableSlash = "slashes at the ends of a variable's value are assumed to be compared as written"
        case defaultsOnPaths = "`/`, `?`, `#` and `exclude` in the defaults are assumed not to apply to `paths`"
        case foldedItemName = "`caseSensitive: false` is assumed not to apply to the names of query parameters"
        /// `/./` or `/../` in a URL or in a pattern.
        case dotSegments = "dot segments are compared as written, but a browser may have resolved them"
        case malformedEscape = "the URL has an escape that is malformed or not UTF-8"
        case tooManySteps = "the pattern needs more steps than the limit, so it is assumed not to match"
        /// Android: against a pattern that matches any value.
        case itemWithoutEquals = "a query parameter without `=` is assumed not to match `name=…`"
        case starLookahead = "`*` before `?` or `*` looks for a literal dot in AOSP; Play services may differ"
        case semicolonSeparator = "`;` separates query parameters in AOSP if there is no `&`; Play services may differ"
        case absentPart = "an absent part matches nothing in AOSP, not even `*`; Play services may differ"
        /// Android: such as a query that is a string, as on Apple's systems.
        case malformedRule =
            "it is not known whether a value of the wrong type makes Android discard all rules or only the value"

        public var message: String { rawValue }
    }

    public var kind: Kind
    /// The rule it concerns; `message(of:)` of its matcher names it.
    public var rule: Int

    public init(_ kind: Kind, rule: Int) {
        (self.kind, self.rule) = (kind, rule)
    }
}
