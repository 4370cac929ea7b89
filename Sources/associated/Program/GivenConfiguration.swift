// The configuration of a command: its folder, its settings and the options that override them.
// Every command that tells what a server would do asks here, so that it decides by the same environment and signs with the
// same certificate and passphrase.

import Association
import AssociationLint
import Catalogue
import Client
import HTTP
import Hosting
import Posix
import TLS
import Verifier

struct GivenConfiguration {
    let path: String
    /// Which of the app files' environments counts.
    let environment: String?
    let passphrase: Passphrase?
    /// What is wrong with `server.json`.
    let findings: [Finding]
    /// What is wanted of `lint`.
    var lint: LintPreferences { settings.lint }
    private let settings: ServerSettings
    private let publicPath: String

    /// - Parameter path: the folder, where it is not the one of `--config`.
    init(_ arguments: ParsedArguments, at path: String? = nil) {
        self.path = path ?? arguments["--config"] ?? "config"
        publicPath = arguments["--public"] ?? "public"
        let reader = SettingsReader(file: "\(self.path)/server.json", folders: [publicPath])
        settings = reader.settings
        findings = reader.findings
        environment = arguments["--environment"] ?? settings.environment
        passphrase = PassphraseSource.given(arguments, settingsFile: settings.passphraseFile)?.passphrase
        speaksTLS = arguments.has("--https") || !settings.https.isEmpty
    }

    /// The same for a command that answers for an environment. One that no app file has, and not the file that was named either, is
    /// refused: the answer would be that of production.
    init(answering arguments: ParsedArguments, about file: String? = nil) throws(Refusal) {
        self.init(arguments)
        guard environment != nil else { return }
        let files = (appFiles ?? []) + [file].compactMap { $0 }
        if let error = EnvironmentCheck.error(environment, in: files, of: path) {
            throw .failure([error.message, error.fix].compactMap { $0 }.joined(separator: "; "))
        }
    }

    /// The paths of its app files; nil where it has no folder of them.
    var appFiles: [String]? {
        ConfigurationLoader.appFiles(
            configPath: path, linkTargets: settings.linkTargets, limits: settings.limits)
    }

    /// The app file that names a host which is not served, in a sentence; nil where none does. A file with errors may be none that
    /// can be read, so its text is searched.
    func whyUnserved(_ host: String) -> String? {
        for path in appFiles ?? [] {
            guard let bytes = try? File.read(path, bytesMax: AppFile.bytesMax).bytes else { continue }
            let text = String(decoding: bytes, as: UTF8.self).lowercased()
            guard ["\"\(host)\"", "'\(host)'"].contains(where: text.contains) else { continue }
            let errors = AppFile.lint(bytes, file: path).count { $0.severity == .error }
            let names = "\(path) names it"
            return errors == 0 ? names : "\(names) and has \(Count.of(errors, "error")) (associated lint \(path))"
        }
        return nil
    }

    /// Where links in a host's folder may lead.
    var linkTargets: LinkTargets { settings.linkTargets }

    /// Whether a server would speak TLS: the settings, the command line or the environment ask for it.
    let speaksTLS: Bool

    /// What is wrong with the environment it is loaded for.
    var environmentFinding: Finding? {
        environment.flatMap { EnvironmentCheck.finding($0, in: appFiles ?? [], of: path) }
    }

    /// Loads it as a server would.
    func load() throws(ConfigurationError) -> LoadedConfiguration {
        // Where documents are signed, private keys are in memory, and a core dump would be a copy of them.
        try? ProcessMemory.forbidDumps()
        return try ConfigurationLoader(
            configPath: path, publicPath: publicPath, environment: environment,
            signer: settings.signer(configPath: path, passphrase: passphrase), linkTargets: settings.linkTargets,
            limits: settings.limits, owners: settings.owners
        ).load()
    }
}

extension ServerSettings {
    /// What signs the documents of a configuration.
    func signer(
        configPath: String, passphrase: Passphrase?, development: DevelopmentAuthority? = nil
    ) -> DocumentSigner {
        DocumentSigner(
            hostsPath: "\(configPath)/hosts", links: linkTargets, named: signing, passphrase: passphrase,
            development: development)
    }
}

/// The documents of every host of a configuration.
final class ServedFiles: Sendable {
    private let catalogue: Catalogue

    init(_ configuration: LoadedConfiguration) { catalogue = configuration.catalogue }

    /// The bytes that a host answers for a path, without any coding; nil where it has no such document.
    func bytes(host: String, path: String) -> [UInt8]? {
        let name = Array(host.utf8)
        let path = Array(path.utf8)
        return catalogue.reading { view in
            unsafe path.withUnsafeBytes { path in
                guard let site = view.site(host: name.span), let answer = unsafe view.answer(site, path: path),
                    answer.status == .ok
                else { return nil }
                let form = answer.form(.identity)
                // Association files are small, and only large files stay on the disk.
                return unsafe form.file == nil ? Array(form.body) : nil
            }
        }
    }

    /// Both association files of a host; nil where the host is not served at all.
    func files(of host: String) -> ExpectedFiles? {
        let name = Array(host.utf8)
        let isServed = catalogue.reading { $0.site(host: name.span) != nil }
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
