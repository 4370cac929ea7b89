// The immutable table from host and path to prepared answers: a short stack of layers, so that a change of a few hosts adds a
// small layer and leaves the others alone. Workers read it through a `CatalogueView`, a plain value with pointers into the
// images, so that a request touches no reference count.

import HTTP

/// Everything that is served at one moment. Replaced as a whole, never changed.
@safe public final class Catalogue: @unchecked Sendable {
    /// Newest first.
    public let layers: [CatalogueLayer]
    /// The pages that all hosts share.
    public let sharedPages: CatalogueLayer?
    /// The number of served hosts; a wildcard counts once.
    public let siteCount: Int
    private let views: UnsafeMutableBufferPointer<LayerView>

    /// - Parameters:
    ///   - layers: the newest first; a host's entry in a newer layer hides the one in an older layer.
    ///   - sharedPages: a layer of one site, whose answers are used for every host that has none of its own for a path.
    public init(layers: [CatalogueLayer], sharedPages: CatalogueLayer? = nil) {
        self.layers = layers
        self.sharedPages = sharedPages?.view.siteCount == 0 ? nil : sharedPages
        siteCount = Catalogue.siteCount(layers)
        unsafe views = .allocate(capacity: layers.count + 1)
        for (index, layer) in layers.enumerated() { unsafe views.initializeElement(at: index, to: layer.view) }
        if let pages = self.sharedPages { unsafe views.initializeElement(at: layers.count, to: pages.view) }
    }

    deinit { unsafe views.deallocate() }

    public var byteCount: Int { layers.reduce(sharedPages?.byteCount ?? 0) { $0 + $1.byteCount } }

    /// Lends a view for the duration of a call.
    public func reading<Result>(_ use: (CatalogueView) -> Result) -> Result {
        withExtendedLifetime(self) { use(view) }
    }

    /// A view, valid as long as the caller keeps the catalogue, as workers do.
    public var view: CatalogueView {
        unsafe CatalogueView(
            layers: UnsafeBufferPointer(rebasing: views[..<layers.count]),
            sharedPages: sharedPages == nil ? nil : UnsafePointer(views.baseAddress! + layers.count))
    }

    /// Counts the sites of the oldest layer, and what each newer layer adds or removes.
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

    /// The configured name of a host: its own, or that of its wildcard. Nil if it is not served.
    public func configuredName(of host: String) -> String? {
        withExtendedLifetime(self) { view.configuredName(of: host) }
    }

    /// The configured names of all served hosts, `*.example.com` for a wildcard.
    public var servedHosts: [String] {
        withExtendedLifetime(self) {
            var hosts: [String] = []
            hosts.reserveCapacity(siteCount)
            // The newest layer that has a host decides.
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

    /// The entity tags of a host's answer for a path, with their quotes: that of the plain form, then that of the gzip form.
    /// Empty if there is no answer.
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
