// The settings that a command runs with: `server.json`, over it the environment, over both the options. Secrets are never
// taken from the command line, which every user of the machine can read.

import Administration
import Association
import HTTP
import Hosting
import Posix
import TLS

/// Settings, and what was found while reading them. A server is made from these alone, and so is what its sandbox leaves open:
/// an option that is not resolved here has no effect.
struct LoadedSettings {
    let configPath: String
    let publicPath: String
    let statePath: String
    /// Whether hosts without a certificate are given one for development.
    let isDevelopment: Bool
    /// What is in force: also the addresses, files and modes that the command line has changed.
    var settings: ServerSettings
    let passphrase: PassphraseSource?
    var findings: [Finding]
    /// What a server does not start without.
    var lostSafeguards: [String]
    /// The limits that the memory of this process allows, where nothing else is asked for.
    let limitsByMemory = Limits(fitting: ProcessMemory.limitBytes)

    init(_ arguments: ParsedArguments) throws(Refusal) {
        configPath = arguments["--config"] ?? "config"
        publicPath = arguments["--public"] ?? "public"
        statePath = arguments["--state"] ?? "state"
        isDevelopment = arguments.has("--dev")
        let reader = SettingsReader(
            file: "\(configPath)/server.json", limits: limitsByMemory, folders: [publicPath, statePath])
        (settings, findings, lostSafeguards) = (reader.settings, reader.findings, reader.lostSafeguards)
        passphrase = .given(arguments, settingsFile: settings.passphraseFile)
        for option in Setting.all.compactMap(\.option) {
            guard let values = arguments.all(option.name) else { continue }
            do throws(Setting.Objection) { try option.apply(values, to: &settings) } catch {
                throw .usage("\(arguments.spelling(option.name, error.value)) \(error.reason)")
            }
        }
        settings.passphraseFile = passphrase?.file
        let addresses = SocketAddress.sharingFamilies(settings.http + settings.https)
        settings.https = Array(addresses.dropFirst(settings.http.count))
        settings.http = Array(addresses.prefix(settings.http.count))
    }
}

extension AdminSettings {
    /// The place with its token: from ASSOCIATED_ADMIN_TOKEN, else from the file.
    init(_ place: AdminPlace) throws(Refusal) {
        var token: AdminToken?
        if let text = Environment.value(Environment.adminToken) {
            do throws(AdminToken.Problem) { token = try AdminToken(text.utf8) } catch {
                throw .failure("the token in ASSOCIATED_ADMIN_TOKEN is of no use: \(error)")
            }
        } else if let file = place.tokenFile {
            do throws(AdminToken.Problem) { token = try AdminToken(file: file) } catch {
                throw .failure("the admin token in \(file) is of no use: \(error)")
            }
        }
        self.init(
            address: place.address, token: token, socketPermissions: place.socketPermissions, hosts: place.hosts)
    }
}

/// Where the passphrase of the private keys comes from.
enum PassphraseSource {
    case text([UInt8])
    case file(String)

    /// The file that is named, else ASSOCIATED_PASSPHRASE, else the file that the settings name.
    static func given(_ arguments: ParsedArguments, settingsFile: String? = nil) -> PassphraseSource? {
        if let file = arguments["--passphrase-file"] { return .file(file) }
        if let text = Environment.value(Environment.passphrase) { return .text(Array(text.utf8)) }
        return settingsFile.map { .file($0) }
    }

    /// What is read while the program runs.
    var file: String? { if case .file(let path) = self { path } else { nil } }

    var passphrase: Passphrase {
        switch self {
        case .text(let bytes): Passphrase(bytes)
        case .file(let path): Passphrase(file: path)
        }
    }
}
