// One side of a comparison: what its hosts publish. It is made from app files, which are merged and rendered as the server does it,
// or from the two documents of a host. The documents are read again, so that what phones get decides, and not what was meant.

public import Association
import SourceJSON

/// What hosts publish, before or after a change.
public struct PublishedHosts: Sendable {
    /// By the text of its pattern.
    let hosts: [String: PublishedHost]
    /// The app files by name, for the removal guard; none for documents.
    let appFiles: [String: AppFile]
    /// The app files that were retired: their names, and what they had.
    let retiredFiles: Set<String>
    let retiredEntries: Set<LiveIdentity>
    /// The host of documents: it is compared with the other side, whatever the name of that is.
    let onlyHost: String?
    /// Because of these, a server would not publish the documents, or no system reads them.
    public let problems: [Finding]

    /// - Parameters:
    ///   - apps: with names that are the same on both sides for one file.
    ///   - retiredFiles: the names of the files that are retired.
    ///   - retiredApps: those of them that can be read.
    public init(appFiles apps: [AppFile], retiredFiles: Set<String> = [], retiredApps: [AppFile] = []) {
        let entries = Set(retiredApps.flatMap(LiveIdentity.all))
        self.init(appFiles: apps, retiredFiles: retiredFiles, retiredEntries: entries)
    }

    /// - Parameter retiredEntries: what may go.
    package init(appFiles apps: [AppFile], retiredFiles: Set<String> = [], retiredEntries: Set<LiveIdentity>) {
        let order = Renderer.mergeOrder(apps)
        var byHost: [String: [Int]] = [:]
        for (index, app) in order.enumerated() {
            for host in Set(app.hosts.map(\.text)) { byHost[host, default: []].append(index) }
        }
        // Many hosts often have the same apps.
        var known: [[Int]: PublishedHost] = [:]
        var problems: [Finding] = []
        let manifests = order.map { app in app.android.map { _ in app.manifestPaths ?? [] } }
        hosts = byHost.mapValues { indices in
            if let host = known[indices] { return host }
            let documents = Renderer.documents(for: indices.map { order[$0] })
            problems += documents.findings.filter { $0.severity == .error }
            var host = PublishedHost(apple: documents.appleBytes, statements: documents.statementBytes, manifests: [:])
            for index in indices {
                for package in order[index].android?.packages ?? [] {
                    let (paths, others) = (manifests[index] ?? [], host.manifests?[package.name])
                    let isWhole = paths.isEmpty || others?.isEmpty == true
                    host.manifests?[package.name] = isWhole ? [] : (others ?? []) + paths
                }
            }
            known[indices] = host
            return host
        }
        appFiles = Dictionary(apps.map { ($0.file, $0) }) { first, _ in first }
        (self.retiredFiles, onlyHost) = (retiredFiles, nil)
        self.retiredEntries = retiredEntries
        self.problems = problems
    }

    /// The documents that a host serves; nil for one that it does not have.
    public init(host: String, apple: [UInt8]?, statements: [UInt8]?) {
        let isEmpty = apple == nil && statements == nil
        hosts = isEmpty ? [:] : [host: PublishedHost(apple: apple, statements: statements, manifests: nil)]
        (appFiles, retiredFiles, retiredEntries, onlyHost) = ([:], [], [], host)
        let readings = [
            apple.map { AppleAssociation.read($0, file: "https://\(host)\(AssociationPath.apple)") }
                .map { ($0.association == nil, $0.findings) },
            statements.map { StatementList.read($0, file: "https://\(host)\(AssociationPath.statements)") }
                .map { ($0.list == nil, $0.findings) },
        ]
        problems = readings.compactMap(\.self).flatMap { isRejected, findings in isRejected ? findings : [] }
    }

    /// The hosts with a file for Apple that others have not, or have another of.
    public func hostsWithNewAppleFile(since others: PublishedHosts) -> [String] {
        hosts.filter { name, host in host.apple != nil && host.apple != others.hosts[name]?.apple }.keys.sorted()
    }

    /// What is published for a host, or for a wildcard: by its own name, or by the nearest wildcard above it.
    func host(_ name: String) -> PublishedHost? {
        if let onlyHost { return hosts[onlyHost] }
        var rest = name.begins(with: "*.") ? name.dropFirst(2) : name[...]
        if let own = hosts[name] { return own }
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            if let wide = hosts["*.\(rest)"] { return wide }
        }
        return nil
    }
}

/// The documents of a host.
struct PublishedHost: Hashable, Sendable {
    var apple: [UInt8]?
    var statements: [UInt8]?
    /// The paths of the manifest of each package, as `associated snippet` writes it; an empty list for all paths. Nil if app files
    /// are not known.
    var manifests: [String: [ManifestPath]]?
}

/// What phones read in the documents of a host.
struct PublishedRules {
    private let matching: LinkMatching
    private let apple: AppleAssociation?
    let entries: Set<PublishedEntry>
    /// The lists of iOS 9 to 12 by app.
    private let legacy: [String: AppleMatcher]

    /// - Parameter manifests: whether to use them; not if the other side has none.
    init(_ published: PublishedHost?, host: String, withManifests: Bool) {
        var matching = LinkMatching(origin: host)
        apple = published?.apple.flatMap { AppleAssociation.read($0, file: host).association }
        let list = published?.statements.flatMap { StatementList.read($0, file: host).list }
        if let apple { matching.apple = LinkMatching.apple(of: apple, file: host) }
        if let list { matching.android = LinkMatching.android(of: list, file: host) }
        for index in withManifests ? matching.android.indices : 0..<0 {
            let paths = published?.manifests?[matching.android[index].package] ?? []
            matching.android[index].manifest = AndroidManifest(
                name: host, file: nil,
                filters: [.init(schemes: ["http", "https"], hosts: [host], paths: paths, isVerified: true)])
        }
        self.matching = matching
        var legacy: [String: AppleMatcher] = [:]
        for detail in apple?.applinks.map({ $0.hasApps ? $0.details : [] }) ?? [] {
            guard let paths = detail.paths else { continue }
            let matcher = AppleMatcher(paths: paths.map(\.text))
            for id in detail.appIDs where legacy[id.text] == nil { legacy[id.text] = matcher }
        }
        self.legacy = legacy
        entries = PublishedEntry.all(of: apple, list)
    }

    /// The apps that have rules on a system, in their order.
    func apps(on system: PhoneSystem) -> [String] {
        switch system {
        case .ios: matching.apple.map(\.appID)
        case .ios12: matching.apple.map(\.appID).filter { legacy[$0] != nil }
        case .android: matching.android.map(\.package)
        case .android14: matching.android.filter { $0.manifest != nil }.map(\.package)
        }
    }

    /// When a URL opens an app. Each app is looked at as if the phone had no other: with several, the system chooses one of those
    /// that may open the URL.
    func rules(of name: String, on system: PhoneSystem) -> OpeningRules {
        switch system {
        case .ios:
            guard let app = matching.apple.first(where: { $0.appID.isIdentical(to: name) }), app.problem == nil else {
                return .never
            }
            let every = AppleMatcher(components: [AppleComponent(path: "*")])
            guard case .list(let matcher) = app.rules else {
                return OpeningRules(lists: [.apple(every)], opens: app.opens)
            }
            return OpeningRules(lists: [.apple(matcher)], opens: app.opens)
        case .ios12:
            guard let matcher = legacy[name] else { return .never }
            return OpeningRules(lists: [.apple(matcher)]) { matcher.decide($0).opens }
        case .android, .android14:
            guard let app = matching.android.first(where: { $0.package.isIdentical(to: name) }),
                app.rejectedBy.count < StatementConsumer.allCases.count
            else { return .never }
            let paths = app.manifest?.filters.first?.paths ?? []
            let manifest = RuleList.android(AndroidMatcher(covering: paths))
            if system == .android14 {
                return OpeningRules(lists: [manifest]) { app.manifest?.decide($0).outcome == .opens }
            }
            let rules = app.matcher.flatMap {
                $0.count == 0 || $0.discardedBecauseOf != nil ? nil : RuleList.android($0)
            }
            // Without a known manifest, it is assumed to cover every URL.
            return OpeningRules(lists: [rules, manifest].compactMap(\.self)) { app.opens($0) ?? true }
        }
    }
}

/// Systems that decide differently which URL opens an app. The raw values are those of JSON.
public enum PhoneSystem: String, CaseIterable, Sendable {
    case ios, ios12, android, android14

    public var name: String {
        switch self {
        case .ios: "iOS 13 and later"
        case .ios12: "iOS 9 to 12"
        case .android: "Android 15 and later"
        case .android14: "Android 14 and earlier"
        }
    }
}

/// Something else that a host says about an app.
struct PublishedEntry: Hashable, Sendable {
    var kind: Kind
    /// The app id or package.
    var app: String
    /// The name of the service, the relation without its prefix, or the fingerprint.
    var value = ""

    /// In the order of a list.
    enum Kind: Int {
        case host, app, service, relation, fingerprint

        /// Its name in JSON.
        var name: String { "\(self)" }
    }

    static func all(of apple: AppleAssociation?, _ list: StatementList?) -> Set<PublishedEntry> {
        var all: Set<PublishedEntry> = []
        let services: [(String, [LocatedText])] = [
            ("applinks", apple?.applinks?.details.flatMap(\.appIDs) ?? []),
            ("webcredentials", apple?.webcredentials?.apps ?? []), ("appclips", apple?.appclips?.apps ?? []),
            ("activitycontinuation", apple?.activitycontinuation?.apps ?? []),
        ]
        for (service, ids) in services {
            for id in ids {
                all.insert(PublishedEntry(kind: .app, app: id.text))
                all.insert(PublishedEntry(kind: .service, app: id.text, value: service))
            }
        }
        for statement in list?.statements ?? [] {
            guard case .androidApp(let package, let fingerprints)? = statement.target else { continue }
            all.insert(PublishedEntry(kind: .app, app: package.text))
            for relation in statement.relations {
                let name = AndroidRelation.shortened(relation.text)
                all.insert(PublishedEntry(kind: .relation, app: package.text, value: name))
            }
            for print in fingerprints {
                all.insert(PublishedEntry(kind: .fingerprint, app: package.text, value: print.text))
            }
        }
        return all
    }
}
