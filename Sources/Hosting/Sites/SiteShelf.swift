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
    /// Hosts that were named by a file that may not name them: what was served there is no reason to keep anything.
    var revoked: Set<String> = []
    /// What is still to be read.
    var unread: UnreadHosts? {
        didSet { if unread !== oldValue { publish() } }
    }
    /// From this many hosts on, changes are to be merged into the base.
    private static let changesMax = 512

    /// Puts new sites above what is there; the first ones are the base.
    mutating func add(_ layer: CatalogueLayer) {
        if base == nil {
            base = layer
        } else {
            changes = changes.map { layer.merged(over: $0, keepsMarks: true) } ?? layer
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
        if !revoked.isEmpty, ([host] + HostNames.wildcards(over: host)).contains(where: revoked.contains) { return nil }
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
