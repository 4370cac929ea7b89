// Answers and landing pages on their way into the image.

import HTTP
import Posix

extension CatalogueBuilder {
    /// The number of an answer.
    mutating func store(_ answer: PreparedAnswer) -> UInt32 {
        let identity = store(answer.identity)
        return answers.add(
            AnswerRecord(
                kind: answer.kind.rawValue, hasGzip: answer.gzip == nil ? 0 : 1, status: answer.status.rawValue,
                lastModified: answer.lastModified ?? Int64.min, identity: identity,
                gzip: answer.gzip.map { store($0) } ?? identity))
    }

    private mutating func store(_ representation: Representation) -> RepresentationRecord {
        let shared = representation.sharedFields.bytes
        let type = Array("content-type: \(representation.contentType)\r\n".utf8)
        let tag = Array(representation.entityTag.utf8)
        let fields = heap.store(shared + type + representation.bodyFields.bytes)
        precondition(fields.count < CatalogueBuilder.fieldBytesMax, "field lines fit into a response's head")
        var record = RepresentationRecord(
            fields: fields, body: Blob(offset: 0, count: 0), sharedFieldBytes: UInt16(shared.count),
            contentTypeBytes: UInt16(type.count), tagOffset: UInt16(firstOffset(of: tag, in: shared)),
            tagCount: UInt16(tag.count), file: -1)
        switch representation.content {
        case .bytes(let bytes): record.body = heap.store(bytes)
        case .file(let file):
            record.body.count = UInt64(file.byteCount)
            record.file = Int64(number(of: file))
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

    /// Where a site's landing pages begin.
    mutating func store(_ pages: [PreparedLanding]) -> UInt32 {
        var run: [LandingRecord] = []
        for page in pages {
            var ruleRun: [LinkRuleRecord] = []
            for rule in page.rules { ruleRun.append(record(rule)) }
            var segmentRun: [SegmentRecord] = []
            for segment in page.segments {
                segmentRun.append(
                    SegmentRecord(text: heap.store(segment.text), insertion: UInt64(segment.insertion.rawValue)))
            }
            run.append(
                LandingRecord(
                    answer: store(page.head), firstRule: rules.add(ruleRun), ruleCount: UInt32(ruleRun.count),
                    firstSegment: segments.add(segmentRun), segmentCount: UInt32(segmentRun.count)))
        }
        return landings.add(run)
    }

    private mutating func record(_ rule: LinkRule) -> LinkRuleRecord {
        var run: [LinkItemRecord] = []
        for item in rule.items {
            run.append(LinkItemRecord(name: heap.store(item.name), pattern: heap.store(item.pattern.bytes)))
        }
        var flags: UInt64 = 0
        if rule.excludes { flags |= LinkRuleRecord.excludes }
        if rule.foldsCase { flags |= LinkRuleRecord.foldsCase }
        if rule.path != nil { flags |= LinkRuleRecord.hasPath }
        if rule.query != nil { flags |= LinkRuleRecord.hasQuery }
        return LinkRuleRecord(
            path: heap.store(rule.path?.bytes ?? []), query: heap.store(rule.query?.bytes ?? []),
            firstItem: items.add(run), itemCount: UInt32(run.count), flags: flags)
    }
}
