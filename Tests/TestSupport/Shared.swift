// A value that several threads use.

import Synchronization

package final class Shared<Value: Sendable>: Sendable {
    private let held: Mutex<Value>

    package init(_ value: Value) { held = Mutex(value) }

    package var value: Value { held.withLock { $0 } }

    package func change(_ body: (inout Value) -> Void) { held.withLock { body(&$0) } }
}
