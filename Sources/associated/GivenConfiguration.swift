// The configuration that a command was pointed at: its folder, its settings and what stands above them on the command line.
// Every command that tells what a server would do asks here, so that it decides by the same environment and signs with the
// same certificate and passphrase.

import Association
import Hosting
import Posix
import TLS

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

    /// The paths of its app files; nil where it has no folder of them.
    var appFiles: [String]? {
        ConfigurationLoader.appFiles(
            configPath: path, linkTargets: settings.linkTargets, limits: settings.limits)
    }

    /// Where links in a host's folder may lead.
    var linkTargets: LinkTargets { settings.linkTargets }

    /// Whether a server would speak TLS: the settings, the command line or the environment ask for it.
    let speaksTLS: Bool

    /// What is wrong with the environment it is loaded for.
    var environmentFinding: Finding? {
        EnvironmentCheck.finding(
            environment, configPath: path, linkTargets: settings.linkTargets, limits: settings.limits)
    }

    /// Loads it as a server would.
    func load() throws(ConfigurationError) -> LoadedConfiguration {
        // Where documents are signed, private keys are in memory, and a core dump would be a copy of them.
        try? ProcessMemory.forbidDumps()
        return try ConfigurationLoader(
            configPath: path, publicPath: publicPath, environment: environment,
            signer: settings.signer(configPath: path, passphrase: passphrase), linkTargets: settings.linkTargets,
            limits: settings.limits
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
