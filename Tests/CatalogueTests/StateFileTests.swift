// State files: what was written comes back, and whatever else comes back is told apart from it.

import Glibc
import HTTP
import Posix
import Testing

@testable import Catalogue

struct StateFileTests {
    private let folder: String

    init() throws {
        let temporary = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(temporary)/associated-state-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) }
        folder = String(cString: try #require(made))
    }

    private var path: String { "\(folder)/base" }

    private func page(_ content: Representation.Content) -> PreparedAnswer {
        var shared = FieldLines()
        shared.add("etag", "\"tag\"")
        return PreparedAnswer(
            kind: .page,
            identity: Representation(
                sharedFields: shared, contentType: "text/plain", bodyFields: FieldLines(), entityTag: "\"tag\"",
                content: content))
    }

    private func layer(hostCount: Int = 3) -> CatalogueLayer {
        var builder = CatalogueBuilder()
        for number in 0..<hostCount {
            let item = LinkRule.Item(name: Array("q".utf8), pattern: LinkPattern(Array("?*".utf8)))
            let landing = PreparedLanding(
                rules: [LinkRule(path: LinkPattern(Array("/p/\(number)".utf8)), items: [item])], head: page(.bytes([])),
                segments: [LandingSegment(Array("to \(number)".utf8), then: .attribute)])
            builder.add(
                PreparedSite(
                    host: "h\(number).example", answers: [("/", page(.bytes(Array("body \(number)".utf8))))],
                    landings: [landing], fallback: page(.bytes([1]))))
        }
        builder.remove(host: "*.gone.example")
        return builder.finish()
    }

    private func write(_ layer: CatalogueLayer, records: [UInt8] = [], key: String = "key") throws {
        try records.withUnsafeBytes { records in
            try StateFile.write(
                "base", in: folder, key: key, layer: layer, [(.records, [records, records])])
        }
    }

    private func bytes(of layer: CatalogueLayer) -> [UInt8] { withExtendedLifetime(layer) { Array(layer.bytes) } }

    private func replaceFile(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try File.replaceDurably("base", in: folder, [$0], permissions: 0o600) }
    }

    private func fileBytes() throws -> [UInt8] { try File.read(path, bytesMax: 1 << 24).bytes }

    private func body(_ catalogue: Catalogue, _ host: String, _ path: String = "/") -> String? {
        let view = catalogue.view
        let name = Array(host.utf8)
        guard let site = view.site(host: name.span) else { return nil }
        return Array(path.utf8).withUnsafeBytes { view.answer(site, path: $0) }.map {
            String(decoding: $0.form(.identity).body, as: UTF8.self)
        }
    }

    @Test func `a layer that is mapped says what the written one said`() throws {
        try write(layer(), records: [1, 2, 3])
        let state = try StateFile(path, key: "key")
        for section in [StateSection.layer, .records] { try state.verify(section) }
        #expect(try Array(state.bytes(.records)) == [1, 2, 3, 1, 2, 3])
        #expect(throws: StateProblem.missing(.texts)) { try state.bytes(.texts) }
        let mapped = try CatalogueLayer(state)
        #expect(mapped.hosts == ["h0.example", "h1.example", "h2.example"])
        #expect(mapped.removedHosts == ["*.gone.example"])
        #expect(mapped.staleHosts == [])
        let catalogue = Catalogue(layers: [mapped])
        for number in 0..<3 { #expect(body(catalogue, "h\(number).example") == "body \(number)") }
        #expect(mapped.entry("h0.example") == layer().entry("h0.example"))
        #expect(bytes(of: mapped) == bytes(of: layer()), "equal sites are equal bytes")
        let merged = layer(hostCount: 5).merged(over: mapped)
        #expect(body(Catalogue(layers: [merged]), "h4.example") == "body 4")
    }

    @Test func `a file of other settings, another version, or none at all is left aside`() throws {
        #expect(throws: StateProblem.unreadable(.system(SystemError(call: "open", number: ENOENT)))) {
            try StateFile(path, key: "key")
        }
        try write(layer())
        for key in ["", "ke", "key2", "other"] {
            #expect(throws: StateProblem.otherKey) { try StateFile(path, key: key) }
        }
        var bytes = try fileBytes()
        bytes[8] ^= 1
        try replaceFile(bytes)
        #expect(throws: StateProblem.otherVersion) { try StateFile(path, key: "key") }
        for text in ["", "{}", String(repeating: "x", count: 10_000)] {
            try replaceFile(Array(text.utf8))
            #expect(throws: StateProblem.foreign) { try StateFile(path, key: "key") }
        }
        unlink(path)
        mkdir(path, 0o700)
        #expect(throws: StateProblem.unreadable(.notAFile)) { try StateFile(path, key: "key") }
    }

    @Test func `a file of any other length is seen before a section is looked at`() throws {
        try write(layer())
        let bytes = try fileBytes()
        for count in [0, 1, 100, 4_095, 4_096, 4_097, bytes.count - 1] {
            try replaceFile(Array(bytes[..<count]))
            #expect(throws: StateProblem.self, "\(count)") { try StateFile(path, key: "key") }
        }
        try replaceFile(bytes + [0])
        #expect(throws: StateProblem.cut(byteCount: bytes.count + 1, expected: bytes.count)) {
            try StateFile(path, key: "key")
        }
    }

    @Test func `no flipped bit passes`() throws {
        try write(layer(), records: Array(repeating: 7, count: 50))
        let bytes = try fileBytes()
        var unseen: [Int] = []
        for index in bytes.indices where index < 400 || index >= 4_096 || index % 64 == 0 {
            var torn = bytes
            torn[index] ^= 1 << UInt8(index % 8)
            try replaceFile(torn)
            do {
                let state = try StateFile(path, key: "key")
                for section in [StateSection.layer, .records] { try state.verify(section) }
                // What fills the place between two sections belongs to none.
                unseen.append(index)
            } catch {}
        }
        #expect(unseen.allSatisfy { bytes[$0] == 0 } && unseen.count < 128, "\(unseen)")
    }

    @Test func `an image with wrong numbers in it is refused, or read within its bounds`() throws {
        let good = bytes(of: layer())
        var random = SystemRandomNumberGenerator.seeded(12)
        var soundCount = 0
        for _ in 0..<20_000 {
            var bad = good
            let index = random.next(below: good.count)
            switch random.next(below: 3) {
            case 0: bad[index] = UInt8(random.next(below: 256))
            case 1: bad[index] ^= 1 << UInt8(random.next(below: 8))
            default:
                let from = random.next(below: good.count - 8)
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
        #expect(soundCount > 1_000, "text may be anything, so many a change is harmless")
    }

    @Test func `tables that lie over each other or over the header are refused`() {
        let good = bytes(of: layer())
        let start = MemoryLayout<ImageHeader>.offset(of: \.slots)!
        let stride = MemoryLayout<TablePlace>.stride
        func isSound(_ place: Int, _ offset: UInt64, _ count: UInt64) -> Bool {
            let room = UnsafeMutableRawBufferPointer.allocate(byteCount: good.count, alignment: 64)
            defer { room.deallocate() }
            room.copyBytes(from: good)
            room.storeBytes(
                of: TablePlace(offset: offset, count: count), toByteOffset: start + place * stride, as: TablePlace.self)
            return ImageCheck.isSound(UnsafeRawBufferPointer(room))
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

    /// Reads everything that a request could make a worker read.
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
        for name in ["h0.example", "none", ".gone.example"] {
            _ = Array(name.utf8).withUnsafeBytes { view.find($0, KeyHash.of($0)) }
        }
        for index in 0..<view.answerCount {
            let answer = view.answer(index)
            _ = (answer.kind, answer.status, answer.hasGzip)
            guard isInside(answer.form(.identity)), isInside(answer.form(.gzip)) else { return false }
        }
        for site in 0..<view.siteCount {
            guard isInside(view.bytes(view.sites[site].host)) else { return false }
            _ = view.fallback(site)
            _ = Array("/".utf8).withUnsafeBytes { view.answer(site, path: $0, KeyHash.of($0)) }
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

    @Test func `a file that is sent from its place is opened again, and a site whose file has changed is taken out`()
        throws
    {
        let folder = folder
        func put(_ text: String, _ name: String) throws {
            let bytes = Array(text.utf8)
            try bytes.withUnsafeBytes { try File.replaceDurably(name, in: folder, [$0], permissions: 0o600) }
        }
        for name in ["one", "two"] { try put(name, name) }
        var builder = CatalogueBuilder()
        for name in ["one", "two"] {
            let file = try Folder(folder).open(name)
            builder.add(PreparedSite(host: name, answers: [("/", page(.file(file))), ("/again", page(.file(file)))]))
        }
        builder.add(PreparedSite(host: "three", answers: [("/", page(.bytes([1])))]))
        try write(builder.finish())
        #expect(try CatalogueLayer(StateFile(path, key: "key")).staleHosts == [])
        try put("two again", "two")
        let mapped = try CatalogueLayer(StateFile(path, key: "key"))
        #expect(mapped.staleHosts == ["two"])
        #expect(mapped.hosts == ["one", "three"])
        let catalogue = Catalogue(layers: [mapped])
        #expect(body(catalogue, "two") == nil)
        let view = catalogue.view
        let name = Array("one".utf8)
        let known = view.site(host: name.span)
        let site = try #require(known)
        let found = Array("/again".utf8).withUnsafeBytes { view.answer(site, path: $0) }
        let answer = try #require(found)
        let descriptor = try #require(answer.form(.identity).file)
        var text = [UInt8](repeating: 0, count: 3)
        #expect(pread(descriptor, &text, 3, 0) == 3)
        #expect(text == Array("one".utf8))
        let merged = Catalogue(layers: [CatalogueBuilder().finish().merged(over: mapped)])
        #expect(merged.siteCount == 2)
    }

    @Test(arguments: [0, 1, 31, 32, 33, 63, 64, 65, 1_000])
    func `a checksum is the same however its bytes come`(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        let whole = bytes.withUnsafeBytes { Checksum.of($0) }
        for step in [1, 7, 32, 50] {
            var checksum = Checksum()
            var start = 0
            while start < count {
                bytes[start..<min(count, start + step)].withUnsafeBytes { checksum.add($0) }
                start += step
            }
            #expect(checksum.value == whole)
        }
        #expect((bytes + [0]).withUnsafeBytes { Checksum.of($0) } != whole)
    }
}

extension SystemRandomNumberGenerator {
    /// The same numbers each time.
    fileprivate static func seeded(_ seed: UInt64) -> Seeded { Seeded(state: seed) }

    fileprivate struct Seeded {
        var state: UInt64

        mutating func next(below limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
    }
}
