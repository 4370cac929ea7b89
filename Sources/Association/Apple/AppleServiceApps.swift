// The apps of a service that has no patterns: webcredentials, appclips, activitycontinuation.

public import SourceJSON

/// A service that names apps and has no patterns.
public struct AppleServiceApps: Sendable {
    public var apps: [LocatedText]
    public var range: SourceRange

    public init(apps: [LocatedText], range: SourceRange) {
        self.apps = apps
        self.range = range
    }
}
