// One layer of the catalogue: an image and the files that it names. Where the image lies, in memory of its own or in a
// mapped file, makes no difference to its readers.

import HTTP
import Posix

/// Sites, and marks for sites that are gone. Never changed.
@safe public final class CatalogueLayer: @unchecked Sendable {
    private let storage: Storage
    /// The image's size in bytes.
    public let byteCount: Int
    /// Nil where a mapped layer names a file that is not there any more; no site leads to it.
    private let files: [OpenFile?]
    /// Hosts that were taken out when the layer was mapped, because a file of theirs has changed meanwhile. Whoever mapped
    /// it makes them anew.
    public let staleHosts: [String]
    /// The descriptors of `files`, as readers want them.
    private let descriptors: UnsafeMutableBufferPointer<Int32>
    let view: LayerView

    /// What keeps the image where it is.
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
        self.files = files
        self.staleHosts = staleHosts
        unsafe self.descriptors = descriptors
    }

    deinit { unsafe descriptors.deallocate() }

    /// The image, as long as this is kept.
    var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: view.base, count: byteCount) }

    func file(_ number: Int) -> OpenFile {
        guard let file = files[number] else { preconditionFailure("a site without its files was taken out") }
        return file
    }

    // A layer from a state file. Its bytes stay where they are; only the files that it sends from their own places are opened
    // again, and a site that has one which is not the same any more is taken out, for the caller to make it anew.

    /// The layer of a state file, which was verified. Every number in it is checked before it is used.
    public convenience init(_ state: StateFile) throws(StateProblem) {
        let bytes = try unsafe state.mutableBytes(.layer)
        guard unsafe ImageCheck.isSound(UnsafeRawBufferPointer(bytes)) else { throw .damaged(.layer) }
        let files = unsafe CatalogueLayer.openFiles(UnsafeRawBufferPointer(bytes))
        let staleHosts = unsafe CatalogueLayer.takeOutSites(bytes, without: files)
        unsafe self.init(.mapped(state, UnsafeRawPointer(bytes.baseAddress!)), files: files, staleHosts: staleHosts)
    }

    /// The files that the image names, nil where there is another one now.
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

    /// Marks the sites that need a file which is not there, and says which they are. Only this process sees the marks.
    private static func takeOutSites(_ bytes: UnsafeMutableRawBufferPointer, without files: [OpenFile?]) -> [String] {
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
            let routes = Int(site.firstRoute)..<Int(site.firstRoute) + Int(site.routeCount)
            let answers =
                routes.map { unsafe Int(view.routes[$0].answer) } + (site.fallback > 0 ? [Int(site.fallback) - 1] : [])
            guard answers.contains(where: { stale[$0] }) else { continue }
            hosts.append(view.host(index))
            site.flags |= SiteRecord.isRemoved
            unsafe bytes.storeBytes(
                of: site, toByteOffset: sites + index * MemoryLayout<SiteRecord>.stride, as: SiteRecord.self)
        }
        return hosts
    }

    // One layer of two: so the stack stays short. Records are copied without being prepared again, and hashed as the new image
    // hashes; equal ones of both become one.

    /// What a reader sees of this layer above an older one, as one layer. It is the lowest of its stack unless `keepsMarks`
    /// says that there are older ones below, from which marks still have to take something away.
    public func merged(over older: CatalogueLayer, keepsMarks: Bool = false) -> CatalogueLayer {
        var builder = CatalogueBuilder()
        builder.add(older, except: view, keepsMarks: keepsMarks)
        builder.add(self, except: nil, keepsMarks: keepsMarks)
        return builder.finish()
    }

    /// How many hosts have a site here.
    public var siteCount: Int { (0..<view.siteCount).count(where: view.isServed) }

    /// The hosts that have a site here, in the order in which they were added.
    public var hosts: [String] { (0..<view.siteCount).filter(view.isServed).map(view.host) }

    /// The hosts that this layer takes away from older ones.
    public var removedHosts: [String] { (0..<view.siteCount).filter(view.isRemoved).map(view.host) }

    /// What one host has here.
    public enum Entry: Equatable, Sendable {
        /// The entity tags by path, in the order of the paths; empty for an answer that has none.
        case site(tags: [Tag])
        case removed

        public struct Tag: Equatable, Sendable {
            public var path: String
            public var entityTag: String

            public init(path: String, entityTag: String) {
                self.path = path
                self.entityTag = entityTag
            }
        }
    }

    /// What this layer says about a host, wildcards with their asterisk; nil when it says nothing.
    public func entry(_ host: String) -> Entry? {
        let key = Array((host.hasPrefix("*.") ? host.dropFirst() : host[...]).utf8)
        let found = unsafe key.withUnsafeBytes { unsafe view.find($0) }
        guard let site = found else { return nil }
        if !view.isServed(site) { return .removed }
        let record = unsafe view.sites[site]
        let tags = (Int(record.firstRoute)..<Int(record.firstRoute) + Int(record.routeCount)).map { index in
            let route = unsafe view.routes[index]
            return unsafe Entry.Tag(
                path: String(decoding: view.bytes(route.path), as: UTF8.self),
                entityTag: String(decoding: view.answer(Int(route.answer)).form(.identity).entityTag, as: UTF8.self))
        }
        return .site(tags: tags.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) })
    }

    /// The plain form of what a host has here under a path; nil where that is in a file, or there is nothing.
    fileprivate func body(of host: String, path: String) -> [UInt8]? {
        let key = Array((host.hasPrefix("*.") ? host.dropFirst() : host[...]).utf8)
        guard let site = unsafe key.withUnsafeBytes({ unsafe view.find($0) }), view.isServed(site) else { return nil }
        return unsafe Array(path.utf8).withUnsafeBytes { path in
            guard let form = unsafe view.answer(site, path: path)?.form(.identity), form.file == nil else { return nil }
            return unsafe Array(form.body)
        }
    }

    /// Every answer of the hosts that no newer layer says anything about.
    fileprivate func forEachAnswer(hiddenBy newer: some Sequence<CatalogueLayer>, _ body: (Catalogue.Version) -> Void) {
        for site in 0..<view.siteCount where view.isServed(site) {
            let name = unsafe view.bytes(view.sites[site].host)
            if newer.contains(where: { unsafe $0.view.find(name) != nil }) { continue }
            let (host, record) = unsafe (view.host(site), view.sites[site])
            for index in Int(record.firstRoute)..<Int(record.firstRoute) + Int(record.routeCount) {
                let form = unsafe view.answer(Int(view.routes[index].answer)).form(.identity)
                unsafe body(
                    Catalogue.Version(
                        host: host, path: String(decoding: view.bytes(view.routes[index].path), as: UTF8.self),
                        // The tag of a file that is sent from disk tells when it was written, which differs between machines.
                        tag: form.file == nil ? String(decoding: form.entityTag, as: UTF8.self) : nil,
                        byteCount: form.bodyCount))
            }
        }
    }
}

extension CatalogueBuilder {
    /// Adds the sites of a layer, unless a newer one says something about their hosts.
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

/// The copying of one layer's records into another image. What was copied is remembered, where many share it.
private struct LayerCopy {
    private let layer: CatalogueLayer
    private let view: LayerView
    /// The new numbers of answers, plus one; 0 where there is none yet.
    private var answers: [UInt32]
    private var landingRuns: [UInt32: UInt32] = [:]

    init(_ layer: CatalogueLayer) {
        self.layer = layer
        view = layer.view
        answers = [UInt32](repeating: 0, count: layer.view.answerCount)
    }

    mutating func add(_ site: Int, to builder: inout CatalogueBuilder) {
        var record = unsafe view.sites[site]
        var run: [RouteRecord] = []
        for index in Int(record.firstRoute)..<Int(record.firstRoute) + Int(record.routeCount) {
            let route = unsafe view.routes[index]
            let path = unsafe builder.heap.store(view.bytes(route.path))
            run.append(builder.route(path, to: UInt64(answer(Int(route.answer), &builder))))
        }
        record.host = unsafe builder.heap.store(view.bytes(record.host))
        record.firstRoute = builder.store(run)
        if record.fallback > 0 { record.fallback = answer(Int(record.fallback) - 1, &builder) + 1 }
        record.firstLanding = landings(of: site, &builder)
        builder.add(record)
    }

    private mutating func answer(_ index: Int, _ builder: inout CatalogueBuilder) -> UInt32 {
        if answers[index] > 0 { return answers[index] - 1 }
        var record = unsafe view.answers[index]
        record.identity = representation(record.identity, &builder)
        record.gzip = record.hasGzip == 0 ? record.identity : representation(record.gzip, &builder)
        let number = builder.answers.add(record)
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

    private mutating func landings(of site: Int, _ builder: inout CatalogueBuilder) -> UInt32 {
        let range = view.landings(of: site)
        if range.isEmpty { return 0 }
        // Runs of different lengths may begin at the same place, but all of a run is copied, so the longer one is there
        // only when it was copied itself.
        let key = unsafe view.sites[site].firstLanding
        if range.count == 1, let known = landingRuns[key] { return known }
        var run: [LandingRecord] = []
        for index in range {
            var record = unsafe view.landings[index]
            record.answer = answer(Int(record.answer), &builder)
            record.firstRule = rules(record, &builder)
            record.firstSegment = segments(record, &builder)
            run.append(record)
        }
        let first = builder.landings.add(run)
        if range.count == 1 { landingRuns[key] = first }
        return first
    }

    private func rules(_ landing: LandingRecord, _ builder: inout CatalogueBuilder) -> UInt32 {
        var run: [LinkRuleRecord] = []
        for index in Int(landing.firstRule)..<Int(landing.firstRule) + Int(landing.ruleCount) {
            var rule = unsafe view.rules[index]
            var items: [LinkItemRecord] = []
            for item in Int(rule.firstItem)..<Int(rule.firstItem) + Int(rule.itemCount) {
                let name = unsafe builder.heap.store(view.bytes(view.items[item].name))
                unsafe items.append(
                    LinkItemRecord(name: name, pattern: builder.heap.store(view.bytes(view.items[item].pattern))))
            }
            rule.path = unsafe builder.heap.store(view.bytes(rule.path))
            rule.query = unsafe builder.heap.store(view.bytes(rule.query))
            rule.firstItem = builder.items.add(items)
            run.append(rule)
        }
        return builder.rules.add(run)
    }

    private func segments(_ landing: LandingRecord, _ builder: inout CatalogueBuilder) -> UInt32 {
        var run: [SegmentRecord] = []
        for index in Int(landing.firstSegment)..<Int(landing.firstSegment) + Int(landing.segmentCount) {
            var segment = unsafe view.segments[index]
            segment.text = unsafe builder.heap.store(view.bytes(segment.text))
            run.append(segment)
        }
        return builder.segments.add(run)
    }
}

extension LayerView {
    func isRemoved(_ site: Int) -> Bool { unsafe sites[site].flags & SiteRecord.isRemoved != 0 }

    /// Whether it is a site and no mark.
    func isServed(_ site: Int) -> Bool { unsafe sites[site].flags & (SiteRecord.isRemoved | SiteRecord.isClosed) == 0 }

    /// The host as it was added, a wildcard with its asterisk.
    func host(_ site: Int) -> String {
        let name = unsafe bytes(sites[site].host)
        return unsafe (name.first == UInt8(ascii: ".") ? "*" : "") + String(decoding: name, as: UTF8.self)
    }
}

extension Catalogue {
    /// Which version of an answer is served.
    public struct Version {
        public let host: String
        public let path: String
        /// Nil where it does not depend on the content alone.
        public let tag: String?
        public let byteCount: Int
    }

    /// Every answer that is served, in no order that means anything; those that all hosts share under `_default`.
    public func forEachAnswer(_ body: (Version) -> Void) {
        for (index, layer) in layers.enumerated() { layer.forEachAnswer(hiddenBy: layers[..<index], body) }
        sharedPages?.forEachAnswer(hiddenBy: [], body)
    }

    /// The plain form of a host's own answer, wildcards named with their asterisk; nil where it has none in memory.
    public func body(of host: String, path: String) -> [UInt8]? {
        for layer in layers where layer.entry(host) != nil { return layer.body(of: host, path: path) }
        return nil
    }

    /// The entity tags of a host's own answers by path, wildcards named with their asterisk; nil when it has no site.
    public func tags(of host: String) -> [CatalogueLayer.Entry.Tag]? {
        for layer in layers {
            switch layer.entry(host) {
            case nil: continue
            case .removed: return nil
            case .site(let tags): return tags
            }
        }
        return nil
    }
}
