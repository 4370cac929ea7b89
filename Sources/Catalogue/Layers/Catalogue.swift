// The immutable table from host and path to prepared answers: a short stack of layers, so that a change of few hosts makes
// a small layer and leaves the others where they are. Workers read it through a `CatalogueView`, a plain value of pointers
// into the images: no class is touched and nothing is counted on the way of a request.

import HTTP
import Posix
import Synchronization

/// Everything that is served, at one moment. Replaced whole, never changed.
@safe public final class Catalogue: @unchecked Sendable {
    /// Newest first.
    public let layers: [CatalogueLayer]
    /// The pages of all hosts.
    public let sharedPages: CatalogueLayer?
    /// How many hosts, wildcards counted once, have something to serve.
    public let siteCount: Int
    private let views: UnsafeMutableBufferPointer<LayerView>
    private let unread: UnreadHosts?

    /// - Parameters:
    ///   - layers: the newest first; what an older one has under a name of a newer one is not looked at.
    ///   - sharedPages: a layer of one site, whose answers stand for every host that has none of its own for a path.
    ///   - unread: what is not in the layers although it should be, as long as that is so.
    public init(layers: [CatalogueLayer], sharedPages: CatalogueLayer? = nil, unread: UnreadHosts? = nil) {
        self.layers = layers
        self.unread = unread
        self.sharedPages = sharedPages?.view.siteCount == 0 ? nil : sharedPages
        siteCount = Catalogue.siteCount(layers)
        unsafe views = .allocate(capacity: layers.count + 1)
        for (index, layer) in layers.enumerated() { unsafe views.initializeElement(at: index, to: layer.view) }
        if let pages = self.sharedPages { unsafe views.initializeElement(at: layers.count, to: pages.view) }
    }

    deinit { unsafe views.deallocate() }

    /// The size in bytes of all images.
    public var byteCount: Int { layers.reduce(sharedPages?.byteCount ?? 0) { $0 + $1.byteCount } }

    /// Lends a way to read it for as long as a call.
    public func reading<Result>(_ use: (CatalogueView) -> Result) -> Result {
        withExtendedLifetime(self) { use(view) }
    }

    /// A way to read it, valid as long as the catalogue is kept: for those who keep it over many calls, as workers do.
    public var view: CatalogueView {
        unsafe CatalogueView(
            layers: UnsafeBufferPointer(rebasing: views[..<layers.count]),
            sharedPages: sharedPages == nil ? nil : UnsafePointer(views.baseAddress! + layers.count),
            unread: unread.map { unsafe Unmanaged.passUnretained($0) })
    }

    /// The oldest layer counts in full; each newer one by what it changes.
    private static func siteCount(_ layers: [CatalogueLayer]) -> Int {
        guard let oldest = layers.last else { return 0 }
        var count = oldest.siteCount
        for (index, layer) in layers.enumerated().dropLast() {
            let older = layers[(index + 1)...].map(\.view)
            for site in 0..<layer.view.siteCount {
                let name = unsafe layer.view.bytes(layer.view.sites[site].host)
                let before = older.lazy.compactMap { view in unsafe view.find(name).map { (view, $0) } }.first
                let was = before.map { $0.0.isServed($0.1) } ?? false
                let isThere = layer.view.isServed(site)
                count += (isThere ? 1 : 0) - (was ? 1 : 0)
            }
        }
        return count
    }

    /// The name by which a host is configured; nil for one that is not served.
    public func configuredName(of host: String) -> String? {
        withExtendedLifetime(self) { view.configuredName(of: host) }
    }

    /// The hosts that are served, each once, wildcards with their asterisk.
    public var servedHosts: [String] {
        withExtendedLifetime(self) {
            var hosts: [String] = []
            hosts.reserveCapacity(siteCount)
            // What newer layers say about a host is what counts.
            var decided: Set<String> = []
            for (index, layer) in layers.enumerated() {
                let isOldest = index == layers.count - 1
                for site in 0..<layer.view.siteCount {
                    let host = layer.view.host(site)
                    if decided.contains(host) { continue }
                    if !isOldest { decided.insert(host) }
                    if layer.view.isServed(site) { hosts.append(host) }
                }
            }
            return hosts
        }
    }

    /// The entity tags of what a host serves under a path, with their quotes: that of the plain form first, then that of
    /// the packed one. Empty where there is nothing.
    public func entityTags(host: String, path: String) -> [String] {
        let name = Array(host.utf8)
        return withExtendedLifetime(self) {
            guard let site = view.site(host: name.span) else { return [] }
            return unsafe Array(path.utf8).withUnsafeBytes { path in
                guard let answer = unsafe view.answer(site, path: path), answer.status == .ok else { return [] }
                let codings: [ContentCoding] = answer.hasGzip ? [.identity, .gzip] : [.identity]
                return codings.map { unsafe String(decoding: answer.form($0).entityTag, as: UTF8.self) }.filter {
                    !$0.isEmpty
                }
            }
        }
    }
}

// The door between the two planes. The control plane puts a new catalogue here; each worker looks at a number once per
// round of its loop and takes the new one when the number has changed. The old one ends with its last reader.

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

// What a catalogue does not know yet. A server answers before it has looked for the hosts that have files of their own and no
// app file that names them, because looking takes the longer the more hosts there are. Until it has, a host is asked for by
// its name, so that nobody is told that there is nothing, or what a wildcard has, where there is something.

/// Hosts that may have files which nobody has read.
public final class UnreadHosts: Sendable {
    private let isThere: @Sendable (String) -> Bool

    /// - Parameter isThere: whether there are files of a host, in lower case, a wildcard with its asterisk. Workers ask it.
    public init(_ isThere: @escaping @Sendable (String) -> Bool) { self.isThere = isThere }

    /// The same by the key of a host: that of a wildcard begins with its dot.
    func has(_ key: UnsafeRawBufferPointer) -> Bool {
        unsafe isThere((key.first == UInt8(ascii: ".") ? "*" : "") + String(decoding: key, as: UTF8.self))
    }
}
