// What the thread that hears signals wants of the one that manages reloads. It leaves a word and goes on listening, so nothing that
// a reload waits for, a file system least of all, makes a signal wait.

import Posix
import Synchronization

final class ControlOrders: Sendable {
    struct Orders: Sendable {
        /// To look at everything, now.
        var looks = false
        /// To begin nothing more.
        var ends = false
    }

    private let orders = Mutex(Orders())
    private let hasOrders: WakeUp

    init() throws(SystemError) { hasOrders = try WakeUp() }

    /// Readable when there are any.
    var descriptor: Int32 { hasOrders.descriptor.number }

    func give(_ change: @Sendable (inout Orders) -> Void) {
        orders.withLock { change(&$0) }
        hasOrders.wake()
    }

    func take() -> Orders {
        hasOrders.clear()
        return orders.withLock { orders in
            defer { orders = Orders() }
            return orders
        }
    }
}
