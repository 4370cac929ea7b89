// The door between the two planes. The control plane puts a new catalogue here; each worker looks at a number once per
// round of its loop and takes the new one when the number has changed. The old one ends with its last reader.

import Synchronization

/// The catalogue in service.
public final class PublishedCatalogue: Sendable {
    private let catalogue: Mutex<Catalogue>
    private let number = Atomic<Int>(1)

    public init(_ catalogue: Catalogue) { self.catalogue = Mutex(catalogue) }

    /// Grows with each publication. Reading it is all that a round of a worker's loop costs when nothing has changed.
    public var generation: Int { number.load(ordering: .acquiring) }

    /// The number is looked at too, because sanitizers see what it orders, and not the lock.
    public var current: Catalogue {
        catalogue.withLock { catalogue in
            _ = number.load(ordering: .acquiring)
            return catalogue
        }
    }

    /// Puts another catalogue into service.
    public func publish(_ next: Catalogue) {
        catalogue.withLock { catalogue in
            catalogue = next
            number.add(1, ordering: .releasing)
        }
    }
}
