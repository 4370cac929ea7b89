// From `config/` and `public/` to a catalogue: app files are read, grouped by host, rendered and prepared. What is wrong
// somewhere is a finding there and takes nothing else with it.

public import Association
public import Catalogue
import Posix
public import TLS

/// What loading gave.
public struct LoadedConfiguration: Sendable {
    public let catalogue: Catalogue
    public let findings: [Finding]
    /// The app files that are served.
    public let appCount: Int
    /// The hosts that are served, in order; wildcards with their asterisk.
    public let hosts: [String]
}

/// A configuration that cannot be loaded at all.
public struct ConfigurationError: Error, CustomStringConvertible {
    public let description: String
}

public struct ConfigurationLoader: Sendable {
    private let configPath: String
    private let publicPath: String
    private let environment: String?
    /// Outlives a single load, because what is signed again would be other bytes.
    private let signer: DocumentSigner

    /// - Parameter signer: signs the documents that are to be signed; without one, each host's own certificate does.
    public init(configPath: String, publicPath: String, environment: String?, signer: DocumentSigner? = nil) {
        self.configPath = configPath
        self.publicPath = publicPath
        self.environment = environment
        self.signer = signer ?? DocumentSigner(hostsPath: "\(configPath)/hosts")
    }

    /// Whether certificates that sign documents have changed since they were loaded. Asked now and then.
    public func needsSigning() -> Bool { signer.hasChanges() }

    public func load() throws(ConfigurationError) -> LoadedConfiguration {
        let apps: (loaded: [LoadedAppFile], findings: [Finding])
        do {
            apps = try AppFiles.load(below: "\(configPath)/apps", environment: environment)
        } catch {
            let advice =
                error.cause == .permission
                ? "let the server's user read it" : "name the folder that holds apps/ with --config"
            throw ConfigurationError(description: "cannot read \(configPath)/apps: \(error.reason); \(advice)")
        }
        var findings = apps.findings
        var builder = CatalogueBuilder()
        let defaultPages = PageSet(below: "\(publicPath)/_default", findings: &findings)
        let wellKnown = HostFolders.wellKnown(below: "\(configPath)/hosts", findings: &findings)
        var hosts: [String] = []
        defer { signer.endRound() }
        let landings = LandingPages(apps.loaded)
        for site in sites(of: apps.loaded, and: wellKnown.keys) {
            var answers = pages(of: site.names, over: defaultPages, &findings)
            guard site.apps.isEmpty || addDocuments(of: site.host, site.apps, to: &answers, &findings) else { continue }
            for name in site.names {
                if let verbatim = wellKnown[name] { answers.merge(verbatim.answers) { _, verbatim in verbatim } }
            }
            let isSinglePageApp = site.apps.contains { $0.appFile.pages.isSinglePageApp }
            builder.add(
                PreparedSite(
                    host: site.host, answers: answers.map { ($0.key, $0.value) }, landings: landings.of(site.apps),
                    fallback: isSinglePageApp ? answers["/index.html"] : nil))
            hosts.append(site.host)
        }
        return LoadedConfiguration(
            catalogue: builder.finish(), findings: findings, appCount: apps.loaded.count, hosts: hosts)
    }

    /// One site to be made.
    private struct Site {
        var host: String
        /// The names whose folders it is made of; what a later one has wins.
        var names: [String]
        var apps: [LoadedAppFile]
    }

    /// The sites in order of their hosts. A host with files of its own needs no app; below a wildcard it has those files
    /// beside everything that the wildcard has, or a stray file would end the association of a host.
    private func sites(of apps: [LoadedAppFile], and others: some Sequence<String>) -> [Site] {
        var groups: [String: [LoadedAppFile]] = [:]
        for app in apps {
            for host in app.appFile.hosts { groups[host.text, default: []].append(app) }
        }
        var sites = groups.map { Site(host: $0.key, names: [$0.key], apps: $0.value) }
        for host in others where groups[host] == nil {
            let wildcard = wildcards(over: host).first { groups[$0] != nil }
            sites.append(
                Site(
                    host: host, names: [wildcard, host].compactMap { $0 }, apps: wildcard.flatMap { groups[$0] } ?? []))
        }
        return sites.sorted { $0.host < $1.host }
    }

    /// The wildcards that cover a host, the most specific first.
    private func wildcards(over host: String) -> [String] {
        let labels = host.split(separator: ".")
        return labels.indices.dropFirst().map { "*." + labels[$0...].joined(separator: ".") }.filter { $0 != host }
    }

    private func pages(
        of names: [String], over defaults: PageSet, _ findings: inout [Finding]
    ) -> [String: PreparedAnswer] {
        var all = defaults.answers
        for name in names {
            let own = PageSet(below: "\(publicPath)/\(HostFolders.name(of: name))", findings: &findings)
            all.merge(own.answers) { _, own in own }
        }
        // Nothing under this prefix is ever a page: a stray file there would answer for a name that has a meaning.
        return all.filter { !$0.key.hasPrefix("/.well-known/") && $0.key != "/apple-app-site-association" }
    }

    /// Adds the association files. False when what was rendered must not be published.
    private func addDocuments(
        of host: String, _ apps: [LoadedAppFile], to answers: inout [String: PreparedAnswer],
        _ findings: inout [Finding]
    ) -> Bool {
        let documents = Renderer.documents(for: Renderer.mergeOrder(apps.map(\.appFile)), host: host)
        findings += documents.findings
        if documents.findings.contains(where: { $0.severity == .error }) { return false }
        let modified = apps.map(\.modified).max() ?? 0
        func answer(_ kind: AnswerKind, _ bytes: [UInt8]) -> PreparedAnswer {
            AnswerMaker.answer(
                Document(
                    kind: kind, contentType: "application/json", content: .bytes(bytes),
                    cacheSeconds: documents.cacheSeconds, modified: modified))
        }
        if let bytes = documents.appleBytes {
            let plain = answer(.appleAssociation, bytes)
            var signed: PreparedAnswer?
            if documents.signing != .none {
                signed = SignedAnswer(host: host, apps: apps, cacheSeconds: documents.cacheSeconds)
                    .make(bytes, by: signer, &findings)
            }
            // What is to be signed and cannot be is not there, not even unsigned, nor as a page of that name.
            answers["/.well-known/apple-app-site-association"] = documents.signing == .everywhere ? signed : plain
            answers["/apple-app-site-association"] = documents.signing == .none ? plain : signed
        }
        if let bytes = documents.statementBytes {
            answers["/.well-known/assetlinks.json"] = answer(.statementList, bytes)
        }
        return true
    }
}
