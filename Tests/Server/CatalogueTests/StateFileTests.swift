// State files: written files are read back, and other contents are detected.

import Glibc
import HTTP
import Posix
import TestSupport
import Testing

@testable import Catalogue

struct StateFileTests {
    private let root: TemporaryFolder
    private var folder: String { root.path }

    init() throws { root = try TemporaryFolder() }

    private var path: String { "\(folder)/base" }

    private func layer(hostCount: Int = 3, hash: KeyHash = KeyHash()) -> CatalogueLayer {
        .sample(hostCount: hostCount, hash: hash)
    }

    private func write(_ layer: CatalogueLayer, records: [UInt8] = [], key: String = "key") throws {
        try records.withUnsafeBytes { records in
            try StateFile.draft(of: "base", in: folder, key: key, layer: layer, [(.records, [records, records])])
                .putInPlace()
        }
    }

    private func bytes(of layer: CatalogueLayer) -> [UInt8] { layer.imageBytes }

    private func replaceFile(_ bytes: [UInt8]) throws {
        try File.replaceDurably("base", in: folder, permissions: 0o600, contents: { bytes })
    }

    private func fileBytes() throws -> [UInt8] { try File.read(path, bytesMax: 1 << 24).bytes }

    @Test func `a mapped layer equals the written one`() throws {
        let hash = KeyHash()
        try write(layer(hash: hash), records: [1, 2, 3])
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
        #expect(bytes(of: mapped) == bytes(of: layer(hash: hash)), "equal sites under one hash are equal bytes")
        #expect(bytes(of: mapped) != bytes(of: layer()), "each image has a hash of its own")
        let merged = layer(hostCount: 5).merged(over: mapped)
        #expect(body(Catalogue(layers: [merged]), "h4.example") == "body 4")
    }

    @Test func `only the server's user can read a state file`() throws {
        try write(layer())
        #expect(try File.status(path).permissions & 0o777 == 0o600)
    }

    @Test func `treats a layer of an older format as damaged, and reads the other sections`() throws {
        try write(layer(), records: [1, 2, 3])
        var old = bytes(of: layer())
        #expect(ImageCheckTests.isSound(old))
        old.withUnsafeMutableBytes { $0.storeBytes(of: 0x0001_7961_6C63_7361, as: UInt64.self) }
        #expect(!ImageCheckTests.isSound(old))
        let state = try StateFile(path, key: "key")
        let records = try Array(state.bytes(.records))
        withExtendedLifetime(state) { #expect(records == [1, 2, 3, 1, 2, 3]) }
    }

    @Test func `ignores a file with other settings, of another version, or none`() throws {
        #expect(throws: StateProblem.unreadable(.system(SystemError(call: "open", number: ENOENT)))) {
            try StateFile(path, key: "key")
        }
        try write(layer())
        for key in ["", "ke", "key2", "other"] {
            #expect(throws: StateProblem.otherKey("key")) { try StateFile(path, key: key) }
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

    @Test func `detects a file of another length before it reads a section`() throws {
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

    @Test func `detects every flipped bit`() throws {
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
                // The padding between two sections belongs to none.
                unseen.append(index)
            } catch {}
        }
        #expect(unseen.allSatisfy { bytes[$0] == 0 } && unseen.count < 128, "\(unseen)")
    }

    @Test func `opens a large file again, and removes a site whose file has changed`() throws {
        let folder = folder
        func put(_ text: String, _ name: String) throws {
            try File.replaceDurably(name, in: folder, permissions: 0o600, contents: { Array(text.utf8) })
        }
        for name in ["one", "two"] { try put(name, name) }
        var builder = CatalogueBuilder()
        for name in ["one", "two"] {
            let file = try Folder(folder).open(name)
            builder.add(
                PreparedSite(host: name, answers: [("/", .sample(.file(file))), ("/again", .sample(.file(file)))]))
        }
        builder.add(PreparedSite(host: "three", answers: [("/", .sample(.bytes([1])))]))
        try write(builder.finish())
        #expect(try CatalogueLayer(StateFile(path, key: "key")).staleHosts == [])
        try put("two again", "two")
        let mapped = try CatalogueLayer(StateFile(path, key: "key"))
        #expect(mapped.staleHosts == ["two"])
        #expect(mapped.hosts == ["one", "three"])
        let catalogue = Catalogue(layers: [mapped])
        #expect(body(catalogue, "two") == nil)
        let view = catalogue.view
        let site = try #require(view.site(named: "one"))
        let answer = try #require(view.answer(site, at: "/again"))
        let descriptor = try #require(answer.form(.identity).file)
        var text = [UInt8](repeating: 0, count: 3)
        #expect(pread(descriptor, &text, 3, 0) == 3)
        #expect(text == Array("one".utf8))
        let merged = Catalogue(layers: [CatalogueBuilder().finish().merged(over: mapped)])
        #expect(merged.siteCount == 2)
    }

    @Test(arguments: [0, 1, 31, 32, 33, 63, 64, 65, 1_000])
    func `a checksum does not depend on how its bytes are split`(count: Int) {
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
