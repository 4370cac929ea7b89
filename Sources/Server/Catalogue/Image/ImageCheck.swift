// Validates an image from a file once, before it is used: every offset, count and number in it must be within the image. After
// that no request can read outside of it, whatever the file contains.

import HTTP

/// The bytes of an image, and its header.
@safe struct ImageCheck {
    private let bytes: UnsafeRawBufferPointer
    private let header: ImageHeader

    /// Whether the bytes are an image that can be read without further checks.
    static func isSound(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= MemoryLayout<ImageHeader>.size else { return false }
        let check = unsafe ImageCheck(bytes: bytes, header: bytes.loadUnaligned(as: ImageHeader.self))
        return check.isHeaderSound && check.areSlotsSound && check.areSitesSound && check.areAnswersSound
            && check.areLandingsSound && check.areFilesSound
    }

    private var isHeaderSound: Bool {
        unsafe header.format == ImageHeader.formatNumber && header.byteCount == UInt64(bytes.count)
            && UInt(bitPattern: bytes.baseAddress) % 16 == 0 && areTablesSound
    }

    /// Tables must not overlap each other or the header: a removal mark that is written into one must not change another.
    private var areTablesSound: Bool {
        let places: [(TablePlace, Int)] = [
            (header.slots, MemoryLayout<HostSlot>.stride), (header.sites, MemoryLayout<SiteRecord>.stride),
            (header.routes, MemoryLayout<RouteRecord>.stride), (header.answers, MemoryLayout<AnswerRecord>.stride),
            (header.landings, MemoryLayout<LandingRecord>.stride), (header.rules, MemoryLayout<LinkRuleRecord>.stride),
            (header.items, MemoryLayout<LinkItemRecord>.stride),
            (header.segments, MemoryLayout<SegmentRecord>.stride), (header.files, MemoryLayout<FileRecord>.stride),
        ]
        var end = UInt64(MemoryLayout<ImageHeader>.size)
        for (place, stride) in places.sorted(by: { $0.0.offset < $1.0.offset }) {
            let size = place.count.multipliedReportingOverflow(by: UInt64(stride))
            let tableEnd = place.offset.addingReportingOverflow(size.partialValue)
            guard !size.overflow, !tableEnd.overflow, tableEnd.partialValue <= header.byteCount,
                place.offset % 16 == 0, place.count < UInt32.max, place.offset >= end || place.count == 0
            else { return false }
            end = max(end, tableEnd.partialValue)
        }
        return true
    }

    /// A probe sequence ends at an empty slot, so there must be one.
    private var areSlotsSound: Bool {
        let count = header.slots.count
        guard count > 0, count & (count - 1) == 0 else { return false }
        var hasEmpty = false
        let areKnown = all(header.slots) { (slot: HostSlot) in
            if slot.isEmpty { hasEmpty = true }
            return slot.site < Int(header.sites.count) && (slot.site >= 0 || slot.isEmpty)
        }
        return areKnown && hasEmpty
    }

    private var areSitesSound: Bool {
        all(header.sites) { (site: SiteRecord) in
            isBlob(site.host) && isRun(site.routes, header.routes) && isRun(site.landings, header.landings)
                && UInt64(site.fallback) <= header.answers.count && site.flags <= SiteRecord.flagsMax
        }
            && all(header.routes) { (route: RouteRecord) in
                isBlob(route.path) && route.answer < header.answers.count
            }
    }

    private var areAnswersSound: Bool {
        all(header.answers) { (answer: AnswerRecord) in
            AnswerKind(rawValue: answer.kind) != nil && Status(rawValue: answer.status) != nil && answer.hasGzip <= 1
                && isForm(answer.identity) && isForm(answer.gzip)
        }
    }

    private func isForm(_ form: RepresentationRecord) -> Bool {
        guard isBlob(form.fields), form.fields.count < UInt64(CatalogueBuilder.fieldBytesMax) else { return false }
        let known = UInt64(form.sharedFieldBytes) + UInt64(form.contentTypeBytes)
        guard known <= form.fields.count, UInt64(form.tagOffset) + UInt64(form.tagCount) <= form.fields.count else {
            return false
        }
        if form.file == -1 { return isBlob(form.body) }
        guard form.file >= 0, UInt64(form.file) < header.files.count else { return false }
        let offset = Int(header.files.offset) + Int(form.file) * MemoryLayout<FileRecord>.stride
        let file = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: FileRecord.self)
        return file.byteCount >= 0 && form.body.count == UInt64(file.byteCount)
    }

    private var areLandingsSound: Bool {
        all(header.landings) { (landing: LandingRecord) in
            UInt64(landing.answer) < header.answers.count && isRun(landing.rules, header.rules)
                && isRun(landing.segments, header.segments)
        }
            && all(header.rules) { (rule: LinkRuleRecord) in
                isBlob(rule.path) && isBlob(rule.query) && isRun(rule.items, header.items)
            }
            && all(header.items) { (item: LinkItemRecord) in isBlob(item.name) && isBlob(item.pattern) }
            && all(header.segments) { (segment: SegmentRecord) in
                isBlob(segment.text) && segment.insertion <= UInt64(UInt8.max)
                    && LinkInsertion(rawValue: UInt8(segment.insertion)) != nil
            }
    }

    private var areFilesSound: Bool {
        all(header.files) { (file: FileRecord) in isBlob(file.path) && file.byteCount >= 0 }
    }

    private func isBlob(_ blob: Blob) -> Bool {
        let end = blob.offset.addingReportingOverflow(blob.count)
        return !end.overflow && end.partialValue <= header.byteCount
    }

    private func isRun(_ run: Run, _ table: TablePlace) -> Bool { UInt64(run.first) + UInt64(run.count) <= table.count }

    private func all<Record: BitwiseCopyable>(_ place: TablePlace, _ holds: (Record) -> Bool) -> Bool {
        let stride = MemoryLayout<Record>.stride
        for index in 0..<Int(place.count) {
            let offset = Int(place.offset) + index * stride
            if unsafe !holds(bytes.loadUnaligned(fromByteOffset: offset, as: Record.self)) { return false }
        }
        return true
    }
}
