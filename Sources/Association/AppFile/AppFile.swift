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
}

extension AppFile {
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
