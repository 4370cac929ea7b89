// The immutable table from host and path to prepared answers: a short stack of layers, so that a change of few hosts makes
// a small layer and leaves the others where they are. Workers read it through a `CatalogueView`, a plain value of pointers
// into the images: no class is touched and nothing is counted on the way of a request.

import Posix

/// Everything that is served, at one moment. Replaced whole, never changed.
public final class Catalogue: @unchecked Sendable {
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
        views = .allocate(capacity: layers.count + 1)
        for (index, layer) in layers.enumerated() { views.initializeElement(at: index, to: layer.view) }
        if let pages = self.sharedPages { views.initializeElement(at: layers.count, to: pages.view) }
    }

    deinit { views.deallocate() }

    /// The size in bytes of all images.
    public var byteCount: Int { layers.reduce(sharedPages?.byteCount ?? 0) { $0 + $1.byteCount } }

    /// Lends a way to read it for as long as a call.
    public func reading<Result>(_ use: (CatalogueView) -> Result) -> Result {
        withExtendedLifetime(self) { use(view) }
    }

    /// A way to read it, valid as long as the catalogue is kept: for those who keep it over many calls, as workers do.
    public var view: CatalogueView {
        CatalogueView(
            layers: UnsafeBufferPointer(rebasing: views[..<layers.count]),
            sharedPages: sharedPages == nil ? nil : UnsafePointer(views.baseAddress! + layers.count),
            unread: unread.map { Unmanaged.passUnretained($0) })
    }

    /// The oldest layer counts in full; each newer one by what it changes.
    private static func siteCount(_ layers: [CatalogueLayer]) -> Int {
        guard let oldest = layers.last else { return 0 }
        var count = oldest.siteCount
        for (index, layer) in layers.enumerated().dropLast() {
            let older = layers[(index + 1)...].map(\.view)
            for site in 0..<layer.view.siteCount {
                let name = layer.view.bytes(layer.view.sites[site].host)
                let before = older.lazy.compactMap { view in view.find(name).map { (view, $0) } }.first
                let was = before.map { $0.0.isServed($0.1) } ?? false
                let isThere = layer.view.isServed(site)
                count += (isThere ? 1 : 0) - (was ? 1 : 0)
            }
        }
        return count
    }
}
