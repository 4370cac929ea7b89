// Where the sites are that have been made: a base with nearly all of them, and above it a small layer with what has changed
// since, so that a change costs what it changes.

import Catalogue

struct SiteShelf {
    private(set) var catalogue = Catalogue(layers: [])
    private var base: CatalogueLayer?
    private var upper: CatalogueLayer?
    private var sharedPages: CatalogueLayer?

    /// Below this many hosts, one layer is made of both without a second thought.
    private static let upperCountMin = 64
    /// The upper layer may have one host for so many of the base; making one of both costs as much as the base is large.
    private static let upperShare = 64

    /// Puts sites in the place of what is there under their hosts, and takes others away.
    mutating func replace(_ sites: [PreparedSite], removing removed: [String]) {
        if sites.isEmpty, removed.isEmpty { return }
        var builder = CatalogueBuilder()
        for site in sites { builder.add(site) }
        if base != nil {
            for host in removed { builder.remove(host: host) }
        }
        let newest = builder.finish()
        guard let base else {
            self.base = newest
            return publish()
        }
        let changed = upper.map { newest.merged(over: $0, keepsMarks: true) } ?? newest
        let count = changed.siteCount + changed.removedHosts.count
        if count <= max(SiteShelf.upperCountMin, base.siteCount / SiteShelf.upperShare) {
            upper = changed
        } else {
            self.base = changed.merged(over: base)
            upper = nil
        }
        publish()
    }

    /// Sets the pages that every host has beside its own.
    mutating func share(_ pages: PageSet) {
        var builder = CatalogueBuilder()
        if !pages.answers.isEmpty {
            builder.add(
                PreparedSite(
                    host: "_default", answers: pages.answers.map { ($0.key, $0.value) },
                    fallback: pages.answers["/index.html"]))
        }
        sharedPages = builder.finish()
        publish()
    }

    /// Whether nothing has ever been put here.
    var isEmpty: Bool { base == nil }

    /// The entity tags of a host's own answers by path; nil when it is not served.
    func tags(of host: String) -> [String: String]? {
        guard let tags = catalogue.tags(of: host) else { return nil }
        return Dictionary(tags.map { ($0.path, $0.entityTag) }) { first, _ in first }
    }

    private mutating func publish() {
        catalogue = Catalogue(layers: [upper, base].compactMap { $0 }, sharedPages: sharedPages)
    }
}
