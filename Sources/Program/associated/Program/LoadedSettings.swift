// The settings that a command runs with: options override environment variables, which override `server.json`. Secrets are never
// taken from the command line, which every user of the machine can read.

import Administration
import Association
import HTTP
import Hosting
import Posix
import Settings
import SourceJSON
import Supervision
import TLS

/// Settings, and the findings from reading them. The server and its sandbox use only these: an option that is not resolved
/// here has no effect.
struct LoadedSettings {
    let configPath: String
    let publicPath: String
    let statePath: String
    /// What the manager writes for the server.
    var certificatesPath: String { "\(statePath)/certificates" }
    var thumbprintPath: String { "\(statePath)/acme/thumbprint" }
    /// Where the manager asks the server.
    var linkPath: String { "\(statePath)/link.sock" }
    /// The text of `server.json`; nil if it does not exist.
    let text: [UInt8]?
    /// Whether hosts without a certificate get a development certificate.
    let isDevelopment: Bool
    /// The settings in force, with everything that options and variables override.
    var settings: ServerSettings {
        get { shared.value }
        set { shared = SharedSettings(newValue) }
    }
    private var shared: SharedSettings
    var findings: [Finding]
    /// Settings that protect the server and could not be used. It does not start without them.
    var lostSafeguards: [String]
    /// How many bytes this process may use, and the default limits, which depend on it.
    let memoryBytes: Int
    let limitsByMemory: Limits

    init(_ arguments: ParsedArguments) throws(Refusal) {
        configPath = arguments["--config"] ?? "config"
        publicPath = arguments["--public"] ?? "public"
        statePath = arguments["--state"] ?? "state"
        isDevelopment = arguments.has("--dev")
        memoryBytes = ProcessMemory.limitBytes
        limitsByMemory = Limits(fitting: memoryBytes)
        let reader = SettingsReader(
            file: "\(configPath)/server.json", limits: limitsByMemory, folders: [publicPath, statePath],
            text: try Inheritance.own?.settingsText())
        text = reader.document?.text
        var settings = reader.settings
        (findings, lostSafeguards) = (reader.findings, reader.lostSafeguards)
        for option in Setting.all.compactMap(\.option) {
            guard let values = arguments.all(option.name) else { continue }
            do throws(Setting.Objection) { try option.apply(values, to: &settings) } catch {
                throw .usage("\(arguments.spelling(option.name, error.value)) \(error.reason)")
            }
        }
        if settings.admin == nil, settings.manager.isWanted {
            // For `associated status`.
            settings.admin = SocketAddress(listening: "unix:\(statePath)/admin.sock").map { AdminPlace(address: $0) }
        }
        let addresses = SocketAddress.sharingFamilies(settings.http + settings.https)
        settings.https = Array(addresses.dropFirst(settings.http.count))
        settings.http = Array(addresses.prefix(settings.http.count))
        shared = SharedSettings(settings)
    }
}

/// Settings that several values keep. `ServerSettings` has dozens of fields, and what copies and releases them was a tenth of this
/// module's code when a dozen types contained them.
final class SharedSettings: Sendable {
    let value: ServerSettings

    init(_ value: ServerSettings) { self.value = value }
}

extension AdminSettings {
    /// The settings with their token: from ASSOCIATED_ADMIN_TOKEN, or else from the file.
    init(_ place: AdminPlace) throws(Refusal) {
        var token: AdminToken?
        if let text = Environment.value(Environment.adminToken) {
            do throws(AdminToken.Problem) { token = try AdminToken(text.utf8) } catch {
                throw .failure("cannot use the token in ASSOCIATED_ADMIN_TOKEN: \(error)")
            }
        } else if let file = place.tokenFile {
            do throws(AdminToken.Problem) { token = try AdminToken(file: file) } catch {
                throw .failure("cannot use the admin token in \(file): \(error)")
            }
        }
        self.init(address: place.address, token: token, hosts: place.hosts)
    }
}
