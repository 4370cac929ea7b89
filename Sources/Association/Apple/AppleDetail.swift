// What stands in `details`: which apps, and by which rules.

public import SourceJSON

/// One entry of `details`: some apps and the rules for them.
public struct AppleDetail: Sendable {
    /// The apps in effect: `appIDs` where it is an array, otherwise `appID`.
    public var appIDs: [LocatedText]
    /// The rules of iOS 13 and later; nil where the key is missing, which is not the same as empty.
    public var components: [AppleComponent]?
    /// The rules of iOS 9 to 12, and of later systems where `components` is missing.
    public var paths: [AppleLegacyPath]?
    public var defaults: AppleComponent?
    /// The places in the lists, as they were written, of what is no rule and so not among those above.
    public var ignoredComponents: [Int] = []
    public var ignoredPaths: [Int] = []
    public var range: SourceRange

    public init(
        appIDs: [LocatedText], components: [AppleComponent]? = nil, paths: [AppleLegacyPath]? = nil,
        defaults: AppleComponent? = nil, range: SourceRange
    ) {
        self.appIDs = appIDs
        self.components = components
        self.paths = paths
        self.defaults = defaults
        self.range = range
    }
}
