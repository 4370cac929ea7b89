// The `ios` part of an app file.

/// What an app file says about the app on Apple's platforms.
public struct IOSApp: Sendable {
    /// Each as it is served: ten-character prefix, dot, bundle id.
    public var appIDs: [String]
    public var services: [AppleService]
    /// The ids of App Clips; they make up the `appclips` service.
    public var appClips: [String]
    /// The number of the app in the App Store.
    public var storeID: String?
    /// Whether `paths` and `apps: []` are written too, for iOS 9 to 12.
    public var hasLegacyPaths: Bool
    public var signing: DocumentSigning
    public var defaults: AppleDefaults
    public var variables: [SubstitutionVariable]

    public init(
        appIDs: [String], services: [AppleService] = AppleService.defaults, appClips: [String] = [],
        storeID: String? = nil, hasLegacyPaths: Bool = false, signing: DocumentSigning = .none,
        defaults: AppleDefaults = AppleDefaults(), variables: [SubstitutionVariable] = []
    ) {
        self.appIDs = appIDs
        self.services = services
        self.appClips = appClips
        self.storeID = storeID
        self.hasLegacyPaths = hasLegacyPaths
        self.signing = signing
        self.defaults = defaults
        self.variables = variables
    }
}

/// A service of the association document. App Clips have no case: naming one turns their service on.
public enum AppleService: String, Hashable, Sendable, CaseIterable {
    case applinks
    case webcredentials
    case activitycontinuation

    public static let defaults: [AppleService] = [.applinks, .webcredentials]
}

/// What is served as a signed message instead of plain JSON.
public enum DocumentSigning: String, Hashable, Sendable, CaseIterable {
    case none
    /// Only the copy at the root of the site, which is all that iOS 8 asked for.
    case root
    case everywhere
}

/// The keys that rules inherit. Apple lets patterns be inherited too; an app file does not, because a rule whose path
/// stands somewhere else surprises its reader.
public struct AppleDefaults: Hashable, Sendable {
    public var caseSensitive: Bool?
    public var percentEncoded: Bool?

    public init(caseSensitive: Bool? = nil, percentEncoded: Bool? = nil) {
        self.caseSensitive = caseSensitive
        self.percentEncoded = percentEncoded
    }

    public var isEmpty: Bool { caseSensitive == nil && percentEncoded == nil }
}
