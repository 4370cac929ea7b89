// From `config/` and `public/` to a catalogue, once: for whoever wants to know what would be served, and then be gone.

public import Association
public import Catalogue
public import HTTP
public import Posix
public import TLS

/// What loading gave.
public struct LoadedConfiguration: Sendable {
    public let catalogue: Catalogue
    public let findings: [Finding]
    /// The hosts that are served, in order; wildcards with their asterisk.
    public let hosts: [String]
    /// About hosts that are served although no app file names them. They may be meant, so a server does not mention them.
    public let strays: [Finding]
}

/// A configuration that cannot be loaded at all.
public struct ConfigurationError: Error, CustomStringConvertible {
    public let description: String
    /// There was no descriptor or no memory: it may be read in a moment.
    public let shortage: SystemError?

    init(description: String) { (self.description, shortage) = (description, nil) }

    init(_ path: String, _ shortage: SystemError) {
        self.shortage = shortage
        description = "cannot read \(path): \(shortage.reason); raise LimitNOFILE= or ulimit -n, or give it more memory"
    }
}

public struct ConfigurationLoader: Sendable {
    private let tenants: Tenants

    /// - Parameters:
    ///   - signer: signs the documents that are to be signed; without one, each host's own certificate does.
    ///   - linkTargets: where links may lead, beside a host's own folder and `config/apps`.
    ///   - limits: bounds on what a host may have.
    ///   - owners: which hosts the app files of a folder may name.
    public init(
        configPath: String, publicPath: String, environment: String?, signer: DocumentSigner? = nil,
        linkTargets: LinkTargets = .none, limits: Limits = Limits(), owners: HostOwners = HostOwners()
    ) {
        tenants = Tenants(
            configPath: configPath, publicPath: publicPath, environment: environment, signer: signer,
            linkTargets: linkTargets, limits: limits, owners: owners)
    }

    public func load() throws(ConfigurationError) -> LoadedConfiguration {
        let report = try tenants.round(.allAgain)
        let hosts = report.catalogue.layers.last?.hosts.sorted() ?? []
        return LoadedConfiguration(
            catalogue: report.catalogue, findings: report.findings, hosts: hosts, strays: strays(among: hosts))
    }

    private static let comparisonsMax = 1_000_000

    /// A folder of `config/hosts` whose name no app file mentions is a host, or a typing error.
    private func strays(among hosts: [String]) -> [Finding] {
        let (ledger, folders) = (tenants.memory.ledger, tenants.folders)
        func isNamed(_ host: String) -> Bool { !ledger.paths(naming: host).isEmpty }
        let strays = hosts.filter { !isNamed($0) && !HostNames.wildcards(over: $0).contains(where: isNamed) }
        // Every pair is compared, so that is left alone where there are very many.
        let named = ledger.hosts.count * strays.count > ConfigurationLoader.comparisonsMax ? [] : ledger.hosts.sorted()
        return strays.map { host in
            let nearest = NearestKey.find(host, among: named)
            return Finding(
                rule: .cfg011, severity: nearest == nil ? .note : .warning, file: folders.wellKnownPath(of: host),
                range: nil, message: "no app file names \(host), so only the files of its folder are served there",
                fix: nearest.map { "did you mean `\($0)`?" })
        }
    }
}

extension ConfigurationLoader {
    /// The paths of the app files of a configuration, for whoever reads them one by one; nil where it has no folder of them.
    /// What cannot be looked into is among the findings of `load`.
    public static func appFiles(configPath: String, linkTargets: LinkTargets, limits: Limits) -> [String]? {
        guard let tree = try? AppTree(configPath: configPath, "apps", links: linkTargets, limits: limits) else {
            return nil
        }
        var listing = AppTree.Listing()
        guard (try? tree.list([""], into: &listing)) != nil else { return nil }
        return listing.files.keys.sorted().map { "\(tree.label)/\($0)" }
    }
}
