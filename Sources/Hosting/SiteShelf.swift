// Where the sites are that have been made: a base with nearly all of them, and above it a small layer with what has changed
// since, so that a change costs what it changes.

import Catalogue

struct SiteShelf {
    private(set) var catalogue = Catalogue(layers: [])
    private(set) var base: CatalogueLayer?
    /// What has changed since.
    private(set) var changes: CatalogueLayer?
    private var sharedPages: CatalogueLayer?
    private var staged: Staged?

    /// The sites of the first round, as far as they are made.
    private final class Staged {
        var builder = CatalogueBuilder()
    }

    /// From this many hosts on, changes are to be merged into the base.
    private static let changesMax = 512

    /// Takes sites of the first round as they are made: prepared, all of them together would take many times the memory of
    /// the layer that they become with the next `replace`.
    mutating func stage(_ site: PreparedSite) {
        precondition(isEmpty, "later sites take the place of others")
        let staged = staged ?? Staged()
        staged.builder.add(site)
        self.staged = staged
    }

    /// Puts sites in the place of what is there under their hosts, takes others away, and closes hosts that wildcards
    /// would reach.
    mutating func replace(_ sites: [PreparedSite], removing removed: [String], closing closed: [String]) {
        if sites.isEmpty, removed.isEmpty, closed.isEmpty, staged == nil { return }
        var builder = CatalogueBuilder()
        if let staged { swap(&builder, &staged.builder) }
        staged = nil
        for site in sites { builder.add(site) }
        for host in closed { builder.close(host: host) }
        if base == nil {
            base = builder.finish()
        } else {
            for host in removed { builder.remove(host: host) }
            let newest = builder.finish()
            changes = changes.map { newest.merged(over: $0, keepsMarks: true) } ?? newest
        }
        publish()
    }

    /// Whether there are many changes.
    var wantsMerging: Bool {
        guard let changes else { return false }
        return changes.siteCount + changes.removedHosts.count > SiteShelf.changesMax
    }

    /// Makes one layer of both.
    mutating func merge() {
        guard let base, let changes else { return }
        (self.base, self.changes) = (changes.merged(over: base), nil)
        publish()
    }

    /// Takes up layers that were kept, the base last.
    mutating func restore(_ layers: [CatalogueLayer]) {
        base = layers.last
        changes = layers.count > 1 ? layers[0] : nil
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

    /// Whether there is a site or a mark under a host.
    func hasEntry(for host: String) -> Bool { catalogue.layers.contains { $0.entry(host) != nil } }

    private mutating func publish() {
        catalogue = Catalogue(layers: [changes, base].compactMap { $0 }, sharedPages: sharedPages)
    }
}
