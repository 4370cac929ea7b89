// Whether requests are logged, where, and how: `log` of `server.json`.

/// What is said of an access log before it is opened.
public struct AccessLogSettings: Hashable, Sendable {
    public var place = Place.off
    public var format = Format.json
    /// Which requests have a line.
    public var only = Only.all
    /// Whether a line has the query.
    public var hasQuery = true
    /// Whether handshakes that came to nothing have lines, which the JSON form has.
    public var hasHandshakes = false

    public enum Only: String, CaseIterable, Sendable {
        case all, errors, verifiers
    }

    public enum Place: Hashable, Sendable {
        case off
        case standardOutput
        case file(String)
    }

    public enum Format: String, CaseIterable, Sendable {
        case json, combined
    }

    public init() {}
}

extension AccessLogSettings.Place {
    /// `off`, `stdout` or a path. A path has a slash or a dot, so that a slip in one of the words does not become a file.
    public init?(_ text: String) {
        switch text {
        case "off": self = .off
        case "stdout": self = .standardOutput
        default:
            guard text.contains("/") || text.contains("."), !text.hasSuffix("/"), !text.hasSuffix("."),
                !text.utf8.contains(0)
            else { return nil }
            self = .file(text)
        }
    }

    /// What to write instead of what is none of these.
    public static let advice = "write `off`, `stdout`, or a path such as `access.log`"
}
