// Look-ups in one layer's image on the data plane: from a host to a site, from a path to an answer. Both are a hash, a probe and
// a comparison; the cost does not grow with the number of hosts.

import HTTP

/// A view of a layer, for readers: only addresses.
@safe struct LayerView {
    let base: UnsafeRawPointer
    let hash: KeyHash
    let slots: UnsafePointer<HostSlot>
    let slotMask: Int
    let sites: UnsafePointer<SiteRecord>
    let siteCount: Int
    let routes: UnsafePointer<RouteRecord>
    let answers: UnsafePointer<AnswerRecord>
    let answerCount: Int
    let landings: UnsafePointer<LandingRecord>
    let rules: UnsafePointer<LinkRuleRecord>
    let items: UnsafePointer<LinkItemRecord>
    let segments: UnsafePointer<SegmentRecord>
    private let descriptors: UnsafeBufferPointer<Int32>

    init(base: UnsafeRawPointer, descriptors: UnsafeBufferPointer<Int32>) {
        let header = unsafe base.load(as: ImageHeader.self)
        func table<Record>(_ place: TablePlace) -> UnsafePointer<Record> {
            unsafe (base + Int(place.offset)).assumingMemoryBound(to: Record.self)
        }
        unsafe self.base = base
        hash = header.hash
        unsafe self.descriptors = descriptors
        unsafe slots = table(header.slots)
        slotMask = Int(header.slots.count) - 1
        unsafe sites = table(header.sites)
        siteCount = Int(header.sites.count)
        unsafe routes = table(header.routes)
        unsafe answers = table(header.answers)
        answerCount = Int(header.answers.count)
        unsafe landings = table(header.landings)
        unsafe rules = table(header.rules)
        unsafe items = table(header.items)
        unsafe segments = table(header.segments)
    }

    /// The number of the site or mark for a key: a host in lower case, or a wildcard's suffix.
    @inline(__always)
    func find(_ name: UnsafeRawBufferPointer) -> Int? {
        let hash = unsafe hash.of(name)
        var place = Int(truncatingIfNeeded: hash) & slotMask
        while unsafe !slots[place].isEmpty {
            let slot = unsafe slots[place]
            if slot.mayBe(hash), unsafe bytes(sites[slot.site].host).equals(name) { return slot.site }
            place = (place &+ 1) & slotMask
        }
        return nil
    }

    /// The answer of a site for a decoded path.
    @inline(__always)
    func answer(_ site: Int, path: UnsafeRawBufferPointer) -> Answer? {
        let hash = unsafe hash.of(path)
        var low = unsafe Int(sites[site].routes.first)
        let end = unsafe low &+ Int(sites[site].routes.count)
        var high = end
        while low < high {
            let middle = (low &+ high) / 2
            if unsafe routes[middle].pathHash < hash { low = middle &+ 1 } else { high = middle }
        }
        while low < end, unsafe routes[low].pathHash == hash {
            if unsafe bytes(routes[low].path).equals(path) { return unsafe answer(Int(routes[low].answer)) }
            low &+= 1
        }
        return nil
    }

    /// The numbers of a site's landing pages.
    func landings(of site: Int) -> Range<Int> { unsafe sites[site].landings.range }

    func rules(of landing: Int) -> LinkRules {
        let run = unsafe landings[landing].rules
        return unsafe LinkRules(
            rules: UnsafeBufferPointer(start: rules + Int(run.first), count: Int(run.count)), items: items, base: base)
    }

    func landing(_ index: Int) -> Landing {
        let record = unsafe landings[index]
        return unsafe Landing(
            form: answer(Int(record.answer)).form(.identity),
            segments: UnsafeBufferPointer(
                start: segments + Int(record.segments.first), count: Int(record.segments.count)),
            base: base)
    }

    /// The site's own fallback answer, if it has one.
    func fallback(_ site: Int) -> Answer? {
        let number = unsafe Int(sites[site].fallback)
        return number == 0 ? nil : answer(number - 1)
    }

    @inline(__always)
    func answer(_ index: Int) -> Answer {
        unsafe Answer(record: answers + index, base: base, descriptors: descriptors)
    }

    @inline(__always)
    func bytes(_ blob: Blob) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: base + Int(blob.offset), count: Int(blob.count))
    }
}
