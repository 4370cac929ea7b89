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
}

/// A configuration that cannot be loaded at all.
public struct ConfigurationError: Error, CustomStringConvertible {
    public let description: String

    init(description: String) { self.description = description }

    /// What cannot be read for want of descriptors or memory.
    init(_ path: String, _ shortage: SystemError) {
        description = "cannot read \(path): \(shortage.reason); raise LimitNOFILE= or ulimit -n, or give it more memory"
    }
}

public struct ConfigurationLoader: Sendable {
    private let tenants: Tenants

    /// - Parameters:
    ///   - signer: signs the documents that are to be signed; without one, each host's own certificate does.
    ///   - linkTargets: where links may lead, beside a host's own folder and `config/apps`.
    ///   - limits: bounds on what a host may have.
    public init(
        configPath: String, publicPath: String, environment: String?, signer: DocumentSigner? = nil,
        linkTargets: LinkTargets = .none, limits: Limits = Limits()
    ) {
        tenants = Tenants(
            configPath: configPath, publicPath: publicPath, environment: environment, signer: signer,
            linkTargets: linkTargets, limits: limits)
    }

    public func load() throws(ConfigurationError) -> LoadedConfiguration {
        let report = try tenants.round(.allAgain)
        if let postponed = report.postponed {
            throw ConfigurationError("all of \(tenants.configPath)", postponed.reason)
        }
        return LoadedConfiguration(
            catalogue: report.catalogue, findings: report.findings,
            hosts: report.catalogue.layers.last?.hosts.sorted() ?? [])
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
        _ = tree.list([""], into: &listing)
        return listing.files.keys.sorted().map { "\(tree.label)/\($0)" }
    }
}
