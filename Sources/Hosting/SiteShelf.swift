// Where the sites are that have been made: a base with nearly all of them, and above it a small layer with what has changed
// since, so that a change costs what it changes. While the two are being made into a new base, what changes meanwhile is a third
// layer above them.

import Catalogue

struct SiteShelf {
    private(set) var catalogue = Catalogue(layers: [])
    private(set) var base: CatalogueLayer?
    /// What has changed since.
    private(set) var changes: CatalogueLayer?
    /// What had changed when a new base was begun, which has all of it.
    private(set) var frozen: CatalogueLayer?
    private var sharedPages: CatalogueLayer?
    /// What is still to be read.
    var unread: UnreadHosts? {
        didSet { if unread !== oldValue { publish() } }
    }
    private var staged: Staged?

    /// The sites of the first round, as far as they are made.
    private final class Staged {
        var builder = CatalogueBuilder()
    }

    /// From this many hosts on, changes are to be merged into the base.
    private static let changesMax = 512

    /// Takes sites of the first round as they are made: prepared, all of them together would take many times the memory of
    /// the layer that they become with the next `replace`. The last one under a host stands.
    mutating func stage(_ site: PreparedSite) {
        precondition(isEmpty, "later sites take the place of others")
        let staged = staged ?? Staged()
        staged.builder.put(site)
        self.staged = staged
    }

    /// Takes back what was staged under a host, if anything was.
    mutating func unstage(_ host: String) { staged?.builder.withdraw(host: host) }

    /// Puts sites in the place of what is there under their hosts, takes others away, and closes hosts that wildcards
    /// would reach. What another program has made wins where it is given, with the first sites.
    mutating func replace(
        _ sites: [PreparedSite], removing removed: [String], closing closed: [String],
        keeping former: CatalogueLayer? = nil
    ) {
        if sites.isEmpty, removed.isEmpty, closed.isEmpty, staged == nil, former == nil { return }
        var builder = CatalogueBuilder()
        if let staged { swap(&builder, &staged.builder) }
        staged = nil
        for site in sites { builder.add(site) }
        for host in closed { builder.close(host: host) }
        if base == nil {
            let made = builder.finish()
            base = former?.merged(over: made) ?? made
        } else {
            for host in removed { builder.remove(host: host) }
            let newest = builder.finish()
            changes = changes.map { newest.merged(over: $0, keepsMarks: true) } ?? newest
        }
        publish()
    }

    /// Everything that has changed since the base.
    var allChanges: CatalogueLayer? {
        guard let frozen else { return changes }
        return changes?.merged(over: frozen, keepsMarks: true) ?? frozen
    }

    /// Leaves what has changed as it is, for a new base to be made of it.
    mutating func freeze() {
        precondition(frozen == nil, "one base is made at a time")
        (frozen, changes) = (changes, nil)
    }

    /// Puts the new base in the place of what it was made of.
    mutating func settle(_ base: CatalogueLayer) {
        (self.base, frozen) = (base, nil)
        publish()
    }

    /// Goes on with the old base.
    mutating func thaw() {
        (changes, frozen) = (allChanges, nil)
        publish()
    }

    /// Whether there are many changes.
    var wantsMerging: Bool {
        guard let changes else { return false }
        return changes.siteCount + changes.removedHosts.count > SiteShelf.changesMax
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
        catalogue = Catalogue(
            layers: [changes, frozen, base].compactMap { $0 }, sharedPages: sharedPages, unread: unread)
    }
}
