// What the sandbox leaves to a manager: it reads the configuration and the system's files for looking up names and checking
// certificates, writes the state directory, and connects to a few TCP ports. It listens on nothing that was not open before, starts
// no program, and maps no code once its libraries are loaded. `Sandbox` has the steps, which are those of a server.

import Client
import Posix
import Settings
import Supervision

enum ManagerSandbox {
    /// HTTPS of certificate authorities and proofs, HTTP of the preflight, and DNS.
    private static let usualPorts: [UInt16] = [53, 80, 443]

    /// Of the resolver and of TLS, with the libraries that are opened at run time. The whole of `/etc`, because its files are
    /// replaced by others of the same name, to which a rule for the file would not apply.
    private static let systemFolders = ["/etc", "/usr", "/lib", "/lib32", "/lib64"]

    /// `resolv.conf` is often a link to a folder of a resolver service.
    private static let systemFiles = ["/etc/resolv.conf"]

    static func places(_ loaded: LoadedSettings) -> SandboxPlaces {
        let files = systemFiles + readableFiles(loaded.settings)
        var uses = systemFolders.map(SandboxPlaces.Use.readable) + files.map(SandboxPlaces.Use.file)
        uses.append(.folder(loaded.configPath))
        return SandboxPlaces(loaded, uses: uses)
    }

    /// The TCP ports that it may connect to, in order.
    static func ports(_ settings: ServerSettings) -> [UInt16] {
        Set(usualPorts + outgoingPorts(settings)).sorted()
    }

    /// TCP ports of services that the settings name.
    static func outgoingPorts(_ settings: ServerSettings) -> [UInt16] {
        let manager = settings.manager
        var ports = manager.issuance?.directories.compactMap { WebLocation($0)?.host.port } ?? []
        ports += manager.issuance?.resolvers.map(\.port) ?? []
        ports += [
            manager.proxyURL.flatMap { ProxySettings($0)?.proxy.port }, manager.issuance?.port,
            manager.issuance?.updates?.server.port,
        ].compactMap(\.self)
        if let delivery = manager.delivery {
            ports += [delivery.appleURL, delivery.googleURL, delivery.registrationURL].compactMap {
                WebLocation($0)?.host.port
            }
        }
        ports += manager.webhooks.compactMap { WebLocation($0.url)?.host.port }
        if let url = manager.databaseURL { ports += databasePorts(url) }
        return ports
    }

    private static let databasePort: UInt16 = 5_432

    /// Of `postgresql://user@host:port,host:port/name?port=port,port`; the usual one for each host without a port.
    static func databasePorts(_ url: String) -> [UInt16] {
        let place = url.drop { $0 != ":" }.dropFirst(3)
        let addresses = place.prefix { $0 != "/" && $0 != "?" }.split(separator: "@").last ?? ""
        var ports = addresses.split(separator: ",", omittingEmptySubsequences: false).map { address in
            // An IPv6 address has colons within its brackets.
            let behindBrackets = address.split(separator: "]", omittingEmptySubsequences: false).last ?? address
            return behindBrackets.split(separator: ":", omittingEmptySubsequences: false).dropFirst().last
                .flatMap { UInt16($0) } ?? databasePort
        }
        for parameter in place.drop(while: { $0 != "?" }).dropFirst().split(separator: "&") {
            guard parameter.hasPrefix("port=") else { continue }
            // A comma may be escaped: 5433%2C5434.
            let list = parameter.dropFirst("port=".count).split { $0 == "," || $0 == "%" }
            ports += list.compactMap { UInt16($0) ?? ($0.lowercased().hasPrefix("2c") ? UInt16($0.dropFirst(2)) : nil) }
        }
        return ports
    }

    /// Files outside of the configuration that it reads while it runs.
    static func readableFiles(_ settings: ServerSettings) -> [String] {
        let issuance = settings.manager.issuance
        return [
            settings.manager.keyFile, settings.manager.delivery?.registrationKeyFile, issuance?.caFile,
            issuance?.externalAccount?.keyFile, issuance?.updates?.keyFile,
            // Of OpenSSL.
            Environment.value("SSL_CERT_FILE"), Environment.value("SSL_CERT_DIR"),
        ].compactMap(\.self) + settings.manager.webhooks.map(\.secretFile)
    }
}
