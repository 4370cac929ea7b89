// One rule in Android 15's dialect (an element of `dynamic_app_link_components`).

public import SourceJSON

/// A rule over the decoded parts of a URL. A part that is nil is not looked at; a rule without any never matches.
public struct AndroidRule: Sendable {
    public var path: String?
    public var query: [QueryItemPattern]?
    public var fragment: String?
    public var exclude: Bool
    /// Where it was read from.
    public var range: SourceRange?

    public init(
        path: String? = nil, query: [QueryItemPattern]? = nil, fragment: String? = nil, exclude: Bool = false,
        range: SourceRange? = nil
    ) {
        self.path = path
        self.query = query
        self.fragment = fragment
        self.exclude = exclude
        self.range = range
    }
}
