// The rendered sites in layers: a base with nearly all of them, and a small layer with what has changed since, so that a change
// is cheap. During a compaction, new changes go into a third layer.

import Catalogue
import TLS

struct SiteShelf {
    private(set) var catalogue = Catalogue(layers: [])
    private(set) var base: CatalogueLayer?
    /// What has changed since the base.
    private(set) var changes: CatalogueLayer?
    /// What had changed when the running compaction began.
    private(set) var compacting: CatalogueLayer?
    private var sharedPages: CatalogueLayer?
    /// Hosts that a file named without being allowed to: what was served there is not protected.
    var revoked: Set<String> = []
    /// More changed hosts than this are merged into the base.
    private static let changesMax = 512

    /// Adds new sites; the first ones become the base.
    mutating func add(_ layer: CatalogueLayer) {
        if base == nil {
            base = layer
        } else {
            changes = changes.map { layer.merged(over: $0, keepsMarks: true) } ?? layer
        }
        rebuildCatalogue()
    }

    /// Everything that has changed since the base.
    var allChanges: CatalogueLayer? {
        guard let compacting else { return changes }
        return changes?.merged(over: compacting, keepsMarks: true) ?? compacting
    }

    /// A compaction begins: its changes are no longer extended.
    mutating func beginCompaction() {
        precondition(compacting == nil, "one base is made at a time")
        (compacting, changes) = (changes, nil)
    }

    /// Replaces the old base and its changes with the new base.
    mutating func finishCompaction(_ base: CatalogueLayer) {
        (self.base, compacting) = (base, nil)
        rebuildCatalogue()
    }

    /// Continues with the old base.
    mutating func abortCompaction() {
        (changes, compacting) = (allChanges, nil)
        rebuildCatalogue()
    }

    var wantsMerging: Bool {
        guard let changes else { return false }
        return changes.siteCount + changes.removedHosts.count > SiteShelf.changesMax
    }

    /// Restores saved layers, the base last.
    mutating func restore(_ layers: [CatalogueLayer]) {
        base = layers.last
        changes = layers.count > 1 ? layers[0] : nil
        rebuildCatalogue()
    }

    mutating func setDefaultPages(_ pages: PageSet) {
        var builder = CatalogueBuilder()
        if !pages.answers.isEmpty {
            builder.add(
                PreparedSite(
                    host: "_default", answers: pages.answers.map { ($0.key, $0.value) },
                    fallback: pages.answers["/index.html"]))
        }
        sharedPages = builder.finish()
        rebuildCatalogue()
    }

    /// Whether no site was ever added.
    var isEmpty: Bool { base == nil }

    /// The entity tags of a host's own answers by path; nil if there are none to guard.
    func tags(of host: String) -> [String: String]? {
        if !revoked.isEmpty, ([host] + HostName.wildcards(over: host)).contains(where: revoked.contains) { return nil }
        return servedTags(of: host)
    }

    /// Also of a host that was taken from the tenant that has them.
    func servedTags(of host: String) -> [String: String]? {
        guard let tags = catalogue.tags(of: host) else { return nil }
        return Dictionary(tags.map { ($0.path, $0.entityTag) }) { first, _ in first }
    }

    /// Whether a layer has a site for a host, or a mark that it is removed.
    func hasEntry(for host: String) -> Bool { catalogue.layers.contains { $0.entry(host) != nil } }

    private mutating func rebuildCatalogue() {
        catalogue = Catalogue(layers: [changes, compacting, base].compactMap { $0 }, sharedPages: sharedPages)
    }
}
