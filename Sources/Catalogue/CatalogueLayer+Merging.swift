// One layer of two: so the stack stays short. Records are copied without being prepared again, and hashed as the new image
// hashes; equal ones of both become one.

extension CatalogueLayer {
    /// What a reader sees of this layer above an older one, as one layer. It is the lowest of its stack unless `keepsMarks`
    /// says that there are older ones below, from which marks still have to take something away.
    public func merged(over older: CatalogueLayer, keepsMarks: Bool = false) -> CatalogueLayer {
        var builder = CatalogueBuilder()
        builder.add(older, except: view, keepsMarks: keepsMarks)
        builder.add(self, except: nil, keepsMarks: keepsMarks)
        return builder.finish()
    }
}

extension CatalogueBuilder {
    /// Adds the sites of a layer, unless a newer one says something about their hosts.
    fileprivate mutating func add(_ layer: CatalogueLayer, except newer: LayerView?, keepsMarks: Bool) {
        var copy = LayerCopy(layer)
        for site in 0..<layer.view.siteCount {
            let record = layer.view.sites[site]
            let name = layer.view.bytes(record.host)
            if newer?.find(name) != nil { continue }
            if layer.view.isRemoved(site) {
                if keepsMarks { addMark(heap.store(name)) }
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
        var record = view.sites[site]
        var run: [RouteRecord] = []
        for index in Int(record.firstRoute)..<Int(record.firstRoute) + Int(record.routeCount) {
            let route = view.routes[index]
            let path = builder.heap.store(view.bytes(route.path))
            run.append(builder.route(path, to: UInt64(answer(Int(route.answer), &builder))))
        }
        record.host = builder.heap.store(view.bytes(record.host))
        record.firstRoute = builder.store(run)
        if record.fallback > 0 { record.fallback = answer(Int(record.fallback) - 1, &builder) + 1 }
        record.firstLanding = landings(of: site, &builder)
        builder.add(record)
    }

    private mutating func answer(_ index: Int, _ builder: inout CatalogueBuilder) -> UInt32 {
        if answers[index] > 0 { return answers[index] - 1 }
        var record = view.answers[index]
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
        copy.fields = builder.heap.store(view.bytes(record.fields))
        if record.file >= 0 {
            copy.file = Int64(builder.number(of: layer.file(Int(record.file))))
        } else {
            copy.body = builder.heap.store(view.bytes(record.body))
        }
        return copy
    }

    private mutating func landings(of site: Int, _ builder: inout CatalogueBuilder) -> UInt32 {
        let range = view.landings(of: site)
        if range.isEmpty { return 0 }
        // Runs of different lengths may begin at the same place, but all of a run is copied, so the longer one is there
        // only when it was copied itself.
        let key = view.sites[site].firstLanding
        if range.count == 1, let known = landingRuns[key] { return known }
        var run: [LandingRecord] = []
        for index in range {
            var record = view.landings[index]
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
            var rule = view.rules[index]
            var items: [LinkItemRecord] = []
            for item in Int(rule.firstItem)..<Int(rule.firstItem) + Int(rule.itemCount) {
                let name = builder.heap.store(view.bytes(view.items[item].name))
                items.append(
                    LinkItemRecord(name: name, pattern: builder.heap.store(view.bytes(view.items[item].pattern))))
            }
            rule.path = builder.heap.store(view.bytes(rule.path))
            rule.query = builder.heap.store(view.bytes(rule.query))
            rule.firstItem = builder.items.add(items)
            run.append(rule)
        }
        return builder.rules.add(run)
    }

    private func segments(_ landing: LandingRecord, _ builder: inout CatalogueBuilder) -> UInt32 {
        var run: [SegmentRecord] = []
        for index in Int(landing.firstSegment)..<Int(landing.firstSegment) + Int(landing.segmentCount) {
            var segment = view.segments[index]
            segment.text = builder.heap.store(view.bytes(segment.text))
            run.append(segment)
        }
        return builder.segments.add(run)
    }
}
