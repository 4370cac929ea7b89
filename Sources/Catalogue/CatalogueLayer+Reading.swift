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

extension Catalogue {
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
