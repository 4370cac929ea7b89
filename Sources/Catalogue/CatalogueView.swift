// Reading the image on the data plane: a host to a site, a path to an answer. Both are a hash, a probe and a comparison;
// the cost does not grow with the number of hosts.

import HTTP

/// A catalogue as its readers see it.
public struct CatalogueView {
    let base: UnsafeRawPointer
    private let slots: UnsafePointer<UInt32>
    private let slotMask: Int
    private let sites: UnsafePointer<SiteRecord>
    private let routes: UnsafePointer<RouteRecord>
    private let answers: UnsafePointer<AnswerRecord>
    private let landings: UnsafePointer<LandingRecord>
    private let rules: UnsafePointer<LinkRuleRecord>
    private let items: UnsafePointer<LinkItemRecord>
    private let segments: UnsafePointer<SegmentRecord>
    private let descriptors: UnsafeBufferPointer<Int32>

    init(base: UnsafeRawPointer, tables: Catalogue.Tables, descriptors: UnsafeBufferPointer<Int32>) {
        self.base = base
        self.descriptors = descriptors
        slots = (base + tables.slotsAt).assumingMemoryBound(to: UInt32.self)
        slotMask = tables.slotMask
        sites = (base + tables.sitesAt).assumingMemoryBound(to: SiteRecord.self)
        routes = (base + tables.routesAt).assumingMemoryBound(to: RouteRecord.self)
        answers = (base + tables.answersAt).assumingMemoryBound(to: AnswerRecord.self)
        landings = (base + tables.landingsAt).assumingMemoryBound(to: LandingRecord.self)
        rules = (base + tables.rulesAt).assumingMemoryBound(to: LinkRuleRecord.self)
        items = (base + tables.itemsAt).assumingMemoryBound(to: LinkItemRecord.self)
        segments = (base + tables.segmentsAt).assumingMemoryBound(to: SegmentRecord.self)
    }

    /// A site of this catalogue.
    public struct Site: Equatable {
        let index: Int
    }

    /// The longest name that DNS can carry.
    private static let hostBytesMax = 253

    /// The site for a host as a client wrote it, without port and trailing dot: the exact one, else that of the most
    /// specific wildcard. A wildcard covers any depth and never the bare parent.
    public func site(host: Span<UInt8>) -> Site? {
        let count = host.count
        guard count > 0, count <= CatalogueView.hostBytesMax, host[0] != UInt8(ascii: ".") else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { name in
            for index in 0..<count {
                let byte = host[index]
                name[index] = byte &- 0x41 < 26 ? byte | 0x20 : byte
            }
            let whole = UnsafeRawBufferPointer(name)
            if let index = find(whole) { return Site(index: index) }
            for index in 1..<count where whole[index] == UInt8(ascii: ".") {
                if let site = find(UnsafeRawBufferPointer(rebasing: whole[index...])) { return Site(index: site) }
            }
            return nil
        }
    }

    /// Whether a host is served; for the control plane.
    public func knows(_ host: String) -> Bool {
        let name = Array(host.utf8)
        return site(host: name.span) != nil
    }

    /// The answer of a site for a decoded path.
    public func answer(_ site: Site, path: UnsafeRawBufferPointer) -> Answer? {
        let hash = KeyHash.of(path)
        let record = sites[site.index]
        var low = Int(record.firstRoute)
        let end = low + Int(record.routeCount)
        var high = end
        while low < high {
            let middle = (low + high) / 2
            if routes[middle].pathHash < hash { low = middle + 1 } else { high = middle }
        }
        while low < end, routes[low].pathHash == hash {
            if bytes(routes[low].path).elementsEqual(path) {
                return answer(Int(routes[low].answer))
            }
            low += 1
        }
        return nil
    }

    /// The numbers of a site's landing pages.
    func landings(of site: Site) -> Range<Int> {
        let first = Int(sites[site.index].firstLanding)
        return first..<first + Int(sites[site.index].landingCount)
    }

    func rules(of landing: Int) -> LinkRules {
        let record = landings[landing]
        return LinkRules(
            rules: UnsafeBufferPointer(start: rules + Int(record.firstRule), count: Int(record.ruleCount)),
            items: items, base: base)
    }

    func landing(_ index: Int) -> Landing {
        let record = landings[index]
        return Landing(
            form: answer(Int(record.answer)).form(.identity),
            segments: UnsafeBufferPointer(
                start: segments + Int(record.firstSegment), count: Int(record.segmentCount)),
            base: base)
    }

    func fallbackAnswer(_ site: Site) -> Answer? {
        let number = Int(sites[site.index].fallback)
        return number == 0 ? nil : answer(number - 1)
    }

    private func answer(_ index: Int) -> Answer {
        Answer(record: answers + index, base: base, descriptors: descriptors)
    }

    private func find(_ name: UnsafeRawBufferPointer) -> Int? {
        var slot = Int(truncatingIfNeeded: KeyHash.of(name)) & slotMask
        while slots[slot] != 0 {
            let index = Int(slots[slot]) - 1
            if bytes(sites[index].host).elementsEqual(name) { return index }
            slot = (slot + 1) & slotMask
        }
        return nil
    }

    private func bytes(_ blob: Blob) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base + Int(blob.offset), count: Int(blob.count))
    }
}
