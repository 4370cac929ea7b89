// What the control plane wants to know about a layer: which hosts it has, and under which tags.

import HTTP

extension LayerView {
    func isRemoved(_ site: Int) -> Bool { sites[site].flags & SiteRecord.isRemoved != 0 }

    /// Whether it is a site and no mark.
    func isServed(_ site: Int) -> Bool { sites[site].flags & (SiteRecord.isRemoved | SiteRecord.isClosed) == 0 }

    /// The host as it was added, a wildcard with its asterisk.
    func host(_ site: Int) -> String {
        let name = bytes(sites[site].host)
        return (name.first == UInt8(ascii: ".") ? "*" : "") + String(decoding: name, as: UTF8.self)
    }
}

extension CatalogueLayer {
    /// How many hosts have a site here.
    public var siteCount: Int { (0..<view.siteCount).count(where: view.isServed) }

    /// The hosts that have a site here, in the order in which they were added.
    public var hosts: [String] { (0..<view.siteCount).filter(view.isServed).map(view.host) }

    /// The hosts that this layer takes away from older ones.
    public var removedHosts: [String] { (0..<view.siteCount).filter(view.isRemoved).map(view.host) }

    /// What one host has here.
    public enum Entry: Equatable, Sendable {
        /// The entity tags by path, in the order of the paths; empty for an answer that has none.
        case site(tags: [Tag])
        case removed

        public struct Tag: Equatable, Sendable {
            public var path: String
            public var entityTag: String

            public init(path: String, entityTag: String) {
                self.path = path
                self.entityTag = entityTag
            }
        }
    }

    /// What this layer says about a host, wildcards with their asterisk; nil when it says nothing.
    public func entry(_ host: String) -> Entry? {
        let key = Array((host.hasPrefix("*.") ? host.dropFirst() : host[...]).utf8)
        let found = key.withUnsafeBytes { view.find($0) }
        guard let site = found else { return nil }
        if !view.isServed(site) { return .removed }
        let record = view.sites[site]
        let tags = (Int(record.firstRoute)..<Int(record.firstRoute) + Int(record.routeCount)).map { index in
            let route = view.routes[index]
            return Entry.Tag(
                path: String(decoding: view.bytes(route.path), as: UTF8.self),
                entityTag: String(decoding: view.answer(Int(route.answer)).form(.identity).entityTag, as: UTF8.self))
        }
        return .site(tags: tags.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) })
    }
}

extension CatalogueLayer {
    /// The plain form of what a host has here under a path; nil where that is in a file, or there is nothing.
    fileprivate func body(of host: String, path: String) -> [UInt8]? {
        let key = Array((host.hasPrefix("*.") ? host.dropFirst() : host[...]).utf8)
        guard let site = key.withUnsafeBytes({ view.find($0) }), view.isServed(site) else { return nil }
        return Array(path.utf8).withUnsafeBytes { path in
            guard let form = view.answer(site, path: path)?.form(.identity), form.file == nil else { return nil }
            return Array(form.body)
        }
    }

    /// Every answer of the hosts that no newer layer says anything about.
    fileprivate func forEachAnswer(hiddenBy newer: some Sequence<CatalogueLayer>, _ body: (Catalogue.Version) -> Void) {
        for site in 0..<view.siteCount where view.isServed(site) {
            let name = view.bytes(view.sites[site].host)
            if newer.contains(where: { $0.view.find(name) != nil }) { continue }
            let (host, record) = (view.host(site), view.sites[site])
            for index in Int(record.firstRoute)..<Int(record.firstRoute) + Int(record.routeCount) {
                let form = view.answer(Int(view.routes[index].answer)).form(.identity)
                body(
                    Catalogue.Version(
                        host: host, path: String(decoding: view.bytes(view.routes[index].path), as: UTF8.self),
                        // The tag of a file that is sent from disk tells when it was written, which differs between machines.
                        tag: form.file == nil ? String(decoding: form.entityTag, as: UTF8.self) : nil,
                        byteCount: form.bodyCount))
            }
        }
    }
}

extension Catalogue {
    /// Which version of an answer is served.
    public struct Version {
        public let host: String
        public let path: String
        /// Nil where it does not depend on the content alone.
        public let tag: String?
        public let byteCount: Int
    }

    /// Every answer that is served, in no order that means anything; those that all hosts share under `_default`.
    public func forEachAnswer(_ body: (Version) -> Void) {
        for (index, layer) in layers.enumerated() { layer.forEachAnswer(hiddenBy: layers[..<index], body) }
        sharedPages?.forEachAnswer(hiddenBy: [], body)
    }

    /// The plain form of a host's own answer, wildcards named with their asterisk; nil where it has none in memory.
    public func body(of host: String, path: String) -> [UInt8]? {
        for layer in layers where layer.entry(host) != nil { return layer.body(of: host, path: path) }
        return nil
    }

    /// The entity tags of a host's own answers by path, wildcards named with their asterisk; nil when it has no site.
    public func tags(of host: String) -> [CatalogueLayer.Entry.Tag]? {
        for layer in layers {
            switch layer.entry(host) {
            case nil: continue
            case .removed: return nil
            case .site(let tags): return tags
            }
        }
        return nil
    }
}
