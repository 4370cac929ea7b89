// The one source of everything that is served for an app: what a person writes in `config/apps/`, read and checked.
// It is a value; nothing here knows where it was stored, and nothing is rendered from it but through `Renderer`.

public import SourceJSON

/// One app on both platforms, and the hosts it belongs to.
public struct AppFile: Sendable {
    /// How its reader named the file: the label of findings and the second key of the merge order.
    public var file: String
    public var name: String
    public var hosts: [HostPattern]
    public var ios: IOSApp? { didSet { translation = nil } }
    public var android: AndroidApp? { didSet { translation = nil } }
    /// The custom URL scheme, for snippets and the landing page.
    public var scheme: String?
    /// The rules in Apple's dialect; the first that matches decides.
    public var links: [AppleComponent] { didSet { translation = nil } }
    public var examples: [LinkExample]
    /// Files that share a host are merged from the lowest number up, then by path.
    public var priority: Int
    /// How long what is served may be cached.
    public var cacheSeconds: Int
    /// What happens when something that is live disappears from the file.
    public var removalGuard: RemovalGuard
    public var retired: RetiredIdentities
    public var pages: PageOptions
    /// The names under `environments`.
    public var environments: [String]
    /// The overlay that was applied, if any.
    public var environment: String?
    public var ranges: Ranges
    /// The rules for Android, as long as nothing that they are made from is changed.
    var translation: TranslatedList<AndroidRule>?

    /// Where things were written, for findings that are made after reading.
    public struct Ranges: Sendable {
        public var root: SourceRange
        public var hosts: [SourceRange] = []
        public var appIDs: [SourceRange] = []
        public var packages: [SourceRange] = []
        public var links: SourceRange?
        public var iosDefaults: SourceRange?
        public var variables: [SourceRange] = []
        public var dynamicRules: SourceRange?
        public var legacyPaths: SourceRange?
        public var signed: SourceRange?
        public var cacheControl: SourceRange?

        public init(root: SourceRange) { self.root = root }
    }

    /// An app file with nothing but its name; the rest has its default.
    public init(file: String, name: String, hosts: [HostPattern], range: SourceRange) {
        self.file = file
        self.name = name
        self.hosts = hosts
        links = []
        examples = []
        priority = 0
        cacheSeconds = Self.cacheSecondsDefault
        removalGuard = .block
        retired = RetiredIdentities()
        pages = PageOptions()
        environments = []
        ranges = Ranges(root: range)
    }

    /// One hour: what Apple's and Google's caches do with the file anyway, and short enough to roll out a change.
    public static let cacheSecondsDefault = 3600

    /// Its page in the App Store, when it says which app it is there.
    public var appStoreURL: String? {
        ios?.storeID.map { "https://apps.apple.com/app/id\($0)" }
    }

    /// Its page in Google Play; the id there is the package name.
    public var playStoreURL: String? {
        guard let android, android.isInPlayStore else { return nil }
        return android.packages.first.map { "https://play.google.com/store/apps/details?id=\($0.name)" }
    }
}

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

    /// In the form that rules inherit from.
    package var component: AppleComponent {
        AppleComponent(caseSensitive: caseSensitive, percentEncoded: percentEncoded)
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

/// What an app file says about the app on Android.
public struct AndroidApp: Sendable {
    public var packages: [AndroidPackage]
    /// In full: `delegate_permission/common.handle_all_urls`.
    public var relations: [String]
    /// Whether the rules are published for Android 15; without them the app's manifest alone decides.
    public var hasDynamicRules: Bool
    public var isInPlayStore: Bool

    public init(
        packages: [AndroidPackage], relations: [String] = [AndroidApp.handleAllURLs], hasDynamicRules: Bool = false,
        isInPlayStore: Bool = true
    ) {
        self.packages = packages
        self.relations = relations
        self.hasDynamicRules = hasDynamicRules
        self.isInPlayStore = isInPlayStore
    }

    /// The relation that opens links, and the only one that dynamic rules belong to.
    public static let handleAllURLs = "delegate_permission/common.handle_all_urls"
}

/// A package and the certificates that its builds are signed with.
public struct AndroidPackage: Hashable, Sendable {
    public var name: String
    /// As they are served: upper case, 32 pairs, colons.
    public var fingerprints: [String]

    public init(name: String, fingerprints: [String]) {
        self.name = name
        self.fingerprints = fingerprints
    }
}

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

/// How the pages of the app's hosts behave.
public struct PageOptions: Hashable, Sendable {
    /// Any path without a file answers `index.html`.
    public var isSinglePageApp: Bool
    /// A path that a rule includes, without a file, answers the landing page; unless it is set, it does where the other does not.
    public var hasLandingPage: Bool
    /// The sentence under the app's name on the landing page.
    public var tagline: String?

    public init(isSinglePageApp: Bool = false, hasLandingPage: Bool = true, tagline: String? = nil) {
        self.isSinglePageApp = isSinglePageApp
        self.hasLandingPage = hasLandingPage
        self.tagline = tagline
    }
}

/// What the server does when an app id, fingerprint, host or whole file that is live disappears.
public enum RemovalGuard: String, Hashable, Sendable, CaseIterable {
    /// Keeps the last version until the file lists it as retired.
    case block
    case warn
    case off
}

/// What a file says it has taken out of service on purpose.
public struct RetiredIdentities: Hashable, Sendable {
    public var appIDs: [String]
    /// In the form they are served in.
    public var fingerprints: [String]
    public var hosts: [HostPattern]

    public init(appIDs: [String] = [], fingerprints: [String] = [], hosts: [HostPattern] = []) {
        self.appIDs = appIDs
        self.fingerprints = fingerprints
        self.hosts = hosts
    }
}
