// The services of the association document that an app file can ask for by name.

/// A service of the association document. App Clips have no case: naming one turns their service on.
public enum AppleService: String, Hashable, Sendable, CaseIterable {
    case applinks
    case webcredentials
    case activitycontinuation

    public static let defaults: [AppleService] = [.applinks, .webcredentials]
}
