// Why a text is not a URL that could open an app.

/// What keeps a text from being a `LinkURL`.
public enum LinkURLProblem: Error, Hashable, Sendable {
    case empty
    case missingScheme
    case otherScheme(String)
    case missingHost
    case illegalHost(String)
    case illegalPort(String)
    /// A control character, or white space around the URL; the offset counts UTF-8 bytes.
    case strayCharacter(offset: Int)

    /// The problem in words, to follow the name of the URL.
    public var message: String {
        switch self {
        case .empty: "the URL is empty"
        case .missingScheme: "the URL has no scheme"
        case .otherScheme(let scheme):
            "the scheme is `\(scheme)`, and only http and https URLs can open an app this way"
        case .missingHost: "the URL has no host"
        case .illegalHost(let host): "`\(host)` is not a host name"
        case .illegalPort(let port): "`\(port)` is not a port"
        case .strayCharacter(let offset): "a control character or white space stands at byte \(offset)"
        }
    }

    /// What to write instead.
    public var fix: String {
        if case .illegalHost = self { return "write an international name in its xn-- form" }
        return "write it as https://host/path"
    }
}
