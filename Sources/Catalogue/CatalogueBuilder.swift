// Builds an image, site by site, on the control plane. Equal bytes, equal answers and equal runs of routes are stored once:
// tenants of one white-label product share most of theirs.

import HTTP
import Posix

/// Collects sites and makes a catalogue of them.
public struct CatalogueBuilder: ~Copyable {
    private var heap = Memory(byteCount: 64 * 1024)
    private var heapCount = 0
    private var sites: [SiteRecord] = []
    private var routes: [RouteRecord] = []
    private var answers: [AnswerRecord] = []
    private var blobsByHash: [UInt64: [Blob]] = [:]
    private var answerIndices: [PreparedAnswer: Int] = [:]
    private var runsByKey: [[UInt64]: UInt32] = [:]
    private var hosts: Set<String> = []
    private var files: [OpenFile] = []
    private var landings = RecordRuns<LandingRecord>()
    private var rules = RecordRuns<LinkRuleRecord>()
    private var items = RecordRuns<LinkItemRecord>()
    private var segments = RecordRuns<SegmentRecord>()

    /// All field lines of one answer, in bytes. The engine keeps room for as much.
    public static let fieldBytesMax = 3_072

    public init() {}

    /// Adds a site. A host that is there already is a bug of the caller, who merges what belongs to one host.
    public mutating func add(_ site: PreparedSite) {
        precondition(hosts.insert(site.host).inserted, "a host is added once")
        let run = addRoutes(site.answers)
        // A wildcard is kept by its suffix, dot included, so that looking for it needs no copy of the name asked for.
        let key = site.host.hasPrefix("*.") ? String(site.host.dropFirst()) : site.host
        let landings = addLandings(site.landings)
        sites.append(
            SiteRecord(
                host: store(Array(key.utf8)), firstRoute: run, routeCount: UInt32(site.answers.count),
                firstLanding: landings, landingCount: UInt32(site.landings.count),
                fallback: site.fallback.map { UInt64(index(of: $0)) + 1 } ?? 0))
    }

    /// The finished catalogue.
    public consuming func finish() -> Catalogue {
        var slotCount = 8
        while slotCount < sites.count * 2 { slotCount *= 2 }
        var slots = [UInt32](repeating: 0, count: slotCount)
        for (index, site) in sites.enumerated() {
            var slot = Int(truncatingIfNeeded: hash(of: site.host)) & (slotCount - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slotCount - 1) }
            slots[slot] = UInt32(index + 1)
        }
        let slotsAt = appendTable(slots)
        let sitesAt = appendTable(sites)
        let routesAt = appendTable(routes)
        let answersAt = appendTable(answers)
        let landingsAt = appendTable(landings.records)
        let rulesAt = appendTable(rules.records)
        let itemsAt = appendTable(items.records)
        let segmentsAt = appendTable(segments.records)
        heap.resize(byteCount: heapCount)
        let tables = Catalogue.Tables(
            slotsAt: slotsAt, slotMask: slotCount - 1, sitesAt: sitesAt, siteCount: sites.count, routesAt: routesAt,
            answersAt: answersAt, landingsAt: landingsAt, rulesAt: rulesAt, itemsAt: itemsAt, segmentsAt: segmentsAt)
        return Catalogue(image: heap, tables: tables, files: files)
    }

    private mutating func addRoutes(_ entries: [(path: String, answer: PreparedAnswer)]) -> UInt32 {
        var run: [RouteRecord] = []
        for (path, answer) in entries {
            let bytes = Array(path.utf8)
            let pathHash = bytes.withUnsafeBytes { KeyHash.of($0) }
            run.append(RouteRecord(path: store(bytes), pathHash: pathHash, answer: UInt64(index(of: answer))))
        }
        run.sort { ($0.pathHash, $0.path.offset) < ($1.pathHash, $1.path.offset) }
        let key = run.flatMap { [$0.path.offset, $0.answer] }
        if let known = runsByKey[key] { return known }
        let first = UInt32(routes.count)
        routes.append(contentsOf: run)
        runsByKey[key] = first
        return first
    }

    private mutating func addLandings(_ pages: [PreparedLanding]) -> UInt32 {
        var run: [LandingRecord] = []
        for page in pages {
            var ruleRun: [LinkRuleRecord] = []
            for rule in page.rules { ruleRun.append(record(rule)) }
            var segmentRun: [SegmentRecord] = []
            for segment in page.segments {
                segmentRun.append(SegmentRecord(text: store(segment.text), insertion: segment.insertion.rawValue))
            }
            run.append(
                LandingRecord(
                    answer: UInt32(index(of: page.head)), firstRule: rules.add(ruleRun),
                    ruleCount: UInt32(ruleRun.count), firstSegment: segments.add(segmentRun),
                    segmentCount: UInt32(segmentRun.count)))
        }
        return landings.add(run)
    }

    private mutating func record(_ rule: LinkRule) -> LinkRuleRecord {
        var run: [LinkItemRecord] = []
        for item in rule.items {
            run.append(LinkItemRecord(name: store(item.name), pattern: store(item.pattern.bytes)))
        }
        return LinkRuleRecord(
            path: store(rule.path?.bytes ?? []), query: store(rule.query?.bytes ?? []), firstItem: items.add(run),
            itemCount: UInt32(run.count), excludes: rule.excludes, foldsCase: rule.foldsCase,
            hasPath: rule.path != nil, hasQuery: rule.query != nil)
    }

    private mutating func index(of answer: PreparedAnswer) -> Int {
        if let known = answerIndices[answer] { return known }
        let identity = store(answer.identity)
        let record = AnswerRecord(
            kind: answer.kind.rawValue, hasGzip: answer.gzip != nil, status: answer.status.rawValue,
            lastModified: answer.lastModified ?? Int64.min, identity: identity,
            gzip: answer.gzip.map { store($0) } ?? identity)
        answers.append(record)
        answerIndices[answer] = answers.count - 1
        return answers.count - 1
    }

    private mutating func store(_ representation: Representation) -> RepresentationRecord {
        let shared = representation.sharedFields.bytes
        let type = Array("content-type: \(representation.contentType)\r\n".utf8)
        let tag = Array(representation.entityTag.utf8)
        let fields = store(shared + type + representation.bodyFields.bytes)
        precondition(fields.count < CatalogueBuilder.fieldBytesMax, "field lines fit into a response's head")
        var record = RepresentationRecord(
            fields: fields, sharedFieldBytes: UInt16(shared.count), contentTypeBytes: UInt16(type.count),
            tagOffset: UInt16(firstOffset(of: tag, in: shared)), tagCount: UInt16(tag.count),
            body: Blob(offset: 0, count: 0), file: -1)
        switch representation.content {
        case .bytes(let bytes): record.body = store(bytes)
        case .file(let file):
            record.body.count = UInt64(file.byteCount)
            record.file = Int32(files.count)
            files.append(file)
        }
        return record
    }

    /// An empty tag stands for an answer that has none.
    private func firstOffset(of tag: [UInt8], in fields: [UInt8]) -> Int {
        if tag.isEmpty { return 0 }
        for offset in 0..<max(0, fields.count - tag.count + 1)
        where fields[offset..<offset + tag.count].elementsEqual(tag) {
            return offset
        }
        preconditionFailure("the entity tag stands among the fields that a 304 repeats")
    }

    private mutating func store(_ bytes: [UInt8]) -> Blob {
        let hash = bytes.withUnsafeBytes { KeyHash.of($0) }
        for known in blobsByHash[hash] ?? [] where heap.bytes(known).elementsEqual(bytes) { return known }
        let blob = Blob(offset: UInt64(append(bytes.span.bytes)), count: UInt64(bytes.count))
        blobsByHash[hash, default: []].append(blob)
        return blob
    }

    private mutating func appendTable<Record: BitwiseCopyable>(_ records: [Record]) -> Int {
        heapCount = (heapCount + 15) / 16 * 16
        return records.withUnsafeBytes { append($0.bytes) }
    }

    private mutating func append(_ bytes: RawSpan) -> Int {
        let offset = heapCount
        heapCount += bytes.byteCount
        if heapCount > heap.bytes.count { heap.resize(byteCount: heapCount * 2) }
        bytes.withUnsafeBytes { heap.bytes[offset..<offset + $0.count].copyBytes(from: $0) }
        return offset
    }

    private func hash(of blob: Blob) -> UInt64 { KeyHash.of(UnsafeRawBufferPointer(heap.bytes(blob))) }
}

extension Memory {
    /// The bytes that a blob stands for.
    fileprivate func bytes(_ blob: Blob) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[Int(blob.offset)..<Int(blob.offset + blob.count)])
    }
}
