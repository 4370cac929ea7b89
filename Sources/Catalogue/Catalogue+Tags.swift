// Which version of a document a host serves, for those who compare.

import HTTP

extension Catalogue {
    /// The name by which a host is configured; nil for one that is not served.
    public func configuredName(of host: String) -> String? {
        withExtendedLifetime(self) { view.configuredName(of: host) }
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
