// What commands need of a manager beyond its settings: its store, and why it does nothing now.

import Administration
import Association
import Database
import Issuance
import Management
import Posix
import Store
import Supervision
import TLS

extension ManagerInputs {
    /// Why the manager of the state directory orders nothing now: what the server says of it, or that there is none. Nil if it works, or
    /// if another node may have one.
    var obstacle: String? {
        guard case .sqlite = location else { return nil }
        let silence = server.flatMap { try? StatusCommand.report(at: $0) }?.manager
        if silence?.problem == nil, !FileLock.isHeld(lockPath) { return ManagerInputs.noManager }
        return silence?.text
    }

    private static let noManager =
        "the manager is not running; start `associated serve` or `associated manage`, or see their log"

    /// The store, for a command. Its errors say what to do.
    func openStore(createsMissingKey: Bool = false, limits: ConnectionLimits = ConnectionLimits()) throws -> Store {
        let keys: SealingKeys
        do throws(Refusal) { keys = try self.keys(createsMissing: createsMissingKey) } catch {
            throw Refusal.failure([error.message, obstacle].compactMap(\.self).joined(separator: "; "))
        }
        return try Store(location, keys: keys, limits: limits)
    }
}
