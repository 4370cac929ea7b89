// The content of an apple-app-site-association file, in one model for all forms in use: components and legacy paths, appIDs and
// appID, details as an array or as the object of 2015. It does not have what systems ignore; the reader reports that. Which of two
// competing keys wins is decided as in Apple's tool.

public import SourceJSON

/// An apple-app-site-association file.
public struct AppleAssociation: Sendable {
    /// The services that can name apps, by their keys.
    package static let services = ["applinks", "webcredentials", "appclips", "activitycontinuation"]
    /// Services that Apple's systems know and this project does not check.
    package static let otherServices = ["authsrv", "messagefilter", "classificationreport"]

    public var applinks: AppleLinks?
    public var webcredentials: AppleServiceApps?
    public var appclips: AppleServiceApps?
    public var activitycontinuation: AppleServiceApps?
    public var range: SourceRange

    /// The ids of all apps, each once.
    public var apps: [String] {
        let services = [webcredentials, appclips, activitycontinuation].flatMap { $0?.apps ?? [] }
        return ((applinks?.details.flatMap(\.appIDs) ?? []) + services).map(\.text).eachOnce
    }
}

/// The service of universal links.
public struct AppleLinks: Sendable {
    /// In the order that decides between apps.
    public var details: [AppleDetail]
    public var defaults: AppleComponent?
    public var variables: [SubstitutionVariable]
    /// Whether there is the key `apps`, which iOS 9 to 12 require.
    public var hasApps: Bool
    public var range: SourceRange
}

/// One entry of `details`: apps and the rules for them.
public struct AppleDetail: Sendable {
    /// The apps in effect: `appIDs` if it is an array, otherwise `appID`.
    public var appIDs: [LocatedText]
    /// The rules of iOS 13 and later; nil if the key is missing, which is different from empty.
    public var components: [AppleComponent]?
    /// The rules of iOS 9 to 12, and of later versions if `components` is missing.
    public var paths: [AppleLegacyPath]?
    public var defaults: AppleComponent?
    /// The places in the written lists of elements that are not rules, and not in the lists above.
    public var ignoredComponents: [Int] = []
    public var ignoredPaths: [Int] = []
    public var range: SourceRange

    public init(
        appIDs: [LocatedText], components: [AppleComponent]? = nil, paths: [AppleLegacyPath]? = nil,
        defaults: AppleComponent? = nil, range: SourceRange
    ) {
        (self.appIDs, self.components, self.paths) = (appIDs, components, paths)
        (self.defaults, self.range) = (defaults, range)
    }
}

/// One entry of the legacy `paths`.
public struct AppleLegacyPath: Hashable, Sendable {
    /// As it was written.
    public var text: String
    /// Without the prefix `NOT `.
    public var pattern: String
    public var exclude: Bool
    public var range: SourceRange
}

/// A service that names apps and has no patterns.
public struct AppleServiceApps: Sendable {
    public var apps: [LocatedText]
    public var range: SourceRange
}

/// The paths of the association files.
public enum AssociationPath {
    public static let apple = "/.well-known/apple-app-site-association"
    /// The path that iOS 8 requested, and current systems do not.
    public static let appleRoot = "/apple-app-site-association"
    public static let statements = "/.well-known/assetlinks.json"
    public static let passkeyEndpoints = "/.well-known/passkey-endpoints"
    /// The other origins that may use the host's passkeys.
    public static let relatedOrigins = "/.well-known/webauthn"
}
