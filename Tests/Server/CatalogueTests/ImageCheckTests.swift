// Images with wrong numbers in them: refused, or read within their bounds.

import Foundation
import HTTP
import Posix
import TestSupport
import Testing

@testable import Catalogue

struct ImageCheckTests {
    @Test func `refuses an image with wrong numbers, or reads within its bounds`() throws {
        let good = CatalogueLayer.sample().imageBytes
        var random = SplitMix(seed: 12)
        var soundCount = 0
        for _ in 0..<20_000 {
            var bad = good
            let index = Int.random(in: 0..<good.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bad[index] = UInt8(Int.random(in: 0..<256, using: &random))
            case 1: bad[index] ^= 1 << UInt8(Int.random(in: 0..<8, using: &random))
            default:
                let from = Int.random(in: 0..<good.count - 8, using: &random)
                for step in 0..<min(8, good.count - index) { bad[index + step] = good[from + step] }
            }
            let room = UnsafeMutableRawBufferPointer.allocate(byteCount: bad.count, alignment: 64)
            defer { room.deallocate() }
            room.copyBytes(from: bad)
            let image = UnsafeRawBufferPointer(room)
            if ImageCheck.isSound(image) {
                soundCount += 1
                #expect(staysInside(image))
            }
            #expect(!ImageCheck.isSound(UnsafeRawBufferPointer(rebasing: image.dropLast())))
        }
        #expect(soundCount > 1_000, "text may be anything, so many changes are harmless")
    }

    /// Of bytes at the alignment of an image.
    static func isSound(_ image: [UInt8]) -> Bool {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: image.count, alignment: 64)
        defer { room.deallocate() }
        room.copyBytes(from: image)
        return ImageCheck.isSound(UnsafeRawBufferPointer(room))
    }

    /// An image with a change to the first record of a table.
    private static func changed<Record: BitwiseCopyable>(
        _ good: [UInt8], _ table: TablePlace, _ change: (inout Record) -> Void
    ) -> [UInt8] {
        var image = good
        image.withUnsafeMutableBytes { bytes in
            var record = bytes.loadUnaligned(fromByteOffset: Int(table.offset), as: Record.self)
            change(&record)
            bytes.storeBytes(of: record, toByteOffset: Int(table.offset), as: Record.self)
        }
        return image
    }

    /// The last number of a record, and the first one after it.
    @Test func `a number in a record must name a record that is there`() throws {
        let good = CatalogueLayer.sample().imageBytes
        let header = good.withUnsafeBytes { $0.loadUnaligned(as: ImageHeader.self) }
        func isSound<Record: BitwiseCopyable>(_ table: TablePlace, _ change: (inout Record) -> Void) -> Bool {
            Self.isSound(Self.changed(good, table, change))
        }
        func bounds<Record: BitwiseCopyable>(
            _ table: TablePlace, _ count: UInt64, _ change: @escaping (inout Record, UInt64) -> Void
        ) -> [Bool] { [count - 1, count].map { number in isSound(table) { change(&$0, number) } } }
        func route(_ record: inout RouteRecord, _ number: UInt64) { record.answer = number }
        #expect(bounds(header.routes, header.answers.count, route) == [true, false])
        func landing(_ record: inout LandingRecord, _ number: UInt64) { record.answer = UInt32(number) }
        #expect(bounds(header.landings, header.answers.count, landing) == [true, false])
        func fallback(_ record: inout SiteRecord, _ number: UInt64) { record.fallback = UInt32(number) }
        #expect(bounds(header.sites, header.answers.count + 1, fallback) == [true, false])
        func file(_ record: inout AnswerRecord, _ number: UInt64) { record.identity.file = Int64(number) }
        #expect(bounds(header.answers, header.files.count + 1, file) == [false, false], "the answer has no file")
        func slot(_ record: inout HostSlot, _ number: UInt64) { record = HostSlot(site: Int(number), hash: 0) }
        #expect(bounds(header.slots, header.sites.count, slot) == [true, false])
        func routes(_ record: inout SiteRecord, _ number: UInt64) { record.routes.first = UInt32(number) }
        #expect(bounds(header.sites, header.routes.count, routes) == [true, false])
        func landings(_ record: inout SiteRecord, _ number: UInt64) { record.landings.first = UInt32(number) }
        #expect(bounds(header.sites, header.landings.count, landings) == [true, false])
        func rules(_ record: inout LandingRecord, _ number: UInt64) { record.rules.first = UInt32(number) }
        #expect(bounds(header.landings, header.rules.count, rules) == [true, false])
        func segments(_ record: inout LandingRecord, _ number: UInt64) { record.segments.first = UInt32(number) }
        #expect(bounds(header.landings, header.segments.count, segments) == [true, false])
        func items(_ record: inout LinkRuleRecord, _ number: UInt64) { record.items.first = UInt32(number) }
        #expect(bounds(header.rules, header.items.count, items) == [true, false])
        func path(_ record: inout RouteRecord, _ end: UInt64) { record.path.offset = end + 1 - record.path.count }
        #expect(bounds(header.routes, header.byteCount, path) == [true, false])
    }

    /// A look-up ends at an empty slot.
    @Test func `a table of slots must have an empty one`() {
        let good = CatalogueLayer.sample().imageBytes
        let table = good.withUnsafeBytes { $0.loadUnaligned(as: ImageHeader.self) }.slots
        for emptyCount in 0...1 {
            var image = good
            image.withUnsafeMutableBytes { bytes in
                for index in 0..<Int(table.count) {
                    let slot = index < emptyCount ? HostSlot.empty : HostSlot(site: 0, hash: 0)
                    bytes.storeBytes(
                        of: slot, toByteOffset: Int(table.offset) + index * MemoryLayout<HostSlot>.stride,
                        as: HostSlot.self)
                }
            }
            #expect(Self.isSound(image) == (emptyCount == 1))
        }
    }

    /// A worker's buffer for fields has a fixed size.
    @Test func `limits the fields of an answer`() {
        let good = CatalogueLayer.sample(hostCount: 30).imageBytes
        #expect(good.count > CatalogueBuilder.fieldBytesMax)
        let table = good.withUnsafeBytes { $0.loadUnaligned(as: ImageHeader.self) }.answers
        for count in [CatalogueBuilder.fieldBytesMax - 1, CatalogueBuilder.fieldBytesMax] {
            let image = Self.changed(good, table) { (answer: inout AnswerRecord) in
                answer.identity.fields = Blob(offset: 0, count: UInt64(count))
            }
            #expect(Self.isSound(image) == (count < CatalogueBuilder.fieldBytesMax))
        }
    }

    @Test func `an answer from a file has the length of the file`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("page", "a page")
        var builder = CatalogueBuilder()
        builder.add(PreparedSite(host: "a", answers: [("/", .sample(.file(try OpenFile(path))))]))
        let good = builder.finish().imageBytes
        let table = good.withUnsafeBytes { $0.loadUnaligned(as: ImageHeader.self) }.files
        for (byteCount, isSound) in [(6, true), (5, false), (7, false), (-6, false)] as [(Int64, Bool)] {
            let image = Self.changed(good, table) { (file: inout FileRecord) in file.byteCount = byteCount }
            #expect(Self.isSound(image) == isSound, "\(byteCount)")
        }
    }

    @Test func `refuses tables that overlap each other or the header`() {
        let good = CatalogueLayer.sample().imageBytes
        let start = MemoryLayout<ImageHeader>.offset(of: \.slots)!
        let stride = MemoryLayout<TablePlace>.stride
        func isSound(_ place: Int, _ offset: UInt64, _ count: UInt64) -> Bool {
            let table = TablePlace(offset: UInt64(start + place * stride), count: 1)
            let bad = Self.changed(good, table) { $0 = TablePlace(offset: offset, count: count) }
            return Self.isSound(bad)
        }
        let places = good.withUnsafeBytes { bytes in
            (0..<9).map { bytes.loadUnaligned(fromByteOffset: start + $0 * stride, as: TablePlace.self) }
        }
        for (number, place) in places.enumerated() {
            #expect(isSound(number, place.offset, place.count))
            for other in places.indices where other != number && places[other].count > 0 {
                #expect(!isSound(number, places[other].offset, 1), "\(number) over \(other)")
            }
            for offset in Swift.stride(from: 0, to: UInt64(MemoryLayout<ImageHeader>.size), by: 16) {
                #expect(!isSound(number, offset, 1), "\(number) at \(offset)")
            }
        }
    }

    /// Reads everything that a worker could read for a request.
    private func staysInside(_ image: UnsafeRawBufferPointer) -> Bool {
        let view = LayerView(base: image.baseAddress!, descriptors: UnsafeBufferPointer(start: nil, count: 0))
        let range = UInt(bitPattern: image.baseAddress!)...UInt(bitPattern: image.baseAddress! + image.count)
        func isInside(_ bytes: UnsafeRawBufferPointer) -> Bool {
            let start = UInt(bitPattern: bytes.baseAddress!)
            return range.contains(start) && range.contains(start + UInt(bytes.count))
        }
        func isInside(_ form: AnswerForm) -> Bool {
            form.file != nil
                || isInside(form.body) && isInside(form.fields) && isInside(form.entityTag)
                    && isInside(form.contentType) && isInside(form.otherFields) && isInside(form.sharedFields)
        }
        for name in ["h0.example", "none", ".gone.example"] { _ = Array(name.utf8).withUnsafeBytes { view.find($0) } }
        for index in 0..<view.answerCount {
            let answer = view.answer(index)
            _ = (answer.kind, answer.status, answer.hasGzip)
            guard isInside(answer.form(.identity)), isInside(answer.form(.gzip)) else { return false }
        }
        for site in 0..<view.siteCount {
            guard isInside(view.bytes(view.sites[site].host)) else { return false }
            _ = view.fallback(site)
            _ = Array("/".utf8).withUnsafeBytes { view.answer(site, path: $0) }
            for landing in view.landings(of: site) {
                let path = Array("/p/0".utf8)
                _ = path.withUnsafeBytes { path in
                    var match = LinkMatch(path: path, query: path)
                    return match.isIncluded(by: view.rules(of: landing))
                }
                let page = view.landing(landing)
                for index in 0..<page.segmentCount where !isInside(page[index].text) { return false }
            }
        }
        return true
    }
}
