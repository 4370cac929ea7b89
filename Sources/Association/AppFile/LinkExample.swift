// One line of an app file's `examples`: a contract test of its rules.

public import SourceJSON

/// A URL and where it must open on each platform.
public struct LinkExample: Sendable {
    public var url: LinkURL
    /// What is expected on each platform; nil where nothing is said.
    public var ios: Outcome?
    public var android: Outcome?
    public var range: SourceRange

    /// Where a URL opens.
    public enum Outcome: String, Hashable, Sendable, CaseIterable {
        case app
        case web
    }

    public init(url: LinkURL, ios: Outcome?, android: Outcome?, range: SourceRange) {
        self.url = url
        self.ios = ios
        self.android = android
        self.range = range
    }
}
