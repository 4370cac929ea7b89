// What the settings say about the manager: whether there is one, where it listens, and what it needs besides its usual places.

import Hosting
import Posix

extension ManagerProcess {
    /// Whether `associated serve` starts a manager.
    static func isWanted(_ settings: ServerSettings) -> Bool { false }

    /// Where it answers operators; nil for nowhere.
    static func adminAddress(_ settings: ServerSettings) -> SocketAddress? { nil }

    /// TCP ports of services that the settings name.
    static func outgoingPorts(_ settings: ServerSettings) -> [UInt16] { [] }

    /// Files outside of the configuration that it reads again while it runs.
    static func readableFiles(_ settings: ServerSettings) -> [String] { [] }
}
