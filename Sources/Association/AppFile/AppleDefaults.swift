// The `defaults` of an app file.

/// The keys that rules inherit. Apple lets patterns be inherited too; an app file does not, because a rule whose path
/// stands somewhere else surprises its reader.
public struct AppleDefaults: Hashable, Sendable {
    public var caseSensitive: Bool?
    public var percentEncoded: Bool?

    public init(caseSensitive: Bool? = nil, percentEncoded: Bool? = nil) {
        self.caseSensitive = caseSensitive
        self.percentEncoded = percentEncoded
    }

    public var isEmpty: Bool { caseSensitive == nil && percentEncoded == nil }
}

extension AppleDefaults {
    /// In the form that rules inherit from.
    var component: AppleComponent {
        AppleComponent(caseSensitive: caseSensitive, percentEncoded: percentEncoded)
    }
}
