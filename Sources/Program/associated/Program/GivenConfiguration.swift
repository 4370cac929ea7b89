// The configuration that a command works on: its folder, its settings and the options that override them. Commands that show what
// a server would do use this, so that they use the same environment and certificates.

import Association
import AssociationLint
import Catalogue
import Certificates
import HTTP
import Hosting
import Posix
import Settings
import SourceJSON
import Supervision
import TLS
import Verifier

struct GivenConfiguration {
    let path: String
    /// The environment of the app files to use.
    let environment: String?
    /// Findings about `server.json`, and its parsed text.
    let findings: [Finding]
    let settingsDocument: SourceDocument?
    var settingsPath: String { "\(path)/server.json" }
    /// The preferences of `lint` in `server.json`.
    var lint: LintPreferences { settings.lint }
    private var settings: ServerSettings { shared.value }
    private let shared: SharedSettings
    private let publicPath: String
    /// What tenants have published to the server of the state directory.
    let publishedPath: String

    /// - Parameter path: the folder, if it is not that of `--config`.
    init(_ arguments: ParsedArguments, at path: String? = nil) {
        self.path = path ?? arguments["--config"] ?? "config"
        publicPath = arguments["--public"] ?? "public"
        publishedPath = "\(arguments["--state"] ?? "state")/published"
        let reader = SettingsReader(file: "\(self.path)/server.json", folders: [publicPath])
        let settings = reader.settings
        shared = SharedSettings(settings)
        findings = reader.findings
        settingsDocument = reader.document
        environment = arguments["--environment"] ?? settings.environment
        speaksTLS = arguments.has("--https") || !settings.https.isEmpty
    }

    /// The same for a command whose answer depends on the environment. Throws if no app file has the environment, because the
    /// answer would be that of production.
    /// - Parameter file: an app file outside the configuration that counts too.
    init(answering arguments: ParsedArguments, about file: String? = nil, at path: String? = nil) throws(Refusal) {
        self.init(arguments, at: path)
        guard environment != nil else { return }
        let files = appFiles
        let paths = (files?.paths ?? []) + [file].compactMap { $0 }
        let error = EnvironmentCheck.error(environment, in: paths, of: self.path) {
            $0 == file ? try? InputFile.read($0) : files?.bytes(of: $0)
        }
        if let error {
            throw .failure([error.message, error.fix].compactMap { $0 }.joined(separator: "; "))
        }
    }

    /// Its app files; nil if it has no folder `apps`.
    var appFiles: AppFiles? { appFiles(published: nil) }

    /// The same and those that are published.
    var servedAppFiles: AppFiles? { appFiles(published: publishedPath) }

    private func appFiles(published: String?) -> AppFiles? {
        AppFiles(
            configPath: path, publishedPath: published, linkTargets: settings.linkTargets, limits: settings.limits)
    }

    /// Which app file names a host that is not served, in words; nil if none does. A file with errors may be unreadable, so
    /// its text is searched.
    func whyUnserved(_ host: String) -> String? {
        let files = servedAppFiles
        for path in files?.paths ?? [] {
            guard let bytes = files?.bytes(of: path), GivenConfiguration.isNamed(host, in: bytes) else { continue }
            let errors =
                AppFile.lint(bytes, file: path).count { $0.severity == .error }
                + appFile(bytes, file: path).errors.count { $0.rule == .app046 }
            let names = "\(path) names it"
            return errors == 0 ? names : "\(names) and has \(Count.of(errors, "error")) (associated lint \(path))"
        }
        return nil
    }

    /// Whether its app file may name a host.
    func mayName(_ host: String, in file: String) -> Bool {
        settings.owners.allows(host, at: placeInApps(file) ?? file)
    }

    /// The app that a server would publish from an app file, and the errors because of which it publishes none. A host that the file
    /// may not name is one.
    func appFile(_ bytes: [UInt8], file: String) -> (app: AppFile?, errors: [Finding]) {
        let reading = AppFile.read(bytes, file: file, environment: environment)
        let trespasses =
            placeInApps(file).map { settings.owners.findings(about: reading, file: file, at: $0) } ?? []
        let errors = (reading.findings + trespasses).filter { $0.severity == .error }
        return (trespasses.isEmpty ? reading.appFile : nil, errors)
    }

    /// The path of an app file of the configuration, or of one that is published; nil for another file.
    func placeInApps(_ file: String) -> String? {
        [path, publishedPath].map { "\($0)/apps/" }.first(where: file.hasPrefix).map {
            String(file.dropFirst($0.count))
        }
    }

    /// Whether a text, which may be no JSON, has a host in quotation marks.
    static func isNamed(_ host: String, in bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self).lowercased()
        return ["\"\(host)\"", "'\(host)'"].contains(where: text.contains)
    }

    /// The folders that symbolic links may lead into.
    var linkTargets: LinkTargets { settings.linkTargets }

    /// Whether the manager of such a server orders a certificate for a host.
    func orders(_ host: String) -> Bool { settings.manager.orders(host) }

    /// Whether a server with these settings and options would speak TLS.
    let speaksTLS: Bool

    /// Loads it as a server would.
    /// - Parameter state: the state directory of that server; nil for a server that has served nothing yet.
    /// - Parameter withPublished: whether it serves what is published, too.
    /// - Parameter managedPath: the folder with the manager's certificates, with which it signs.
    /// - Parameter inspect: called with each app file that is read, on several threads.
    func load(
        state: String? = nil, withPublished: Bool = false, managedPath: String? = nil,
        inspecting inspect: AppFileInspector? = nil
    ) throws(ConfigurationError) -> LoadedConfiguration {
        // Signing documents brings private keys into memory, and a core dump would copy them to disk.
        try? ProcessMemory.forbidDumps()
        // Large pages stay open.
        DescriptorLimit.raise()
        return try Tenants(
            configPath: path, publicPath: publicPath, publishedPath: withPublished ? publishedPath : nil,
            environment: environment,
            signer: settings.signer(configPath: path, managedPath: managedPath),
            state: state.map { ($0, Product.identity) }, linkTargets: settings.linkTargets, limits: settings.limits,
            owners: settings.owners, lint: settings.lint.ofServer
        ).load(inspecting: inspect)
    }
}

extension Catalogue {
    /// The uncompressed body that a host answers for a path; nil if it has no such document.
    func bytes(host: String, path: String) -> [UInt8]? {
        // Only large files stay on disk, and association files are small.
        configuredName(of: host).flatMap { body(of: $0, path: path) }
    }

    /// Both association files of a host; nil if the host is not served.
    func files(of host: String) -> ExpectedFiles? {
        let isServed = configuredName(of: host) != nil
        let below = "associated-check.\(host)"
        var wildcards: ExpectedFiles.Platforms = []
        if bytes(host: below, path: AssociationPath.apple) != nil { wildcards.insert(.apple) }
        if bytes(host: below, path: AssociationPath.statements) != nil { wildcards.insert(.android) }
        guard isServed || !wildcards.isEmpty else { return nil }
        return ExpectedFiles(
            apple: bytes(host: host, path: AssociationPath.apple),
            statements: bytes(host: host, path: AssociationPath.statements),
            wildcardsBelow: isServed ? [] : wildcards)
    }
}
