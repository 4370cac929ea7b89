// The sites that another program made and kept in the same folder. This one makes its own, of the same texts; only what it
// cannot make stays as the other one made it, because phones have cached it. Nothing of this is looked at before there is
// such a host, and an upgrade seldom has one.

import Catalogue

final class FormerSites {
    /// The newest first.
    private let files: [StateFile]
    /// Every host that there is something about.
    private let hosts: Set<String>
    private var loaded: Catalogue?

    init(_ files: [StateFile], hosts: Set<String>) {
        self.files = files
        self.hosts = hosts
    }

    /// Empty where the sites are of another form, or damaged: without the changes the rest would be older than what was live.
    private var catalogue: Catalogue {
        if let loaded { return loaded }
        let layers = files.map { file in
            (try? file.verify(.layer)).flatMap { try? CatalogueLayer(file) }
        }
        let catalogue = Catalogue(layers: layers.contains { $0 == nil } ? [] : layers.compactMap { $0 })
        loaded = catalogue
        return catalogue
    }

    /// The entity tags of a host's answers by path; nil when it was not served, or cannot be as it was.
    func tags(of host: String) -> [String: String]? {
        guard let tags = catalogue.tags(of: host) else { return nil }
        return Dictionary(tags.map { ($0.path, $0.entityTag) }) { first, _ in first }
    }

    /// The sites of these hosts, and nothing else.
    func layer(of wanted: Set<String>) -> CatalogueLayer? {
        guard !wanted.isEmpty, let base = catalogue.layers.last else { return nil }
        let newest = catalogue.layers[0]
        let all = catalogue.layers.count > 1 ? newest.merged(over: base) : base
        var others = CatalogueBuilder()
        for host in hosts.union(all.hosts).subtracting(wanted) { others.remove(host: host) }
        return others.finish().merged(over: all)
    }
}
