// Which links an Android app takes by its manifest alone: what decides on Android 14 and earlier, and on later versions
// where the app has no dynamic rules. A filter can include hosts and paths, and exclude nothing.

public import SourceJSON

/// The intent filters of a manifest that are for links of hosts.
public struct AndroidManifest: Sendable {
    /// As a message calls it.
    public var name: String
    /// Where it was read from.
    public var file: String?
    public var filters: [Filter]

    /// A filter that has VIEW, DEFAULT, BROWSABLE and http or https. Its elements count together: each scheme with each host
    /// and each path.
    public struct Filter: Sendable {
        public var schemes: [String]
        public var hosts: [String]
        public var paths: [ManifestPath]
        /// Whether Android verifies its hosts, which counts for the other filters too.
        public var isVerified: Bool
        public var range: SourceRange?
    }

    /// The manifest that `associated snippet` writes.
    public init(of app: AppFile) {
        name = "the manifest of `associated snippet`"
        filters = [
            Filter(
                schemes: ["http", "https"], hosts: app.hosts.map(\.text), paths: app.manifestPaths ?? [],
                isVerified: true)
        ]
    }

    /// The manifest in a file; nil where it is not well-formed, which a finding explains.
    public init?(_ bytes: [UInt8], file: String, findings: inout [Finding]) {
        var project = NativeProject(bytes, file: file)
        defer { findings += project.findings.sorted }
        guard let root = project.root(for: .ghst015, "Android installs no such app") else { return nil }
        name = "the manifest"
        self.file = file
        filters = root.all("intent-filter").compactMap { Filter($0, range: project.range($0.tag)) }
    }

    /// Whether there is a filter for a host.
    public func names(_ host: String) -> Bool {
        filters.contains { $0.hosts.contains { Filter.has($0, host) != false } }
    }

    /// What the manifest makes of a URL. Left open is what a build fills in, and what is not evaluated here.
    public func decide(_ url: LinkURL) -> MatchStep {
        let path = AndroidView.decode(url.pathBytes)
        let named = filters.filter { $0.hosts.contains { Filter.has($0, url.host) != false } }
        guard named.contains(where: \.isVerified) else {
            return step(
                .staysInBrowser, "\(name) has no verified filter for \(url.host), so the URL stays in the browser")
        }
        var open: ManifestPath?
        for filter in named where filter.schemes.containsExactly(url.scheme) {
            let isSure = filter.hosts.contains { Filter.has($0, url.host) == true }
            guard !filter.paths.isEmpty else {
                if isSure { return step(.opens, "\(name) covers every URL of the host, so the app opens", filter) }
                continue
            }
            for part in filter.paths {
                switch part.glob.map({ $0.matches(path) }) {
                case true? where isSure:
                    return step(.opens, "\(name) covers the URL with \(part.attribute), so the app opens", filter)
                case false?: continue
                default: open = open ?? part
                }
            }
        }
        if let open { return step(.leftOpen, "\(name) has \(open.attribute), which is not evaluated here") }
        if !named.contains(where: { $0.hosts.contains { Filter.has($0, url.host) == true } }) {
            return step(.leftOpen, "\(name) has hosts that a build fills in")
        }
        return step(.staysInBrowser, "no path of \(name) covers the URL, so it stays in the browser")
    }

    private func step(_ outcome: MatchStep.Outcome, _ message: String, _ filter: Filter? = nil) -> MatchStep {
        MatchStep(rule: nil, outcome: outcome, message: message, range: filter?.range)
    }
}

extension ManifestPath {
    /// As it stands in the manifest.
    public var attribute: String { "android:\(kind.rawValue)=\"\(text)\"" }
}

extension AndroidManifest.Filter {
    /// Nil for a filter that is for something else.
    fileprivate init?(_ filter: XMLElement, range: SourceRange) {
        let names = { (tag: String) in
            filter.children.filter { $0.name == tag }.compactMap { $0.attribute("name") }
        }
        let data = filter.children.filter { $0.name == "data" }
        schemes = data.compactMap { $0.attribute("scheme") }
        hosts = data.compactMap { $0.attribute("host") }
        paths = data.flatMap { element in
            ManifestPath.Kind.allCases.compactMap { kind in
                element.attribute(kind.rawValue).map { ManifestPath(kind, $0) }
            }
        }
        isVerified = filter.attribute("autoVerify") == "true"
        self.range = range
        let categories = ["android.intent.category.DEFAULT", "android.intent.category.BROWSABLE"]
        guard names("action").containsExactly("android.intent.action.VIEW"),
            categories.allSatisfy(names("category").containsExactly),
            schemes.containsExactly("http") || schemes.containsExactly("https")
        else { return nil }
    }

    /// Whether a host of the filter is that of a URL; nil for one that a build fills in. A star stands for any beginning.
    fileprivate static func has(_ pattern: String, _ host: String) -> Bool? {
        if pattern.begins(with: "@") || pattern.contains(run: "${") { return nil }
        return pattern.begins(with: "*")
            ? host.ends(with: pattern.dropping(firstBytes: 1)) : pattern.isIdentical(to: host)
    }
}
