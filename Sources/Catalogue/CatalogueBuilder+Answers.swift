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
        case .kept(let bytes): record.body = heap.store(bytes.layer.view.bytes(bytes.blob))
        case .file(let file):
            record.body.count = UInt64(file.byteCount)
            record.file = Int64(number(of: file))
        }
        return record
    }

    /// An empty tag stands for an answer that has none.
    private func firstOffset(of tag: String, in fields: [UInt8]) -> UInt16 {
        if tag.isEmpty { return 0 }
        var tag = tag
        let offset = tag.withUTF8 { tag in
            fields.withUnsafeBytes { fields in
                (0..<max(0, fields.count - tag.count + 1)).first { offset in
                    UnsafeRawBufferPointer(rebasing: fields[offset..<offset + tag.count])
                        .equals(UnsafeRawBufferPointer(tag))
                }
            }
        }
        guard let offset else {
            preconditionFailure("the entity tag stands among the fields that a 304 repeats")
        }
        return UInt16(offset)
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
