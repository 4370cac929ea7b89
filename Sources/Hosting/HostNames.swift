// Which names cover a host: the order in which the catalogue looks for a site, needed here to know whose files a host has.

enum HostNames {
    /// The wildcards that cover a host, or another wildcard, the most specific first.
    static func wildcards(over host: String) -> [String] {
        let labels = host.split(separator: ".")
        return labels.indices.dropFirst().map { "*." + labels[$0...].joined(separator: ".") }.filter { $0 != host }
    }
}
