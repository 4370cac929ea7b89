// Loads `config/` and `public/` once, for commands that need to know what would be served.

public import Association
public import Catalogue
public import HTTP
public import Posix
public import SourceJSON
public import TLS

/// The result of loading.
public struct LoadedConfiguration: Sendable {
    public let catalogue: Catalogue
    public let findings: [Finding]
    /// The hosts that are served, sorted; wildcards with their asterisk.
    public let hosts: [String]
    /// Findings on hosts that are served although no app file names them. That can be intended, so a server does not log them.
    public let strays: [Finding]
}

/// The configuration cannot be loaded at all.
public struct ConfigurationError: Error, CustomStringConvertible {
    public let description: String
    /// Descriptors or memory ran out; another attempt may succeed.
    public let shortage: SystemError?

    init(description: String) { (self.description, shortage) = (description, nil) }

    init(_ path: String, _ shortage: SystemError) {
        self.shortage = shortage
        description = "cannot read \(path): \(shortage.reason); raise LimitNOFILE= or ulimit -n, or give it more memory"
    }
}

/// A function for an app file that was read and parsed.
public typealias AppFileInspector = @Sendable (_ path: String, _ bytes: [UInt8], _ document: SourceDocument) -> Void

public struct ConfigurationLoader: Sendable {
    private let tenants: Tenants

    /// - Parameters:
    ///   - signer: signs documents; if nil, each host's own certificate does.
    ///   - state: as for `Tenants`, to find what a start with this state would not publish. Nothing is saved there.
    ///   - linkTargets: folders that links may lead into, in addition to the host's own.
    ///   - limits: quotas of hosts and folders.
    ///   - owners: which hosts the app files of a folder may name.
    public init(
        configPath: String, publicPath: String, environment: String?, signer: DocumentSigner? = nil,
        state: (path: String, program: String)? = nil, linkTargets: LinkTargets = .none, limits: Limits = Limits(),
        owners: HostOwners = HostOwners()
    ) {
        tenants = Tenants(
            configPath: configPath, publicPath: publicPath, environment: environment, signer: signer,
            state: state, linkTargets: linkTargets, limits: limits, owners: owners)
        tenants.onlyReadsState = true
    }

    /// - Parameter inspect: called with each app file that is read, on several threads.
    public func load(inspecting inspect: AppFileInspector? = nil) throws(ConfigurationError) -> LoadedConfiguration {
        tenants.source.inspect = inspect
        let report = try tenants.round(.allAgain)
        let hosts = report.catalogue.layers.last?.hosts.sorted() ?? []
        return LoadedConfiguration(
            catalogue: report.catalogue, findings: report.findings, hosts: hosts, strays: strays(among: hosts))
    }

    private static let comparisonsMax = 1_000_000

    /// A folder of `config/hosts` that no app file names is a host of its own, or a typing error.
    private func strays(among hosts: [String]) -> [Finding] {
        let (appFiles, folders) = (tenants.memory.appFiles, tenants.folders)
        func isNamed(_ host: String) -> Bool { !appFiles.paths(naming: host).isEmpty }
        let strays = hosts.filter { !isNamed($0) && !HostName.wildcards(over: $0).contains(where: isNamed) }
        // Every pair is compared, so this is skipped for very large configurations.
        let named =
            appFiles.hosts.count * strays.count > ConfigurationLoader.comparisonsMax ? [] : appFiles.hosts.sorted()
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
    /// Whether a server has saved what it serves in a directory.
    public static func hasState(_ path: String) -> Bool { File.exists("\(path)/\(StateFolder.baseName)") }

    /// The paths of all app files of a configuration; nil if it has no `apps` folder. Unreadable folders are among the findings
    /// of `load`.
    public static func appFiles(configPath: String, linkTargets: LinkTargets, limits: Limits) -> [String]? {
        let folders = HostFolders(configPath: configPath, publicPath: "", linkTargets: linkTargets, limits: limits)
        var listing = AppTree.Listing()
        guard let tree = try? AppTree(folders), (try? tree.list([""], into: &listing)) != nil else { return nil }
        return listing.files.keys.sorted().map { "\(tree.label)/\($0)" }
    }
}
