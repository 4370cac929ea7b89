// Loads `config/` and `public/` once, for commands that need to know what would be served.

public import Association
public import Catalogue
public import HTTP
public import Posix
public import SourceJSON
import TLS

/// The result of loading.
public struct LoadedConfiguration: Sendable {
    public let catalogue: Catalogue
    public let findings: [Finding]
    /// The hosts that are served, sorted; wildcards with their asterisk.
    public let hosts: [String]
    /// Findings on hosts that no app file names, and on files that replace generated ones. That can be intended, so a server does
    /// not log them.
    public let strays: [Finding]
    /// The app files that are not in service, each with the hosts that it names; none if it cannot be read.
    public let refused: [(file: String, hosts: Set<String>)]
    /// The app files whose last good version of the given state is served instead of that on disk.
    public let keptFiles: Set<String>
    /// Whether the given state is of another configuration or environment.
    public let findsOtherState: Bool
    /// States that were set aside.
    public let otherStates: [OtherState]
}

/// The configuration cannot be loaded at all.
public struct ConfigurationError: Error, CustomStringConvertible {
    public let description: String
    /// Descriptors or memory ran out; another attempt may succeed.
    public let shortage: SystemError?

    public init(description: String) { (self.description, shortage) = (description, nil) }

    init(_ path: String, _ shortage: SystemError) {
        self.shortage = shortage
        description = "cannot read \(path): \(shortage.reason); raise LimitNOFILE= or ulimit -n, or give it more memory"
    }
}

/// A function for an app file that was read; the model is nil if it has errors.
public typealias AppFileInspector =
    @Sendable (_ path: String, _ bytes: [UInt8], _ document: SourceDocument, _ model: AppFile?) -> Void

extension Tenants {
    /// Loads everything once. With a state, the result is what a start with it would publish; nothing is saved.
    /// - Parameter inspect: called with each app file that is read, on several threads.
    public func load(inspecting inspect: AppFileInspector? = nil) throws(ConfigurationError) -> LoadedConfiguration {
        source.inspect = inspect
        onlyReadsState = true
        let report = try round(.allAgain)
        let hosts = report.catalogue.servedHosts.sorted()
        return LoadedConfiguration(
            catalogue: report.catalogue, findings: report.findings, hosts: hosts,
            strays: strays(among: hosts) + replacements(among: hosts),
            refused: memory.openFindings.files.keys.sorted().map {
                (source.file($0), Set(memory.openFindings.namedHosts[$0] ?? []))
            },
            keptFiles: Set(memory.appFiles.notInService.filter(isServed).map(source.file)),
            findsOtherState: report.hasNewOtherState, otherStates: report.otherStates)
    }

    private static let comparisonsMax = 1_000_000

    /// A folder of `config/hosts` that no app file names is a host of its own, or a typing error.
    private func strays(among hosts: [String]) -> [Finding] {
        let appFiles = memory.appFiles
        func isNamed(_ host: String) -> Bool { !appFiles.paths(naming: host).isEmpty }
        let strays = hosts.filter { !isNamed($0) && !HostName.wildcards(over: $0).contains(where: isNamed) }
        // Every pair is compared, so this is skipped for very large configurations.
        let named =
            appFiles.hosts.count * strays.count > Tenants.comparisonsMax ? [] : appFiles.hosts.sorted()
        return strays.map { host in
            let nearest = NearestKey.find(host, among: named)
            return Finding(
                rule: .cfg011, severity: nearest == nil ? .note : .warning, file: folders.wellKnownPath(of: host),
                range: nil, message: "no app file names \(host), so only the files of its folder are served there",
                fix: nearest.map { "did you mean `\($0)`?" })
        }
    }

    /// Association files in `config/hosts` that are served in place of generated ones.
    private func replacements(among hosts: [String]) -> [Finding] {
        hosts.flatMap { host -> [Finding] in
            guard memory.folders[host]?.wellKnown != nil else { return [] }
            let names = [host] + HostName.wildcards(over: host)
            let paths = names.lazy.map(memory.appFiles.paths(naming:)).first { !$0.isEmpty } ?? []
            let apps = paths.compactMap { path in memory.appFiles[path]?.good.flatMap { source.load($0, at: path) } }
            let generated =
                [
                    apps.contains { $0.appFile.ios != nil } ? AssociationPath.apple : nil,
                    apps.contains { $0.appFile.android != nil } ? AssociationPath.statements : nil,
                ] + PasskeyDocuments(apps.map(\.appFile)).files.map(\.path)
            return generated.compactMap { path in
                let name = path?.dropFirst(WellKnownFiles.prefix.count) ?? ""
                let file = "\(folders.wellKnownPath(of: host))/\(name)"
                // One that phones would reject is an error, and replaces nothing.
                let isRefused = memory.openFindings.hosts[host]?.contains { $0.file == file } == true
                guard path != nil, !isRefused, File.exists(file) else { return nil }
                return Finding(
                    rule: .cfg015, severity: .note, file: file, range: nil,
                    message:
                        "this file is served in place of the one made from \(paths.map(source.file).joined(separator: ", "))",
                    fix: "remove it if the app file is to decide")
            }
        }
    }

    /// Whether a server has saved what it serves in a directory.
    public static func hasState(_ path: String) -> Bool { File.exists("\(path)/\(StateFolder.baseName)") }

    /// Whether a file in `config/apps` is an app file by its name.
    public static func isAppFile(_ name: String) -> Bool { AppTree.isAppFile(name) }
}

/// All app files of a configuration, read as a server reads them: not through links that lead elsewhere.
public struct AppFiles: Sendable {
    /// Sorted, below the path of the configuration or of what is published.
    public let paths: [String]
    private let tree: AppTree
    private let source: AppSource

    /// Nil if the configuration has no `apps` folder. Unreadable folders are among the findings of `load`.
    public init?(configPath: String, publishedPath: String? = nil, linkTargets: LinkTargets, limits: Limits) {
        let folders = HostFolders(
            configPath: configPath, publicPath: "", publishedPath: publishedPath, linkTargets: linkTargets,
            limits: limits)
        var listing = AppTree.Listing()
        guard let tree = try? AppTree(folders), (try? tree.list([""], into: &listing)) != nil else { return nil }
        self.tree = tree
        let source = AppSource(
            configPath: configPath, environment: nil, publishedPath: publishedPath,
            publishedFolders: listing.published)
        self.source = source
        paths = listing.files.keys.sorted().map(source.file)
    }

    /// The bytes of one of these files; nil if a server would not read it, which is among the findings of `load` too.
    public func bytes(of file: String) -> [UInt8]? {
        guard let path = source.path(ofFile: file), case .contents(let contents) = tree.read(path) else { return nil }
        return contents.bytes
    }
}
