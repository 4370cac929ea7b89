// The parts of a layer: equal values are stored once, and different ones separately.

import Testing

@testable import Catalogue

struct CatalogueBuilderTests {
    @Test func `an index finds exactly the inserted numbers`() {
        var index = HashIndex()
        for number in 0..<10_000 { index.insert(UInt64(number) &* 0x9E37_79B9_7F4A_7C15, number) }
        for number in 0..<10_000 {
            #expect(index.find(UInt64(number) &* 0x9E37_79B9_7F4A_7C15) { $0 == number } == number)
        }
        #expect(index.find(10_000 &* 0x9E37_79B9_7F4A_7C15) { $0 == 10_000 } == nil)
    }

    @Test func `the closure tells numbers with the same hash apart`() {
        var index = HashIndex()
        for number in 0..<100 { index.insert(7, number) }
        for number in 0..<100 { #expect(index.find(7) { $0 == number } == number) }
        #expect(index.find(7) { _ in false } == nil)
        #expect(HashIndex().find(7) { _ in true } == nil)
    }

    @Test func `stores equal runs of records once, and a run with the same beginning separately`() {
        var table = RecordTable<UInt64>()
        let first = table.add([1, 2, 3])
        #expect(table.add([1, 2, 3]) == first)
        let longer = table.add([1, 2, 3, 4])
        #expect(longer != first)
        #expect(table.add([1, 2, 3, 4]) == longer)
        #expect(table.add([]) == Run())
        #expect(table.records == [1, 2, 3, 1, 2, 3, 4])
    }

    @Test func `a heap stores equal bytes once`() {
        var heap = ImageHeap()
        let texts = (0..<1_000).map { [UInt8](repeating: UInt8($0 % 250), count: $0) }
        let blobs = texts.map { heap.store($0) }
        for (text, blob) in zip(texts, blobs) {
            #expect(heap.store(text) == blob)
            #expect(Array(heap.bytes(blob)) == text)
        }
    }

    @Test(arguments: 0..<24)
    func `compares bytes up to the last one`(count: Int) {
        let left = (0..<count).map { UInt8($0) }
        left.withUnsafeBytes { left in
            for index in 0..<count {
                var right = Array(left)
                right[index] ^= 0x80
                #expect(!right.withUnsafeBytes { left.equals($0) })
            }
            #expect(Array(left).withUnsafeBytes { left.equals($0) })
            #expect(!(Array(left) + [0]).withUnsafeBytes { left.equals($0) })
        }
    }
}
