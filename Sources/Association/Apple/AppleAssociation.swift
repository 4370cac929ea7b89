// What an apple-app-site-association file says, in one shape for every form that is met in the wild: components and
// legacy paths, appIDs and appID, details as an array or as the object of 2015. What a system would ignore is left out
// here and reported as a finding by the reader; who wins where two keys compete is decided as Apple's tool shows it.

public import SourceJSON

/// An apple-app-site-association file.
public struct AppleAssociation: Sendable {
    public var applinks: AppleLinks?
    public var webcredentials: AppleServiceApps?
    public var appclips: AppleServiceApps?
    public var activitycontinuation: AppleServiceApps?
    public var range: SourceRange

    public init(
        applinks: AppleLinks? = nil, webcredentials: AppleServiceApps? = nil, appclips: AppleServiceApps? = nil,
        activitycontinuation: AppleServiceApps? = nil, range: SourceRange
    ) {
        self.applinks = applinks
        self.webcredentials = webcredentials
        self.appclips = appclips
        self.activitycontinuation = activitycontinuation
        self.range = range
    }
}
