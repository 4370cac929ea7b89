// One line of an app file's `examples`: a contract test of its rules.

public import SourceJSON

/// A URL and where it must open on each platform.
public struct LinkExample: Sendable {
    public var url: LinkURL
    /// What is expected on each platform; nil where nothing is said.
    public var ios: Outcome?
    public var android: Outcome?
    /// On Android 14 and earlier, where the manifest alone decides; what `android` says unless it is written.
    public var android14: Outcome?
    public var range: SourceRange

    /// The keys of the long form.
    static let platforms = ["ios", "android", "android14"]

    /// Where a URL opens.
    public enum Outcome: String, Hashable, Sendable, CaseIterable {
        case app
        case web
    }

    public init(url: LinkURL, ios: Outcome?, android: Outcome?, android14: Outcome?, range: SourceRange) {
        self.url = url
        self.ios = ios
        self.android = android
        self.android14 = android14 ?? android
        self.range = range
    }
}
