// One layer of the catalogue: an image and the files that it refers to. The image is in memory of its own or in a mapped file;
// readers see no difference.

import HTTP
import Posix

/// Sites, and removal marks for sites of older layers. Never changed.
@safe public final class CatalogueLayer: @unchecked Sendable {
    private let storage: Storage
    /// The image's size in bytes.
    public let byteCount: Int
    /// Nil where a mapped layer refers to a file that has changed or gone; no site uses it.
    private let files: [OpenFile?]
    /// Hosts that were removed when the layer was mapped, because one of their files has changed. The caller renders them again.
    public let staleHosts: [String]
    /// The descriptors of `files`, for readers.
    private let descriptors: UnsafeMutableBufferPointer<Int32>
    let view: LayerView

    /// The owner of the image.
    @safe enum Storage: ~Copyable {
        case built(Memory)
        case mapped(StateFile, UnsafeRawPointer)

        var base: UnsafeRawPointer {
            switch self {
            case .built(let memory): unsafe UnsafeRawPointer(memory.bytes.baseAddress!)
            case .mapped(_, let base): unsafe base
            }
        }
    }

    init(_ storage: consuming Storage, files: [OpenFile?], staleHosts: [String] = []) {
        let descriptors = UnsafeMutableBufferPointer<Int32>.allocate(capacity: files.count)
        _ = unsafe descriptors.initialize(fromContentsOf: files.map { $0?.number ?? -1 })
        view = unsafe LayerView(base: storage.base, descriptors: UnsafeBufferPointer(descriptors))
        byteCount = unsafe Int(storage.base.load(as: ImageHeader.self).byteCount)
        self.storage = storage
        (self.files, self.staleHosts) = (files, staleHosts)
        unsafe self.descriptors = descriptors
    }

    deinit { unsafe descriptors.deallocate() }

    /// The image; valid as long as the layer is.
    var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: view.base, count: byteCount) }

    func file(_ number: Int) -> OpenFile {
        guard let file = files[number] else { preconditionFailure("a site with a stale file was removed") }
        return file
    }

    // A layer from a state file. Its bytes are used in place. Only the files that it sends from disk are opened again; a site
    // with a file that has changed is removed, and the caller renders it again.

    /// The layer of a verified state file. Every number in it is checked before it is used.
    public convenience init(_ state: StateFile) throws(StateProblem) {
        let bytes = try unsafe state.mutableBytes(.layer)
        guard unsafe ImageCheck.isSound(UnsafeRawBufferPointer(bytes)) else { throw .damaged(.layer) }
        let files = unsafe CatalogueLayer.openFiles(UnsafeRawBufferPointer(bytes))
        let staleHosts = unsafe CatalogueLayer.removeSites(bytes, withoutFiles: files)
        unsafe self.init(.mapped(state, UnsafeRawPointer(bytes.baseAddress!)), files: files, staleHosts: staleHosts)
    }

    /// The files that the image refers to; nil for one that has changed.
    private static func openFiles(_ bytes: UnsafeRawBufferPointer) -> [OpenFile?] {
        let place = unsafe bytes.load(as: ImageHeader.self).files
        return (0..<Int(place.count)).map { index in
            let offset = Int(place.offset) + index * MemoryLayout<FileRecord>.stride
            let record = unsafe bytes.load(fromByteOffset: offset, as: FileRecord.self)
            let start = Int(record.path.offset)
            let path = unsafe String(decoding: bytes[start..<start + Int(record.path.count)], as: UTF8.self)
            guard let file = try? OpenFile(path), file.inode == record.inode,
                file.byteCount == Int(record.byteCount), file.modifiedNanoseconds == record.modifiedNanoseconds
            else { return nil }
            return file
        }
    }

    /// Marks the sites that need a missing file as removed, and returns their hosts. Only this process sees the marks.
    private static func removeSites(
        _ bytes: UnsafeMutableRawBufferPointer, withoutFiles files: [OpenFile?]
    ) -> [String] {
        if !files.contains(where: { $0 == nil }) { return [] }
        let view = unsafe LayerView(
            base: UnsafeRawPointer(bytes.baseAddress!), descriptors: UnsafeBufferPointer(start: nil, count: 0))
        func isStale(_ form: RepresentationRecord) -> Bool { form.file >= 0 && files[Int(form.file)] == nil }
        let stale = (0..<view.answerCount).map {
            unsafe isStale(view.answers[$0].identity) || isStale(view.answers[$0].gzip)
        }
        let sites = unsafe Int(bytes.load(as: ImageHeader.self).sites.offset)
        var hosts: [String] = []
        for index in 0..<view.siteCount where !view.isRemoved(index) {
            var site = unsafe view.sites[index]
            let answers =
                site.routes.range.map { unsafe Int(view.routes[$0].answer) }
                + (site.fallback > 0 ? [Int(site.fallback) - 1] : [])
            guard answers.contains(where: { stale[$0] }) else { continue }
            hosts.append(view.host(index))
            site.flags |= SiteRecord.isRemoved
            unsafe bytes.storeBytes(
                of: site, toByteOffset: sites + index * MemoryLayout<SiteRecord>.stride, as: SiteRecord.self)
        }
        return hosts
    }

    // Two layers are merged into one to keep the stack short. Records are copied, not rendered again, and get the hashes of the
    // new image; equal records of both layers are stored once.

    /// One layer with what readers see of this layer above an older one. `keepsMarks` keeps the removal marks: needed when
    /// there are still older layers below.
    public func merged(over older: CatalogueLayer, keepsMarks: Bool = false) -> CatalogueLayer {
        var builder = CatalogueBuilder()
        builder.add(older, except: view, keepsMarks: keepsMarks)
        builder.add(self, except: nil, keepsMarks: keepsMarks)
        return builder.finish()
    }

    /// The number of hosts with a site in this layer.
    public var siteCount: Int { (0..<view.siteCount).count(where: view.isServed) }

    /// The hosts with a site in this layer, in the order in which they were added.
    public var hosts: [String] { (0..<view.siteCount).filter(view.isServed).map(view.host) }

    /// The hosts that this layer removes from older ones.
    public var removedHosts: [String] { (0..<view.siteCount).filter(view.isRemoved).map(view.host) }

    /// One host's entry in this layer.
    public enum Entry: Equatable, Sendable {
        /// The entity tags in the order of the paths; a tag is empty if the answer has none.
        case site(tags: [Tag])
        case removed

        public struct Tag: Equatable, Sendable {
            public var path: String
            public var entityTag: String
        }
    }

    /// The entry of a configured host (`*.example.com` for a wildcard), if this layer has one.
    public func entry(_ host: String) -> Entry? {
        guard let site = view.find(configured: host) else { return nil }
        return view.isServed(site) ? .site(tags: tags(of: site)) : .removed
    }

    fileprivate func tags(of site: Int) -> [Entry.Tag] {
        let tags = unsafe view.sites[site].routes.range.map { index in
            let route = unsafe view.routes[index]
            return unsafe Entry.Tag(
                path: String(decoding: view.bytes(route.path), as: UTF8.self),
                entityTag: String(decoding: view.answer(Int(route.answer)).form(.identity).entityTag, as: UTF8.self))
        }
        return tags.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    /// Calls `body` for every answer of the hosts that no newer layer has.
    fileprivate func forEachAnswer(hiddenBy newer: some Sequence<CatalogueLayer>, _ body: (Catalogue.Version) -> Void) {
        for site in 0..<view.siteCount where view.isServed(site) {
            let name = unsafe view.bytes(view.sites[site].host)
            if newer.contains(where: { unsafe $0.view.find(name) != nil }) { continue }
            let (host, record) = unsafe (view.host(site), view.sites[site])
            for index in record.routes.range {
                let form = unsafe view.answer(Int(view.routes[index].answer)).form(.identity)
                unsafe body(
                    Catalogue.Version(
                        host: host, path: String(decoding: view.bytes(view.routes[index].path), as: UTF8.self),
                        // The tag of a file that is sent from disk depends on the time it was written, which differs between
                        // machines.
                        tag: form.file == nil ? String(decoding: form.entityTag, as: UTF8.self) : nil,
                        byteCount: form.bodyCount))
            }
        }
    }
}

extension CatalogueBuilder {
    /// Adds the sites of a layer whose hosts a newer layer does not have.
    fileprivate mutating func add(_ layer: CatalogueLayer, except newer: LayerView?, keepsMarks: Bool) {
        var copy = LayerCopy(layer)
        for site in 0..<layer.view.siteCount {
            let record = unsafe layer.view.sites[site]
            let name = unsafe layer.view.bytes(record.host)
            if unsafe newer?.find(name) != nil { continue }
            if layer.view.isRemoved(site) {
                if keepsMarks { unsafe addMark(heap.store(name)) }
            } else {
                copy.add(site, to: &self)
            }
        }
    }
}

/// Copies one layer's records into another image, and remembers the copies of records that many sites share.
private struct LayerCopy {
    private let layer: CatalogueLayer
    private let view: LayerView
    /// The new numbers of answers, plus one; 0 for an answer that is not copied yet.
    private var answers: [UInt32]
    private var landingRuns: [Run: Run] = [:]

    init(_ layer: CatalogueLayer) {
        self.layer = layer
        view = layer.view
        answers = [UInt32](repeating: 0, count: layer.view.answerCount)
    }

    mutating func add(_ site: Int, to builder: inout CatalogueBuilder) {
        var record = unsafe view.sites[site]
        let run = record.routes.range.map { index in
            let route = unsafe view.routes[index]
            let path = unsafe builder.heap.store(view.bytes(route.path))
            return builder.route(path, to: UInt64(answer(Int(route.answer), &builder)))
        }
        record.host = unsafe builder.heap.store(view.bytes(record.host))
        record.routes = builder.store(run)
        if record.fallback > 0 { record.fallback = answer(Int(record.fallback) - 1, &builder) + 1 }
        record.landings = landings(record.landings, &builder)
        builder.add(record)
    }

    private mutating func answer(_ index: Int, _ builder: inout CatalogueBuilder) -> UInt32 {
        if answers[index] > 0 { return answers[index] - 1 }
        var record = unsafe view.answers[index]
        record.identity = representation(record.identity, &builder)
        record.gzip = record.hasGzip == 0 ? record.identity : representation(record.gzip, &builder)
        let number = builder.answers.add(record: record)
        answers[index] = number + 1
        return number
    }

    private func representation(
        _ record: RepresentationRecord, _ builder: inout CatalogueBuilder
    ) -> RepresentationRecord {
        var copy = record
        copy.fields = unsafe builder.heap.store(view.bytes(record.fields))
        if record.file >= 0 {
            copy.file = Int64(builder.number(of: layer.file(Int(record.file))))
        } else {
            copy.body = unsafe builder.heap.store(view.bytes(record.body))
        }
        return copy
    }

    private mutating func landings(_ old: Run, _ builder: inout CatalogueBuilder) -> Run {
        if let known = landingRuns[old] { return known }
        let run = old.range.map { index in
            var record = unsafe view.landings[index]
            record.answer = answer(Int(record.answer), &builder)
            record.rules = rules(record.rules, &builder)
            record.segments = segments(record.segments, &builder)
            return record
        }
        let new = builder.landings.add(run)
        landingRuns[old] = new
        return new
    }

    private func rules(_ old: Run, _ builder: inout CatalogueBuilder) -> Run {
        let run = old.range.map { index in
            var rule = unsafe view.rules[index]
            let items = rule.items.range.map { index in
                let item = unsafe view.items[index]
                return unsafe LinkItemRecord(
                    name: builder.heap.store(view.bytes(item.name)),
                    pattern: builder.heap.store(view.bytes(item.pattern)))
            }
            rule.path = unsafe builder.heap.store(view.bytes(rule.path))
            rule.query = unsafe builder.heap.store(view.bytes(rule.query))
            rule.items = builder.items.add(items)
            return rule
        }
        return builder.rules.add(run)
    }

    private func segments(_ old: Run, _ builder: inout CatalogueBuilder) -> Run {
        let run = old.range.map { index in
            var segment = unsafe view.segments[index]
            segment.text = unsafe builder.heap.store(view.bytes(segment.text))
            return segment
        }
        return builder.segments.add(run)
    }
}

extension LayerView {
    func isRemoved(_ site: Int) -> Bool { unsafe sites[site].flags & SiteRecord.isRemoved != 0 }

    /// Whether it is a site, not a mark.
    func isServed(_ site: Int) -> Bool { unsafe sites[site].flags & (SiteRecord.isRemoved | SiteRecord.isClosed) == 0 }

    /// The number of the site or mark of a configured host, `*.example.com` for a wildcard.
    func find(configured host: String) -> Int? {
        let key = Array((host.hasPrefix("*.") ? host.dropFirst() : host[...]).utf8)
        return unsafe key.withUnsafeBytes { unsafe find($0) }
    }

    /// The configured host of a site, `*.example.com` for a wildcard, whose key begins with its dot.
    func host(_ site: Int) -> String {
        let key = unsafe bytes(sites[site].host)
        return unsafe (key.first == UInt8(ascii: ".") ? "*" : "") + String(decoding: key, as: UTF8.self)
    }
}

extension Catalogue {
    /// The version of an answer that is served.
    public struct Version {
        public let host: String
        public let path: String
        /// The entity tag; nil if it does not depend on the content alone.
        public let tag: String?
        public let byteCount: Int
    }

    /// Calls `body` for every answer that is served, in no particular order; the shared pages have the host `_default`.
    public func forEachAnswer(_ body: (Version) -> Void) {
        for (index, layer) in layers.enumerated() { layer.forEachAnswer(hiddenBy: layers[..<index], body) }
        sharedPages?.forEachAnswer(hiddenBy: [], body)
    }

    /// The plain form of a configured host's own answer; nil if it has none, or its body is in a file.
    public func body(of host: String, path: String) -> [UInt8]? {
        guard let (layer, site) = site(of: host) else { return nil }
        return unsafe Array(path.utf8).withUnsafeBytes { path in
            let form = unsafe layer.view.answer(site, path: path)?.form(.identity)
            guard let form, form.file == nil else { return nil }
            return unsafe Array(form.body)
        }
    }

    /// The entity tags of a configured host's own answers; nil when it has no site.
    public func tags(of host: String) -> [CatalogueLayer.Entry.Tag]? {
        site(of: host).map { $0.layer.tags(of: $0.number) }
    }

    /// The site of a configured host in the newest layer that has an entry for it; nil if there is none, or it is a mark.
    func site(of host: String) -> (layer: CatalogueLayer, number: Int)? {
        for layer in layers {
            guard let site = layer.view.find(configured: host) else { continue }
            return layer.view.isServed(site) ? (layer, site) : nil
        }
        return nil
    }
}
