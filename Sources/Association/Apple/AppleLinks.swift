// What stands under `applinks`.

public import SourceJSON

/// The service of universal links.
public struct AppleLinks: Sendable {
    /// In the order that decides between apps.
    public var details: [AppleDetail]
    /// How `details` was written.
    public var form: Form
    public var defaults: AppleComponent?
    public var variables: [SubstitutionVariable]
    /// Whether the key `apps`, which iOS 9 to 12 want to see, is there.
    public var hasApps: Bool
    public var range: SourceRange

    /// The forms of `details`.
    public enum Form: Hashable, Sendable {
        case array
        /// Keyed by app id, as in 2015; it has no order that anybody may rely on.
        case object
    }

    public init(
        details: [AppleDetail], form: Form = .array, defaults: AppleComponent? = nil,
        variables: [SubstitutionVariable] = [], hasApps: Bool = false, range: SourceRange
    ) {
        self.details = details
        self.form = form
        self.defaults = defaults
        self.variables = variables
        self.hasApps = hasApps
        self.range = range
    }
}
