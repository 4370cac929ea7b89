// The settings that a process runs with: options override environment variables, which override `server.json`.

public import Association
public import HTTP
import Posix
public import Settings
import SourceJSON

/// Settings, and the findings from reading them. The server and its sandbox use only these: an option that is not resolved
/// here has no effect.
public struct LoadedSettings: Sendable {
    public let configPath: String
    public let publicPath: String
    public let statePath: String
    /// What the manager writes for the server.
    public var certificatesPath: String { "\(statePath)/certificates" }
    public var publishedPath: String { "\(statePath)/published" }
    public var thumbprintPath: String { "\(statePath)/acme/thumbprint" }
    /// Where the manager asks the server.
    public var linkPath: String { "\(statePath)/link.sock" }
    /// The text of `server.json`; nil if it does not exist.
    public let text: [UInt8]?
    /// Whether hosts without a certificate get a development certificate.
    public let isDevelopment: Bool
    /// Where a development server has its console, unless `api` says so.
    public static let developmentConsole = "127.0.0.1:9466"
    /// The settings in force, with everything that options and variables override.
    public var settings: ServerSettings {
        get { shared.value }
        set { shared = SharedSettings(newValue) }
    }
    private var shared: SharedSettings
    public var findings: [Finding]
    /// Settings that protect the server and could not be used. It does not start without them.
    public var lostSafeguards: [String]
    /// How many bytes this process may use, and the default limits, which depend on it.
    public let memoryBytes: Int
    public let limitsByMemory: Limits

    /// - Parameters:
    ///   - text: `server.json`, if not that of the folder.
    ///   - override: what options and variables change.
    public init(
        configPath: String, publicPath: String, statePath: String, isDevelopment: Bool, text given: [UInt8]?,
        override: (inout ServerSettings) throws(Refusal) -> Void
    ) throws(Refusal) {
        (self.configPath, self.publicPath, self.statePath) = (configPath, publicPath, statePath)
        self.isDevelopment = isDevelopment
        memoryBytes = ProcessMemory.limitBytes
        limitsByMemory = Limits(fitting: memoryBytes)
        let reader = SettingsReader(
            file: "\(configPath)/server.json", limits: limitsByMemory, folders: [publicPath, statePath], text: given)
        text = reader.document?.text
        var settings = reader.settings
        (findings, lostSafeguards) = (reader.findings, reader.lostSafeguards)
        try override(&settings)
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
public final class SharedSettings: Sendable {
    public let value: ServerSettings

    public init(_ value: ServerSettings) { self.value = value }
}
