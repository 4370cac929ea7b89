// The table of the store: bounded, evicts the least recently used, and otherwise like a dictionary.

import Tenancy
import Testing

@testable import Certificates
@testable import TLS

struct HostCacheTests {
    private static func insert(_ name: String, _ value: Int, _ cache: inout HostCache<Int>) {
        let bytes = Array(name.utf8)
        cache.insert(bytes.span, value)
    }

    private static func value(_ name: String, _ cache: inout HostCache<Int>) -> Int? {
        let bytes = Array(name.utf8)
        return cache.place(bytes.span).map { cache[$0] }
    }

    private static func remove(_ name: String, _ cache: inout HostCache<Int>) {
        let bytes = Array(name.utf8)
        cache.remove(bytes.span)
    }

    @Test func `keeps the most recently used entries`() {
        var cache = HostCache<Int>(room: 3)
        for (index, name) in ["a", "b", "c"].enumerated() { Self.insert(name, index, &cache) }
        #expect(Self.value("a", &cache) == 0)
        Self.insert("d", 3, &cache)
        #expect(cache.count == 3)
        #expect(Self.value("b", &cache) == nil)
        #expect(["a", "c", "d"].map { Self.value($0, &cache) } == [0, 2, 3])
    }

    @Test func `removes the least recently used entries until a heavy one fits`() {
        var cache = HostCache<Int>(room: 10)
        func insert(_ name: String, size: Int) -> [String] {
            let bytes = Array(name.utf8)
            return cache.insert(bytes.span, 0, size: size).lost.map { String(decoding: $0, as: UTF8.self) }
        }
        for name in ["a", "b", "c"] { #expect(insert(name, size: 3).isEmpty) }
        #expect(insert("d", size: 4) == ["a"])
        #expect(Set(cache.names) == [[UInt8(ascii: "b")], [UInt8(ascii: "c")], [UInt8(ascii: "d")]])
        #expect(insert("d", size: 1).isEmpty)
        #expect((cache.count, cache.size) == (3, 7))
        #expect(insert("e", size: 11).isEmpty)
        #expect((cache.count, cache.size) == (3, 7), "what is larger than the room takes no other's place")
        #expect(insert("f", size: 10) == ["b", "c", "d"])
        #expect((cache.count, cache.size) == (1, 10))
    }

    @Test func `hosts of one tenant take no place from those of another with fewer`() {
        var cache = HostCache<Int>(room: 4)
        func insert(_ name: String) {
            let bytes = Array(name.utf8)
            cache.insert(bytes.span, 0, of: TenantID(folder: String(name.prefix(1))))
        }
        for name in ["a1", "b1", "b2", "b3", "b4", "b5"] { insert(name) }
        #expect(Set(cache.names.map { String(decoding: $0, as: UTF8.self) }) == ["a1", "b3", "b4", "b5"])
    }

    @Test func `replaces the value of a name`() {
        var cache = HostCache<Int>(room: 2)
        Self.insert("a", 1, &cache)
        Self.insert("a", 2, &cache)
        #expect(cache.count == 1)
        #expect(Self.value("a", &cache) == 2)
    }

    @Test func `tells a name from one that it begins`() {
        var cache = HostCache<Int>(room: 2)
        Self.insert("a.example", 1, &cache)
        #expect(Self.value("a.exampl", &cache) == nil)
        #expect(Self.value("a.example.com", &cache) == nil)
    }

    @Test func `a name with the hash of another one takes its place, and is not taken for it`() {
        var cache = HostCache<Int>(room: 8)
        let (first, second) = (Array("host1".utf8), Array("host2".utf8))
        for name in ["host0", "host1", "host3"] { Self.insert(name, 1, &cache) }
        cache.insert(second.span, hash: HostName.hash(first.span), 2)
        #expect(cache.count == 3)
        #expect(Set(cache.names) == [Array("host0".utf8), Array("host3".utf8), second])
        #expect(Self.value("host1", &cache) == nil, "the table has another name at its hash")
        #expect(["host0", "host3"].map { Self.value($0, &cache) } == [1, 1])
    }

    @Test(arguments: [1, 2, 7, 64])
    func `agrees with a plain list over many random steps`(capacity: Int) {
        var random = SystemRandomNumberGenerator()
        var cache = HostCache<Int>(room: capacity)
        // The same rules on a plain list, the newest last.
        var list: [(name: String, value: Int)] = []
        for step in 0..<5000 {
            let name = "host\(Int.random(in: 0..<capacity * 2, using: &random))"
            let position = list.firstIndex { $0.name == name }
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                Self.insert(name, step, &cache)
                if let position { list.remove(at: position) } else if list.count == capacity { list.removeFirst() }
                list.append((name, step))
            case 4:
                Self.remove(name, &cache)
                if let position { list.remove(at: position) }
            default:
                #expect(Self.value(name, &cache) == position.map { list[$0].value })
                if let position { list.append(list.remove(at: position)) }
            }
            #expect(cache.count == list.count)
        }
    }
}
