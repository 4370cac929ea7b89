// What a site answers where no path of its own fits: the landing page of an app whose rules include the link, or the page
// that stands for any other.

import HTTP

extension CatalogueView {
    /// The place at the root where Apple's devices look for the association file.
    public static var appleRoot: StaticString { "/apple-app-site-association" }

    /// Whether pages may answer for a decoded path: nothing but what is configured is ever found below `/.well-known/`, nor
    /// in the place at the root where Apple's devices look for the association file.
    public func allowsPages(_ path: UnsafeRawBufferPointer) -> Bool {
        let root = CatalogueView.appleRoot
        if path.elementsEqual(UnsafeRawBufferPointer(start: root.utf8Start, count: root.utf8CodeUnitCount)) {
            return false
        }
        if !isPlain(path) { return false }
        let prefix: StaticString = "/.well-known"
        guard path.starts(with: UnsafeRawBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount)) else {
            return true
        }
        return path.count > prefix.utf8CodeUnitCount && path[prefix.utf8CodeUnitCount] != UInt8(ascii: "/")
    }

    /// Whether a path says what it means: no empty segment but the last, no `.` or `..`, nothing that is no UTF-8. What a
    /// reader behind us might take for another path is not answered at all.
    private func isPlain(_ path: UnsafeRawBufferPointer) -> Bool {
        var start = 0
        for index in 0...path.count where index == path.count || path[index] == UInt8(ascii: "/") {
            let count = index - start
            let isDots =
                count == 1 && path[start] == UInt8(ascii: ".")
                || count == 2 && path[start] == UInt8(ascii: ".") && path[start + 1] == UInt8(ascii: ".")
            if isDots || count == 0 && start > 0 && index < path.count { return false }
            start = index + 1
        }
        return UTF8Text.isValid(path)
    }

    /// The answer of a single-page app for a decoded path that has none. A name with a dot is that of a file: a script
    /// that is not there must not be answered with a page.
    public func fallback(_ site: Site, path: UnsafeRawBufferPointer) -> Answer? {
        guard allowsPages(path), let answer = fallback(site) else { return nil }
        var index = path.count
        while index > 0, path[index - 1] != UInt8(ascii: "/") {
            index -= 1
            if path[index] == UInt8(ascii: ".") { return nil }
        }
        return answer
    }

    /// The page for a decoded path that has no answer: `/404.html` of the site, else that of the pages of all hosts.
    public func missingPage(_ site: Site, path: UnsafeRawBufferPointer) -> Answer? {
        guard allowsPages(path) else { return nil }
        let name: StaticString = "/404.html"
        return answer(site, path: UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }

    private func fallback(_ site: Site) -> Answer? {
        let layer = layers[Int(site.layer)]
        if let own = layer.fallback(Int(site.index)) { return own }
        guard let sharedPages, layer.sites[Int(site.index)].flags & SiteRecord.fallsBackToShared != 0 else {
            return nil
        }
        return sharedPages.pointee.fallback(0)
    }

    /// The landing page for a request's path and query as they were sent: that of the first app whose rules include it.
    public func landing(_ site: Site, path: Span<UInt8>, query: Span<UInt8>) -> Landing? {
        let layer = layers[Int(site.layer)]
        let landings = layer.landings(of: Int(site.index))
        if landings.isEmpty { return nil }
        return withUnsafeTemporaryAllocation(byteCount: path.count + 2, alignment: 8) { room in
            let path = UnsafeRawBufferPointer(rebasing: room[..<LinkMatch.normalise(path, into: room)])
            return query.withUnsafeBytes { query in
                var match = LinkMatch(path: path, query: query)
                for index in landings where match.isIncluded(by: layer.rules(of: index)) {
                    return layer.landing(index)
                }
                return nil
            }
        }
    }
}
