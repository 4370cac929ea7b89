// Builds a layer, site by site, on the control plane. Equal bytes, equal answers and equal runs of routes are stored once:
// the tenants of one white-label product share most of them.

import HTTP
import Posix

/// Collects sites and builds a layer from them.
public struct CatalogueBuilder: ~Copyable {
    var heap: ImageHeap
    var sites: [SiteRecord] = []
    private var hosts = HashIndex()
    /// The numbers of the withdrawn sites.
    private var withdrawn: Set<Int> = []
    var routes: RecordTable<RouteRecord>
    var answers: RecordTable<AnswerRecord>
    var landings: RecordTable<LandingRecord>
    var rules: RecordTable<LinkRuleRecord>
    var items: RecordTable<LinkItemRecord>
    var segments: RecordTable<SegmentRecord>
    private var files: [OpenFile] = []
    private var fileNumbers: [OpenFile: Int] = [:]

    /// The most bytes of one answer's field lines. The engine reserves as much room.
    public static let fieldBytesMax = 3_072

    public init() { self.init(hash: KeyHash()) }

    /// With the same hash, equal sites give equal bytes.
    init(hash: KeyHash) {
        heap = ImageHeap(hash: hash)
        routes = RecordTable(hash: hash)
        answers = RecordTable(hash: hash)
        landings = RecordTable(hash: hash)
        rules = RecordTable(hash: hash)
        items = RecordTable(hash: hash)
        segments = RecordTable(hash: hash)
    }

    /// Adds a site. The caller merges everything of one host first: adding a host twice is a bug.
    public mutating func add(_ site: PreparedSite) { add(record(of: site)) }

    /// Adds a site, or replaces the one of the same host, whose bytes stay in the layer.
    public mutating func put(_ site: PreparedSite) { put(record(of: site)) }

    /// Withdraws the site or mark of a host, if there is one.
    public mutating func withdraw(host: String) {
        if let number = number(of: storeKey(of: host)) { withdrawn.insert(number) }
    }

    private mutating func record(of site: PreparedSite) -> SiteRecord {
        var run: [RouteRecord] = []
        run.reserveCapacity(site.answers.count)
        for (index, (path, answer)) in site.answers.enumerated() {
            // An association file has two paths, and so has an index page.
            let same = site.answers[max(0, index - 4)..<index].firstIndex { $0.answer == answer }
            let number = same.map { run[$0].answer } ?? UInt64(store(answer))
            run.append(route(heap.store(path), to: number))
        }
        let landings = store(site.landings)
        let fallback = site.fallback.map { store($0) + 1 } ?? 0
        return SiteRecord(
            host: storeKey(of: site.host), routes: store(run), landings: landings, fallback: fallback,
            flags: site.fallsBackToShared ? SiteRecord.fallsBackToShared : 0)
    }

    /// Marks a host of an older layer as removed: readers then ignore what that layer has for it.
    public mutating func remove(host: String) {
        put(CatalogueBuilder.mark(storeKey(of: host), flags: SiteRecord.isRemoved))
    }

    /// Marks a host for which nothing is served, not even by the wildcards that cover it.
    public mutating func close(host: String) {
        put(CatalogueBuilder.mark(storeKey(of: host), flags: SiteRecord.isClosed))
    }

    mutating func addMark(_ key: Blob) { add(CatalogueBuilder.mark(key, flags: SiteRecord.isRemoved)) }

    private static func mark(_ key: Blob, flags: UInt32) -> SiteRecord {
        SiteRecord(host: key, routes: Run(), landings: Run(), fallback: 0, flags: flags)
    }

    mutating func add(_ site: SiteRecord) {
        precondition(number(of: site.host) == nil, "a host is added once")
        append(site)
    }

    private mutating func put(_ site: SiteRecord) {
        guard let known = number(of: site.host) else { return append(site) }
        sites[known] = site
        withdrawn.remove(known)
    }

    private mutating func append(_ site: SiteRecord) {
        hosts.insert(heap.hash(of: site.host), sites.count)
        sites.append(site)
    }

    /// The number of the site or mark with this key. Equal keys are one blob.
    private func number(of key: Blob) -> Int? {
        hosts.find(heap.hash(of: key)) { sites[$0].host == key }
    }

    /// A wildcard is stored as its suffix with the dot, so that a look-up needs no copy of the requested name.
    private mutating func storeKey(of host: String) -> Blob {
        heap.store(host.hasPrefix("*.") ? String(host.dropFirst()) : host)
    }

    func route(_ path: Blob, to answer: UInt64) -> RouteRecord {
        RouteRecord(path: path, pathHash: heap.hash(of: path), answer: answer)
    }

    /// Stores a site's routes in the order in which readers search them.
    mutating func store(_ run: [RouteRecord]) -> Run {
        routes.add(run.sorted { ($0.pathHash, $0.path.offset) < ($1.pathHash, $1.path.offset) })
    }

    public consuming func finish() -> CatalogueLayer {
        var header = ImageHeader(hash: heap.hash)
        if !withdrawn.isEmpty { sites = sites.indices.filter { !withdrawn.contains($0) }.map { sites[$0] } }
        header.slots = heap.append(table: slots())
        header.sites = heap.append(table: sites)
        header.routes = heap.append(table: routes.records)
        header.answers = heap.append(table: answers.records)
        header.landings = heap.append(table: landings.records)
        header.rules = heap.append(table: rules.records)
        header.items = heap.append(table: items.records)
        header.segments = heap.append(table: segments.records)
        let records = files.map { file in
            FileRecord(
                path: heap.store(file.path), byteCount: Int64(file.byteCount), inode: file.inode,
                modifiedNanoseconds: file.modifiedNanoseconds)
        }
        header.files = heap.append(table: records)
        return CatalogueLayer(.built(heap.finish(header)), files: files)
    }

    private func slots() -> [HostSlot] {
        var count = 8
        while count < sites.count * 2 { count *= 2 }
        var slots = [HostSlot](repeating: .empty, count: count)
        for (index, site) in sites.enumerated() {
            let hash = heap.hash(of: site.host)
            var place = Int(truncatingIfNeeded: hash) & (count - 1)
            while !slots[place].isEmpty { place = (place + 1) & (count - 1) }
            slots[place] = HostSlot(site: index, hash: hash)
        }
        return slots
    }

    /// The number of a file in the layer, which is added if need be.
    mutating func number(of file: OpenFile) -> Int {
        if let known = fileNumbers[file] { return known }
        files.append(file)
        fileNumbers[file] = files.count - 1
        return files.count - 1
    }

    mutating func store(_ answer: PreparedAnswer) -> UInt32 {
        let identity = store(answer.identity)
        return answers.add(
            record: AnswerRecord(
                kind: answer.kind.rawValue, hasGzip: answer.gzip == nil ? 0 : 1, status: answer.status.rawValue,
                lastModified: answer.lastModified ?? Int64.min, identity: identity,
                gzip: answer.gzip.map { store($0) } ?? identity))
    }

    private mutating func store(_ representation: Representation) -> RepresentationRecord {
        let shared = representation.sharedFields.bytes
        let others = representation.bodyFields.bytes
        let typeCount = "content-type: ".utf8.count + representation.contentType.utf8.count + 2
        var lines: [UInt8] = []
        lines.reserveCapacity(shared.count + typeCount + others.count)
        lines += shared
        lines += "content-type: ".utf8
        lines += representation.contentType.utf8
        lines += [0x0D, 0x0A]
        lines += others
        precondition(lines.count < CatalogueBuilder.fieldBytesMax, "field lines fit into a response's head")
        var record = RepresentationRecord(
            fields: heap.store(lines), body: Blob(offset: 0, count: 0), sharedFieldBytes: UInt16(shared.count),
            contentTypeBytes: UInt16(typeCount), tagOffset: firstOffset(of: representation.entityTag, in: shared),
            tagCount: UInt16(representation.entityTag.utf8.count), file: -1)
        switch representation.content {
        case .bytes(let bytes): record.body = heap.store(bytes)
        case .kept(let bytes): record.body = unsafe heap.store(bytes.layer.view.bytes(bytes.blob))
        case .file(let file):
            record.body.count = UInt64(file.byteCount)
            record.file = Int64(number(of: file))
        }
        return record
    }

    /// An empty tag means that the answer has none.
    private func firstOffset(of tag: String, in fields: [UInt8]) -> UInt16 {
        if tag.isEmpty { return 0 }
        var tag = tag
        let offset = tag.withUTF8 { tag in
            unsafe fields.withUnsafeBytes { fields in
                (0..<max(0, fields.count - tag.count + 1)).first { offset in
                    unsafe UnsafeRawBufferPointer(rebasing: fields[offset..<offset + tag.count])
                        .equals(UnsafeRawBufferPointer(tag))
                }
            }
        }
        guard let offset else {
            preconditionFailure("the entity tag is among the fields that a 304 repeats")
        }
        return UInt16(offset)
    }

    mutating func store(_ pages: [PreparedLanding]) -> Run {
        let run = pages.map { page in
            let ruleRun = page.rules.map { record($0) }
            let segmentRun = page.segments.map {
                SegmentRecord(text: heap.store($0.text), insertion: UInt64($0.insertion.rawValue))
            }
            return LandingRecord(
                answer: store(page.head), rules: rules.add(ruleRun), segments: segments.add(segmentRun))
        }
        return landings.add(run)
    }

    private mutating func record(_ rule: LinkRule) -> LinkRuleRecord {
        let run = rule.items.map { LinkItemRecord(name: heap.store($0.name), pattern: heap.store($0.pattern.bytes)) }
        var flags: UInt64 = 0
        if rule.excludes { flags |= LinkRuleRecord.excludes }
        if rule.foldsCase { flags |= LinkRuleRecord.foldsCase }
        if rule.path != nil { flags |= LinkRuleRecord.hasPath }
        if rule.query != nil { flags |= LinkRuleRecord.hasQuery }
        return LinkRuleRecord(
            path: heap.store(rule.path?.bytes ?? []), query: heap.store(rule.query?.bytes ?? []), items: items.add(run),
            flags: flags)
    }
}
