// Reading the catalogue on the data plane: a host to a site, a path to an answer. A name is looked for in each layer, the
// newest first, before the next wildcard is tried; there are one or two layers as a rule.

import HTTP

/// A catalogue as its readers see it.
@safe public struct CatalogueView {
    /// Newest first.
    let layers: UnsafeBufferPointer<LayerView>
    /// The pages of all hosts: the only site of a layer of its own. Nil when there are none.
    let sharedPages: UnsafePointer<LayerView>?
    /// Hosts that are still to be read; nil when all are. The catalogue keeps it.
    let unread: Unmanaged<UnreadHosts>?

    /// A site of this catalogue.
    public struct Site: Equatable {
        let layer: Int32
        let index: Int32
    }

    /// The longest name that DNS can carry.
    private static let hostBytesMax = 253

    /// The site for a host as a client wrote it, without port and trailing dot: the exact one, else that of the most
    /// specific wildcard. A wildcard covers any depth and never the bare parent.
    public func site(host: Span<UInt8>) -> Site? {
        let count = host.count
        guard count > 0, count <= CatalogueView.hostBytesMax, host[0] != UInt8(ascii: ".") else { return nil }
        return unsafe withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { name in
            for index in 0..<count {
                let byte = host[index]
                unsafe name[index] = byte &- 0x41 < 26 ? byte | 0x20 : byte
            }
            let whole = UnsafeRawBufferPointer(name)
            if let site = unsafe find(whole) { return isClosed(site) ? nil : site }
            for index in 1..<count where unsafe whole[index] == UInt8(ascii: ".") {
                if let site = unsafe find(UnsafeRawBufferPointer(rebasing: whole[index...])) {
                    return isClosed(site) ? nil : site
                }
            }
            return nil
        }
    }

    @inline(__always)
    private func isClosed(_ site: Site) -> Bool {
        unsafe layers[Int(site.layer)].sites[Int(site.index)].flags & SiteRecord.isClosed != 0
    }

    /// Whether a host, as a client wrote it, has files of its own that are still to be read. What the catalogue has in their
    /// place, nothing or a wildcard's site, would be a wrong answer. Only for a moment behind a start it costs more than
    /// a comparison.
    public func isUnread(host: Span<UInt8>) -> Bool {
        guard let unread = unsafe unread, host.count > 0, host.count <= CatalogueView.hostBytesMax else { return false }
        let name = unsafe host.withUnsafeBytes { unsafe $0.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 } }
        return unsafe name.withUnsafeBytes { whole in
            for index in 0..<whole.count where unsafe index == 0 || whole[index] == UInt8(ascii: ".") {
                let key = unsafe UnsafeRawBufferPointer(rebasing: whole[index...])
                if unsafe find(key) != nil { return false }
                if unsafe unread._withUnsafeGuaranteedRef({ unsafe $0.has(key) }) { return true }
            }
            return false
        }
    }

    /// Whether a host is served, or will be in a moment; for the control plane.
    public func knows(_ host: String) -> Bool {
        let name = Array(host.utf8)
        return site(host: name.span) != nil || isUnread(host: name.span)
    }

    /// The name by which a host is configured: its own, or that of the wildcard that covers it, as `*.example.com`. Nil for
    /// a host that is not served. For the control plane.
    public func configuredName(of host: String) -> String? {
        let name = Array(host.utf8).map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
        guard site(host: name.span) != nil else { return nil }
        let key = unsafe name.withUnsafeBytes { whole in
            if unsafe find(whole) != nil { return whole.count }
            for index in 1..<whole.count where unsafe whole[index] == UInt8(ascii: ".") {
                if unsafe find(UnsafeRawBufferPointer(rebasing: whole[index...])) != nil { return whole.count - index }
            }
            return 0
        }
        let text = String(decoding: name.suffix(key), as: UTF8.self)
        return key == name.count ? text : "*\(text)"
    }

    /// The answer of a site for a decoded path: its own, else that of the pages of all hosts.
    public func answer(_ site: Site, path: UnsafeRawBufferPointer) -> Answer? {
        if let answer = unsafe layers[Int(site.layer)].answer(Int(site.index), path: path) { return answer }
        guard let sharedPages = unsafe sharedPages, unsafe allowsPages(path) else { return nil }
        return unsafe sharedPages.pointee.answer(0, path: path)
    }

    /// A removed mark ends the search in older layers, and the next wildcard is tried.
    @inline(__always)
    private func find(_ name: UnsafeRawBufferPointer) -> Site? {
        for layer in unsafe 0..<layers.count {
            guard let index = unsafe layers[layer].find(name) else { continue }
            if unsafe layers[layer].sites[index].flags & SiteRecord.isRemoved != 0 { return nil }
            return Site(layer: Int32(truncatingIfNeeded: layer), index: Int32(truncatingIfNeeded: index))
        }
        return nil
    }

    /// The place at the root where Apple's devices look for the association file.
    public static var appleRoot: StaticString { "/apple-app-site-association" }

    /// Whether pages may answer for a decoded path: nothing but what is configured is ever found below `/.well-known/`, nor
    /// in the place at the root where Apple's devices look for the association file.
    public func allowsPages(_ path: UnsafeRawBufferPointer) -> Bool {
        let root = CatalogueView.appleRoot
        if unsafe path.elementsEqual(UnsafeRawBufferPointer(start: root.utf8Start, count: root.utf8CodeUnitCount)) {
            return false
        }
        if unsafe !isPlain(path) { return false }
        let prefix: StaticString = "/.well-known"
        guard unsafe path.starts(with: UnsafeRawBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount))
        else {
            return true
        }
        return unsafe path.count > prefix.utf8CodeUnitCount && path[prefix.utf8CodeUnitCount] != UInt8(ascii: "/")
    }

    /// Whether a path says what it means: no empty segment but the last, no `.` or `..`, nothing that is no UTF-8. What a
    /// reader behind us might take for another path is not answered at all.
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

    /// The answer of a single-page app for a decoded path that has none. A name with a dot is that of a file: a script
    /// that is not there must not be answered with a page.
    public func fallback(_ site: Site, path: UnsafeRawBufferPointer) -> Answer? {
        guard unsafe allowsPages(path), let answer = fallback(site) else { return nil }
        var index = path.count
        while index > 0, unsafe path[index - 1] != UInt8(ascii: "/") {
            index -= 1
            if unsafe path[index] == UInt8(ascii: ".") { return nil }
        }
        return answer
    }

    /// The page for a decoded path that has no answer: `/404.html` of the site, else that of the pages of all hosts.
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

    /// The landing page for a request's path and query as they were sent: that of the first app whose rules include it.
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
