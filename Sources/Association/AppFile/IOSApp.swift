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
