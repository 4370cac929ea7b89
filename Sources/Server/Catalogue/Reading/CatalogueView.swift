// Look-ups in the catalogue on the data plane: from a host to a site, from a path to an answer. A host is looked up in each
// layer, the newest first, before the next wildcard is tried. Usually there are one or two layers.

import HTTP

/// A view of a catalogue, for readers.
@safe public struct CatalogueView {
    /// Newest first.
    let layers: UnsafeBufferPointer<LayerView>
    /// The shared pages: a layer with one site. Nil when there are none.
    let sharedPages: UnsafePointer<LayerView>?

    public struct Site: Equatable {
        let layer: Int32
        let index: Int32
    }

    /// The longest name that DNS can carry.
    private static let hostBytesMax = 253

    /// The site for a host as a client wrote it, without port and trailing dot: its own, otherwise that of the most specific
    /// wildcard. A wildcard covers subdomains of any depth, but not its parent itself.
    public func site(host: Span<UInt8>) -> Site? {
        let count = host.count
        guard count > 0, count <= CatalogueView.hostBytesMax, host[0] != UInt8(ascii: ".") else { return nil }
        return unsafe withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { name in
            for index in 0..<count { unsafe name[index] = Octet.lowercased(host[index]) }
            let found = unsafe CatalogueView.first(forKeysOf: UnsafeRawBufferPointer(name)) { unsafe find($0) }
            guard let found, !isClosed(found) else { return nil }
            return found
        }
    }

    /// The first result of `body` for the keys under which a host in lower case may be found: the whole name, then the suffix
    /// of each wildcard, the most specific first.
    @inline(__always)
    private static func first<Result>(
        forKeysOf name: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result?
    ) -> Result? {
        for index in 0..<name.count where unsafe index == 0 || name[index] == UInt8(ascii: ".") {
            if let result = unsafe body(UnsafeRawBufferPointer(rebasing: name[index...])) { return result }
        }
        return nil
    }

    @inline(__always)
    private func isClosed(_ site: Site) -> Bool {
        unsafe layers[Int(site.layer)].sites[Int(site.index)].flags & SiteRecord.isClosed != 0
    }

    /// Whether a host is served; for the control plane.
    public func knows(_ host: String) -> Bool {
        let name = Array(host.utf8)
        return site(host: name.span) != nil
    }

    /// The configured name of a host: its own, or that of the wildcard that covers it, as `*.example.com`. Nil for a host that
    /// is not served. For the control plane.
    public func configuredName(of host: String) -> String? {
        let name = host.utf8.map { Octet.lowercased($0) }
        guard site(host: name.span) != nil else { return nil }
        let keyCount = unsafe name.withUnsafeBytes { whole in
            unsafe CatalogueView.first(forKeysOf: whole) { unsafe find($0) == nil ? nil : $0.count }
        }
        let key = String(decoding: name.suffix(keyCount ?? 0), as: UTF8.self)
        return keyCount == name.count ? key : "*\(key)"
    }

    /// The answer of a site for a decoded path: its own, otherwise that of the shared pages.
    public func answer(_ site: Site, path: UnsafeRawBufferPointer) -> Answer? {
        if let answer = unsafe layers[Int(site.layer)].answer(Int(site.index), path: path) { return answer }
        guard let sharedPages = unsafe sharedPages, unsafe allowsPages(path) else { return nil }
        return unsafe sharedPages.pointee.answer(0, path: path)
    }

    /// A removal mark ends the search in older layers, so that the next wildcard is tried.
    @inline(__always)
    private func find(_ name: UnsafeRawBufferPointer) -> Site? {
        for layer in unsafe 0..<layers.count {
            guard let index = unsafe layers[layer].find(name) else { continue }
            if unsafe layers[layer].sites[index].flags & SiteRecord.isRemoved != 0 { return nil }
            return Site(layer: Int32(truncatingIfNeeded: layer), index: Int32(truncatingIfNeeded: index))
        }
        return nil
    }

    /// Whether pages may answer a decoded path. Below `/.well-known/`, and at the path in the root where Apple's devices look
    /// for the association file, only configured answers are sent.
    public func allowsPages(_ path: UnsafeRawBufferPointer) -> Bool {
        let bytes = unsafe Span<UInt8>(_unsafeBytes: path)
        return unsafe !bytes.equals(WellKnownPath.appleAssociationAtRoot) && !bytes.hasPrefix(WellKnownPath.prefix)
            && !bytes.equals("/.well-known") && isPlain(path)
    }

    /// Whether all readers see the same path: no empty segment but the last, no `.` or `..`, valid UTF-8. A path that a proxy
    /// or cache could read as another one gets no page.
    private func isPlain(_ path: UnsafeRawBufferPointer) -> Bool {
        var start = 0
        for index in 0...path.count where unsafe index == path.count || path[index] == UInt8(ascii: "/") {
            let count = index - start
            let isDots =
                unsafe count == 1 && path[start] == UInt8(ascii: ".")
                || count == 2 && path[start] == UInt8(ascii: ".") && path[start + 1] == UInt8(ascii: ".")
            if isDots || count == 0 && start > 0 && index < path.count { return false }
            start = index + 1
        }
        return unsafe UTF8Text.isValid(path)
    }

    /// The fallback page of a single-page app for a decoded path that has no answer. A last segment with a dot is a file's name
    /// and gets none: a missing script must not be answered with a page.
    public func fallback(_ site: Site, path: UnsafeRawBufferPointer) -> Answer? {
        guard unsafe allowsPages(path), let answer = fallback(site) else { return nil }
        var index = path.count
        while index > 0, unsafe path[index - 1] != UInt8(ascii: "/") {
            index -= 1
            if unsafe path[index] == UInt8(ascii: ".") { return nil }
        }
        return answer
    }

    /// The page of a 404 for a decoded path: `/404.html` of the site, otherwise that of the shared pages.
    public func missingPage(_ site: Site, path: UnsafeRawBufferPointer) -> Answer? {
        guard unsafe allowsPages(path) else { return nil }
        let name: StaticString = "/404.html"
        return unsafe answer(site, path: UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }

    private func fallback(_ site: Site) -> Answer? {
        let layer = unsafe layers[Int(site.layer)]
        if let own = layer.fallback(Int(site.index)) { return own }
        guard let sharedPages = unsafe sharedPages,
            unsafe layer.sites[Int(site.index)].flags & SiteRecord.fallsBackToShared != 0
        else {
            return nil
        }
        return unsafe sharedPages.pointee.fallback(0)
    }

    /// The landing page for a request's path and query as they were sent: that of the first app whose link rules include them.
    public func landing(_ site: Site, path: Span<UInt8>, query: Span<UInt8>) -> Landing? {
        let layer = unsafe layers[Int(site.layer)]
        let landings = layer.landings(of: Int(site.index))
        if landings.isEmpty { return nil }
        return unsafe withUnsafeTemporaryAllocation(byteCount: path.count + 2, alignment: 8) { room in
            let path = unsafe UnsafeRawBufferPointer(rebasing: room[..<LinkMatch.normalise(path, into: room)])
            return unsafe query.withUnsafeBytes { query in
                var match = unsafe LinkMatch(path: path, query: query)
                for index in landings where match.isIncluded(by: layer.rules(of: index)) {
                    return layer.landing(index)
                }
                return nil
            }
        }
    }
}
