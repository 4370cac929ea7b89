// What the settings say about the manager: what it needs besides its usual places.

import Client
import Hosting
import Posix

extension ManagerProcess {
    /// TCP ports of services that the settings name.
    static func outgoingPorts(_ settings: ServerSettings) -> [UInt16] {
        let manager = settings.manager
        var ports = manager.issuance?.directories.compactMap { WebLocation($0)?.host.port } ?? []
        ports += manager.issuance?.resolvers.map(\.port) ?? []
        ports += [manager.issuance?.port, manager.issuance?.updates?.server.port].compactMap(\.self)
        if let delivery = manager.delivery {
            let urls = [delivery.appleURL, delivery.googleURL] + delivery.webhooks.map(\.url)
            ports += urls.compactMap { WebLocation($0)?.host.port }
        }
        if let url = manager.databaseURL { ports.append(databasePort(url)) }
        return ports
    }

    /// Of `postgresql://user@host:port/name`; the usual one if the URL has none.
    static func databasePort(_ url: String) -> UInt16 {
        let place = url.drop { $0 != ":" }.dropFirst(3).prefix { $0 != "/" && $0 != "?" }
        let address = place.split(separator: "@").last ?? ""
        return address.split(separator: ":").last.flatMap { UInt16($0) } ?? 5_432
    }

    /// Files outside of the configuration that it reads while it runs.
    static func readableFiles(_ settings: ServerSettings) -> [String] {
        let issuance = settings.manager.issuance
        return [
            settings.manager.keyFile, issuance?.caFile, issuance?.externalAccount?.keyFile, issuance?.updates?.keyFile,
        ].compactMap(\.self) + (settings.manager.delivery?.webhooks.map(\.secretFile) ?? [])
    }
}
