// The content of an app file, read and checked: the source of everything that is served for an app. `Renderer` makes documents
// from it.

public import SourceJSON

/// One app on both platforms, and the hosts it belongs to.
public struct AppFile: Sendable {
    /// The name of the file, as its reader got it: the label of findings and the second key of the merge order.
    public var file: String
    public var name: String
    public var hosts: [HostPattern]
    public var ios: IOSApp? { didSet { translation = nil } }
    public var android: AndroidApp? { didSet { translation = nil } }
    /// The custom URL scheme, for snippets and the landing page.
    public var scheme: String?
    /// The rules in Apple's form; the first that matches decides.
    public var links: [AppleComponent] = [] { didSet { translation = nil } }
    public var examples: [LinkExample] = []
    /// Files that share a host are merged from the lowest priority up, then by path.
    public var priority = 0
    public var cacheSeconds = Self.cacheSecondsDefault
    /// What happens when a live entry is removed from the file.
    public var removalGuard = RemovalGuard.block
    public var retired = RetiredIdentities()
    public var pages = PageOptions()
    public var passkeys: Passkeys?
    public var ranges: Ranges
    /// The rules for Android; nil after a change of their sources.
    var translation: TranslatedList<AndroidRule>?

    /// Places in the file, for findings that are made after reading.
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
    }

    /// An app file with default values for everything else.
    public init(file: String, name: String, hosts: [HostPattern], range: SourceRange) {
        (self.file, self.name, self.hosts, ranges) = (file, name, hosts, Ranges(root: range))
    }

    /// One hour, the time that Apple's and Google's caches keep the file anyway, and short enough to roll out a change.
    public static let cacheSecondsDefault = 3600

    /// Its page in the App Store, if the file has its number there.
    public var appStoreURL: String? {
        ios?.storeID.map { "https://apps.apple.com/app/id\($0)" }
    }

    /// Its page in Google Play; the id there is the package name.
    public var playStoreURL: String? {
        guard let android, android.isInPlayStore else { return nil }
        return android.packages.first.map { "https://play.google.com/store/apps/details?id=\($0.name)" }
    }
}

/// The app on Apple's platforms.
public struct IOSApp: Sendable {
    /// In the served form: ten-character prefix, dot, bundle id.
    public var appIDs: [String]
    public var services = AppleService.defaults
    /// The ids of App Clips, for the `appclips` service.
    public var appClips: [String] = []
    public var storeID: String?
    /// Whether `paths` and `apps: []` are written too, for iOS 9 to 12.
    public var hasLegacyPaths = false
    public var signing = DocumentSigning.none
    public var defaults = AppleDefaults()
    public var variables: [SubstitutionVariable] = []
}

/// The keys that rules inherit. With Apple, rules inherit patterns too, but not in an app file, because a rule whose path is
/// written somewhere else surprises its reader.
public struct AppleDefaults: Hashable, Sendable {
    public var caseSensitive: Bool?
    public var percentEncoded: Bool?
}

extension AppFile {
    /// The defaults as components that rules inherit from.
    package var defaults: [AppleComponent] {
        [AppleComponent(caseSensitive: ios?.defaults.caseSensitive, percentEncoded: ios?.defaults.percentEncoded)]
    }
}

/// A service of the association document. There is no case for App Clips: listing one turns their service on.
public enum AppleService: String, Hashable, Sendable, CaseIterable {
    case applinks
    case webcredentials
    case activitycontinuation

    public static let defaults: [AppleService] = [.applinks, .webcredentials]
}

/// What is served as a signed document instead of plain JSON.
public enum DocumentSigning: String, Hashable, Sendable, CaseIterable {
    case none
    /// Only the copy at the root of the site, the only one that iOS 8 requested.
    case root
    case everywhere
}

public struct AndroidApp: Sendable {
    public var packages: [AndroidPackage]
    /// In full: `delegate_permission/common.handle_all_urls`.
    public var relations = [AndroidApp.handleAllURLs]
    /// Whether the rules are published for Android 15; without them only the app's manifest decides.
    public var hasDynamicRules = false
    public var isInPlayStore = true

    /// The relation that opens links, and the only one with dynamic rules.
    public static let handleAllURLs = "delegate_permission/common.handle_all_urls"
}

/// A package and the certificates of its builds.
public struct AndroidPackage: Hashable, Sendable {
    public var name: String
    /// In the served form: upper case, 32 pairs, colons.
    public var fingerprints: [String]
    /// What the file notes about some of them, such as `Play`. For people; not served.
    public var notes: [String: String] = [:]
}

/// A URL and where it must open on each platform.
public struct LinkExample: Sendable {
    public var url: LinkURL
    /// The expectation for each platform; nil without one.
    public var ios: Outcome?
    public var android: Outcome?
    /// On Android 14 and earlier, where only the manifest decides (default: `android`).
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
        (self.url, self.ios, self.android) = (url, ios, android)
        self.android14 = android14 ?? android
        self.range = range
    }
}

/// How the pages of the app's hosts behave.
public struct PageOptions: Hashable, Sendable {
    /// Whether any path without a file answers `index.html`.
    public var isSinglePageApp = false
    /// Whether a path without a file answers the landing page if a rule includes it (default: unless `isSinglePageApp`).
    public var hasLandingPage = true
    /// The sentence under the app's name on the landing page.
    public var tagline: String?
}

/// What the server does when a live app id, fingerprint, host or whole file is removed.
public enum RemovalGuard: String, Hashable, Sendable, CaseIterable {
    /// Keeps the last version until the file lists it as retired.
    case block
    case warn
    case off
}

/// The identities that a file has retired on purpose.
public struct RetiredIdentities: Hashable, Sendable {
    public var appIDs: [String]
    /// In the served form.
    public var fingerprints: [String]
    public var hosts: [HostPattern]

    public init(appIDs: [String] = [], fingerprints: [String] = [], hosts: [HostPattern] = []) {
        (self.appIDs, self.fingerprints, self.hosts) = (appIDs, fingerprints, hosts)
    }
}
