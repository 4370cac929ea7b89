// Which hosts are served, and which version of a document each serves.

import HTTP

extension Catalogue {
    /// The name by which a host is configured; nil for one that is not served.
    public func configuredName(of host: String) -> String? {
        withExtendedLifetime(self) { view.configuredName(of: host) }
    }

    /// The hosts that are served, each once, wildcards with their asterisk.
    public var servedHosts: [String] {
        withExtendedLifetime(self) {
            var hosts: [String] = []
            hosts.reserveCapacity(siteCount)
            // What newer layers say about a host is what counts.
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

    /// The entity tags of what a host serves under a path, with their quotes: that of the plain form first, then that of
    /// the packed one. Empty where there is nothing.
    public func entityTags(host: String, path: String) -> [String] {
        let name = Array(host.utf8)
        return withExtendedLifetime(self) {
            guard let site = view.site(host: name.span) else { return [] }
            return Array(path.utf8).withUnsafeBytes { path in
                guard let answer = view.answer(site, path: path), answer.status == .ok else { return [] }
                let codings: [ContentCoding] = answer.hasGzip ? [.identity, .gzip] : [.identity]
                return codings.map { String(decoding: answer.form($0).entityTag, as: UTF8.self) }.filter { !$0.isEmpty }
            }
        }
    }
}
