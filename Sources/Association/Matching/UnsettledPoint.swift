// What is not known for certain about the platforms. The engine follows its best model there, but says so: a decision
// that another plausible reading would turn carries one of these, and no finding may rest on it.

/// One thing about a rule or a decision on which the evidence is not conclusive.
public struct UnsettledPoint: Hashable, Sendable {
    /// What is not known.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// `/a?*` against `/a`: whether a wildcard may consume the slash that comparison adds.
        case addedSlash
        /// Whether `+` in a query item is ever a space.
        case plusSign
        /// `NOT/x` without the space after the word.
        case notWithoutSpace
        /// `not /x` in lower case.
        case lowerCaseNot
        /// A backslash in a pattern; Apple documents no escape.
        case backslash
        /// A custom variable with a predefined name.
        case shadowedVariable
        /// A variable's value that itself contains `$(`; taken as dropped.
        case nestedVariable
        /// A variable whose value is one string, taken as its only value.
        case bareVariable
        /// `exclude` or another flag that is neither true nor false; taken as absent.
        case flagOfWrongType
        /// An element of a list of rules that is no rule; taken as not being there.
        case ignoredElement
        /// A variable's value that brings a slash to where slashes are brought into one form.
        case variableSlash
        /// `/`, `?`, `#` or `exclude` in the defaults above a legacy `paths` list; taken as without effect.
        case defaultsOnPaths
        /// Whether item names fold under `caseSensitive: false`.
        case foldedItemName
        /// `/./` or `/../` in a URL, which a browser may have resolved before the phone compares, or in a pattern.
        case dotSegments
        /// An escape that is malformed or not UTF-8.
        case malformedEscape
        /// A pattern that needs more steps than the limit; taken as not matching.
        case tooManySteps
        /// Android: an item without `=` against a pattern that would accept any value.
        case itemWithoutEquals
        /// Android: `*` followed by `?` or `*`, as AOSP reads it; Google Play services may differ.
        case starLookahead
        /// Android: `;` between items, as AOSP reads it.
        case semicolonSeparator
        /// Android: a part that the URL lacks, against a pattern that accepts everything, as AOSP reads it.
        case absentPart
        /// Android: a value of the wrong type in a rule, such as a query that is a string as on Apple's systems.
        case malformedRule
    }

    public var kind: Kind
    /// The index of the rule it concerns.
    public var rule: Int

    public init(_ kind: Kind, rule: Int) {
        self.kind = kind
        self.rule = rule
    }

    /// The point in words.
    public var message: String { "rule \(rule): \(kind.message)" }
}

extension UnsettledPoint.Kind {
    /// What is not known, in words.
    public var message: String {
        switch self {
        case .addedSlash: "whether a closing `?*` may consume the slash that iOS adds to a path is not settled"
        case .plusSign: "whether iOS ever reads `+` in a query as a space is not settled"
        case .notWithoutSpace: "`NOT` without a space after it is read as part of an ordinary pattern"
        case .lowerCaseNot: "`not` in lower case is read as `NOT`, which Apple does not document"
        case .backslash: "what a backslash in a pattern means is not documented; it is read as an ordinary character"
        case .shadowedVariable: "a custom variable with a predefined name is read in its place"
        case .nestedVariable: "a variable's value that contains `$(` is read as not being there"
        case .bareVariable: "a variable that is a string is read as an array of that one value"
        case .flagOfWrongType: "a flag that is neither true nor false is read as not being there"
        case .ignoredElement:
            "it has the wrong type and is read as not being there, but it may match every URL"
        case .variableSlash:
            "slashes at the ends of a variable's value are not brought into one form with the pattern's"
        case .defaultsOnPaths: "`/`, `?`, `#` and `exclude` in the defaults are read as not applying to `paths`"
        case .foldedItemName: "names of query items are compared exactly, even under `caseSensitive: false`"
        case .dotSegments: "dot segments are compared as written, but a browser may have resolved them"
        case .malformedEscape: "the URL has an escape that is malformed or not UTF-8"
        case .tooManySteps: "the pattern needs more steps than the limit, so it is read as not matching"
        case .itemWithoutEquals: "an item without `=` is read as not matching `name=…`"
        case .starLookahead: "`*` before `?` or `*` looks for a literal dot in AOSP; Play services may differ"
        case .semicolonSeparator: "`;` separates items where there is no `&` in AOSP; Play services may differ"
        case .absentPart: "a part that is absent matches nothing in AOSP, not even `*`; Play services may differ"
        case .malformedRule:
            "whether Android discards all rules for a value of the wrong type, or reads the rule without it, is not "
                + "settled"
        }
    }
}
