// The hash has a secret, so a tenant cannot choose names that collide.

import HTTP
import Testing

@testable import Catalogue

struct KeyHashTests {
    /// Names of 16 bytes that all had the hash 0 with the previous hash function, whose constants were public.
    private static func names(count: Int) -> [[UInt8]] {
        (0..<count).map { number in
            let first = UInt64(number) &* 0x5851_F42D_4C95_7F2D
            return withUnsafeBytes(of: (first, formerMix(0x9E37_79B9_7F4A_7C15 ^ 16 ^ first))) { Array($0) }
        }
    }

    private static func formerMix(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        return product.high ^ product.low
    }

    /// The previous hash function.
    private static func formerHash(_ name: [UInt8]) -> UInt64 {
        name.withUnsafeBytes { bytes in
            let first = bytes.loadUnaligned(as: UInt64.self)
            let second = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            return formerMix(formerMix(formerMix(0x9E37_79B9_7F4A_7C15 ^ 16 ^ first) ^ second))
        }
    }

    private static func hash(_ hash: KeyHash, _ text: [UInt8]) -> UInt64 { text.withUnsafeBytes { hash.of($0) } }

    private static func page(_ byte: UInt8) -> PreparedAnswer { .sample(.bytes([byte]), tag: "") }

    @Test func `names that collide without a secret do not collide with one`() {
        let names = Set(Self.names(count: 50_000))
        #expect(names.count == 50_000)
        #expect(names.allSatisfy { Self.formerHash($0) == 0 })
        let (one, other) = (KeyHash(), KeyHash())
        #expect(one != other)
        #expect(Set(names.map { Self.hash(one, $0) }).count == names.count)
        #expect(names.allSatisfy { Self.hash(one, $0) != Self.hash(other, $0) })
    }

    /// Texts with equal beginnings or ends, and texts of zeros, which differ only in length.
    @Test func `texts of every short length have different hashes`() {
        let hash = KeyHash()
        var texts: Set<[UInt8]> = []
        for count in 0...70 {
            let zeros = [UInt8](repeating: 0, count: count)
            texts.insert(zeros)
            for index in zeros.indices {
                for bit in 0..<8 {
                    var text = zeros
                    text[index] ^= 1 << UInt8(bit)
                    texts.insert(text)
                }
            }
        }
        #expect(Set(texts.map { Self.hash(hash, $0) }).count == texts.count)
    }

    /// With the beginning of a text as its key and a zero seed, the hash of every text that begins so is 0.
    private static func blind(to beginning: String) -> KeyHash {
        let key = Array(beginning.utf8).withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
        return unsafeBitCast((UInt64(0), key), to: KeyHash.self)
    }

    @Test func `tells hosts with the same hash apart`() {
        let hash = Self.blind(to: "host-no-")
        let hosts = (0..<20).map { "host-no-\($0)" }
        #expect(Set(hosts.map { Self.hash(hash, Array($0.utf8)) }) == [0])
        var builder = CatalogueBuilder(hash: hash)
        for (number, host) in hosts.enumerated() {
            builder.add(PreparedSite(host: host, answers: [("/", Self.page(UInt8(number)))]))
        }
        let catalogue = Catalogue(layers: [builder.finish()])
        for (number, host) in (hosts + ["host-no-x"]).enumerated() {
            let name = Array(host.utf8)
            let site = catalogue.view.site(host: name.span)
            let body = Array("/".utf8).withUnsafeBytes { path in
                site.flatMap { catalogue.view.answer($0, path: path) }.map { Array($0.form(.identity).body) }
            }
            #expect(body == (number < hosts.count ? [UInt8(number)] : nil))
        }
    }

    @Test func `tells paths with the same hash apart`() throws {
        let hash = Self.blind(to: "/page-no")
        let paths = (0..<20).map { "/page-no\($0)" }
        #expect(Set(paths.map { Self.hash(hash, Array($0.utf8)) }) == [0])
        var builder = CatalogueBuilder(hash: hash)
        let answers = paths.enumerated().map { ($1, Self.page(UInt8($0))) }
        builder.add(PreparedSite(host: "a.example", answers: answers))
        let catalogue = Catalogue(layers: [builder.finish()])
        let name = Array("a.example".utf8)
        let known = catalogue.view.site(host: name.span)
        let site = try #require(known)
        for (number, path) in (paths + ["/page-nox"]).enumerated() {
            let body = Array(path.utf8).withUnsafeBytes { path in
                catalogue.view.answer(site, path: path).map { Array($0.form(.identity).body) }
            }
            #expect(body == (number < paths.count ? [UInt8(number)] : nil))
        }
    }

    /// A table of slots uses the lower bits, an index the upper ones.
    @Test(arguments: [0, 48])
    func `spreads numbered names over a table`(shift: Int) {
        let hash = KeyHash()
        var counts = [Int](repeating: 0, count: 1 << 16)
        for number in 0..<1 << 16 {
            counts[Int(Self.hash(hash, Array("tenant\(number)-app.example".utf8)) >> UInt64(shift) & 0xFFFF)] += 1
        }
        // With a random function and as many places as names, the fullest place has 8 or 9, and 37 % are empty.
        #expect(counts.max()! < 16)
        #expect((22_000..<26_500).contains(counts.count { $0 == 0 }))
    }

    @Test func `a look-up among names that a tenant chose takes a few steps`() {
        let names = Self.names(count: 50_000)
        var builder = CatalogueBuilder()
        for name in names { builder.addMark(builder.heap.store(name)) }
        let paths = names.map { builder.route(builder.heap.store($0), to: 0) }
        #expect(Set(paths.map(\.pathHash)).count == names.count, "a site's paths are found by their hash alone")
        let layer = builder.finish()
        let view = layer.view
        var stepsMax = 0
        for name in names {
            let hash = name.withUnsafeBytes { view.hash.of($0) }
            var place = Int(truncatingIfNeeded: hash) & view.slotMask
            var steps = 1
            while view.slots[place].site >= 0, !view.bytes(view.sites[view.slots[place].site].host).elementsEqual(name)
            {
                place = (place + 1) & view.slotMask
                steps += 1
            }
            #expect(!view.slots[place].isEmpty)
            stepsMax = max(stepsMax, steps)
        }
        // At most half of the places are taken; without a secret it would be 50,000.
        #expect(stepsMax < 200)
    }

    @Test func `storing texts that a tenant chose compares each with a few others`() {
        let hash = KeyHash()
        var index = HashIndex()
        var comparedCount = 0
        for (number, name) in Self.names(count: 50_000).enumerated() {
            let value = Self.hash(hash, name)
            let found = index.find(value) { _ in
                comparedCount += 1
                return false
            }
            #expect(found == nil)
            index.insert(value, number)
        }
        // An index keeps 28 bits of a hash: of 1,250 million pairs, 5 share them.
        #expect(comparedCount < 100)
    }

    @Test func `merges layers with different hash secrets`() {
        func layer(_ hosts: Range<Int>) -> CatalogueLayer {
            var builder = CatalogueBuilder()
            for host in hosts {
                builder.add(
                    PreparedSite(
                        host: "h\(host).example",
                        answers: (0..<20).map { ("/\($0)", Self.page(UInt8(host % 100 + $0))) }))
            }
            return builder.finish()
        }
        let merged = layer(50..<150).merged(over: layer(0..<100))
        for layers in [[merged], [layer(50..<150), layer(0..<100)]] {
            let catalogue = Catalogue(layers: layers)
            for host in 0..<150 {
                let name = Array("h\(host).example".utf8)
                let site = catalogue.view.site(host: name.span)
                for path in 0..<20 {
                    let body = Array("/\(path)".utf8).withUnsafeBytes { bytes in
                        site.flatMap { catalogue.view.answer($0, path: bytes) }.map { Array($0.form(.identity).body) }
                    }
                    #expect(body == [UInt8(host % 100 + path)])
                }
            }
        }
    }
}
