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

/// Hosts that may have files which have not been read yet. A server with many hosts starts to answer before it has listed those
/// that have files of their own but no app file. Until then it checks the requested host on disk, so that a client of such a host
/// gets neither a 404 nor a wildcard's answer.
public final class UnreadHosts: Sendable {
    private let isThere: @Sendable (String) -> Bool

    /// - Parameter isThere: whether a host in lower case (`*.example.com` for a wildcard) has files. Workers call it.
    public init(_ isThere: @escaping @Sendable (String) -> Bool) { self.isThere = isThere }

    /// The same for a host's key.
    func has(_ key: UnsafeRawBufferPointer) -> Bool { unsafe isThere(LayerView.host(ofKey: key)) }
}
