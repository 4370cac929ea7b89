// The table of the store: bounded, evicts the least recently used, and otherwise like a dictionary.

import Testing

@testable import TLS

struct HostCacheTests {
    private static func insert(_ name: String, _ value: Int, _ cache: inout HostCache<Int>) {
        let bytes = Array(name.utf8)
        cache.insert(bytes.span, hash: HostKey.hash(bytes.span), value)
    }

    private static func value(_ name: String, _ cache: inout HostCache<Int>) -> Int? {
        let bytes = Array(name.utf8)
        return cache.place(bytes.span, hash: HostKey.hash(bytes.span)).map { cache[$0] }
    }

    private static func remove(_ name: String, _ cache: inout HostCache<Int>) {
        let bytes = Array(name.utf8)
        cache.remove(bytes.span, hash: HostKey.hash(bytes.span))
    }

    @Test func `keeps the most recently used entries`() {
        var cache = HostCache<Int>(capacity: 3)
        for (index, name) in ["a", "b", "c"].enumerated() { Self.insert(name, index, &cache) }
        #expect(Self.value("a", &cache) == 0)
        Self.insert("d", 3, &cache)
        #expect(cache.count == 3)
        #expect(Self.value("b", &cache) == nil)
        #expect(["a", "c", "d"].map { Self.value($0, &cache) } == [0, 2, 3])
    }

    @Test func `replaces the value of a name`() {
        var cache = HostCache<Int>(capacity: 2)
        Self.insert("a", 1, &cache)
        Self.insert("a", 2, &cache)
        #expect(cache.count == 1)
        #expect(Self.value("a", &cache) == 2)
    }

    @Test func `tells a name from one that it begins`() {
        var cache = HostCache<Int>(capacity: 2)
        Self.insert("a.example", 1, &cache)
        #expect(Self.value("a.exampl", &cache) == nil)
        #expect(Self.value("a.example.com", &cache) == nil)
    }

    @Test func `tells names with the same hash apart, in any order of changes`() {
        var cache = HostCache<Int>(capacity: 8)
        let names = (0..<8).map { Array("host\($0)".utf8) }
        for (number, name) in names.enumerated() { cache.insert(name.span, hash: 7, number) }
        for (number, name) in names.enumerated().reversed() {
            let place = cache.place(name.span, hash: 7)
            #expect(place.map { cache[$0] } == number)
        }
        let other = Array("host8".utf8)
        let unknown = cache.place(other.span, hash: 7)
        #expect(unknown == nil)
        for (number, name) in names.enumerated() where number % 2 == 0 { cache.remove(name.span, hash: 7) }
        for (number, name) in names.enumerated() {
            let place = cache.place(name.span, hash: 7)
            #expect(place.map { cache[$0] } == (number % 2 == 0 ? nil : number))
        }
    }

    @Test(arguments: [1, 2, 7, 64])
    func `agrees with a plain list over many random steps`(capacity: Int) {
        var random = SystemRandomNumberGenerator()
        var cache = HostCache<Int>(capacity: capacity)
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
