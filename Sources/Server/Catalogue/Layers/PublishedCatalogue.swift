// The catalogue in service. The control plane replaces it; each worker takes over the new one between two events, and keeps the
// old one until it has sent the answers from it.

import Synchronization

/// The catalogue in service.
public final class PublishedCatalogue: Sendable {
    private let catalogue: Mutex<Catalogue>
    private let number = Atomic<Int>(1)

    public init(_ catalogue: Catalogue) { self.catalogue = Mutex(catalogue) }

    /// Grows with each publication. While nothing changes, reading it is the only cost for a round of a worker's loop.
    public var generation: Int { number.load(ordering: .acquiring) }

    /// Loads the number too, because the thread sanitizer does not understand the lock.
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
