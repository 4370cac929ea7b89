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
        let renderer = SiteRenderer(
            signer: signer, defaults: PageSet(below: "\(publicPath)/_default", findings: &findings))
        let wellKnown = HostFolders.wellKnown(below: "\(configPath)/hosts", findings: &findings)
        var builder = CatalogueBuilder()
        var hosts: [String] = []
        defer { signer.endRound() }
        for source in sources(of: apps.loaded, wellKnown, &findings) {
            let rendered = renderer.render(source)
            findings += rendered.findings
            guard let site = rendered.site else { continue }
            builder.add(site)
            hosts.append(site.host)
        }
        return LoadedConfiguration(
            catalogue: Catalogue(layers: [builder.finish()]), findings: findings, appCount: apps.loaded.count,
            hosts: hosts)
    }

    /// The sites in order of their hosts. A host with files of its own needs no app; below a wildcard it has those files
    /// beside everything that the wildcard has, or a stray file would end the association of a host.
    private func sources(
        of apps: [LoadedAppFile], _ wellKnown: [String: WellKnownFiles], _ findings: inout [Finding]
    ) -> [SiteSource] {
        var groups: [String: [LoadedAppFile]] = [:]
        for app in apps {
            for host in app.appFile.hosts { groups[host.text, default: []].append(app) }
        }
        return Set(groups.keys).union(wellKnown.keys).sorted().map { host in
            var names = [host]
            if groups[host] == nil, let wildcard = HostNames.wildcards(over: host).first(where: { groups[$0] != nil }) {
                names.insert(wildcard, at: 0)
            }
            let folders = names.map { name in
                SiteFolder(
                    pages: PageSet(below: "\(publicPath)/\(HostFolders.name(of: name))", findings: &findings),
                    wellKnown: wellKnown[name])
            }
            return SiteSource(host: host, apps: groups[names[0]] ?? [], folders: folders)
        }
    }
}
