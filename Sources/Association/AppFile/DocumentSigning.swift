// The `signed` key of an app file.

/// What is served as a signed message instead of plain JSON.
public enum DocumentSigning: String, Hashable, Sendable, CaseIterable {
    case none
    /// Only the copy at the root of the site, which is all that iOS 8 asked for.
    case root
    case everywhere
}
