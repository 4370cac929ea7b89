// A query cut into items as Apple's URL types cut it.

/// The items of a query: cut at `&` and at the first `=`, and only then decoded. A `+` is a plus.
struct QueryItems {
    /// Names and values one after the other, as the reading has them.
    private(set) var bytes: [UInt8] = []
    private(set) var items: [(name: Range<Int>, value: Range<Int>)] = []
    /// The items by a hash of their names, where there are many: the first of each hash, and the next after each item.
    private var firstOfHash: [Int32] = []
    private var nextOfHash: [Int32] = []

    /// Up to here, looking at each is as fast.
    private static let lookedThroughMax = 16
    private static let hashesMax = 4_096

    init(_ query: [UInt8]?, _ reading: URLReading) {
        guard let query, !query.isEmpty else { return }
        let names = URLReading(decodes: reading.decodes, folds: false)
        bytes.reserveCapacity(query.count)
        for item in query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            let equals = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
            let start = bytes.count
            append(item[..<equals], names)
            let middle = bytes.count
            append(item[equals...].dropFirst(), reading)
            items.append((start..<middle, middle..<bytes.count))
        }
        index()
    }

    private mutating func append(_ piece: ArraySlice<UInt8>, _ reading: URLReading) {
        if reading.isPlain { bytes.append(contentsOf: piece) } else { bytes.append(contentsOf: reading.read(piece)) }
    }

    /// The items with their names folded, for the reading in which `caseSensitive: false` reaches names.
    func foldingNames() -> QueryItems {
        var result = QueryItems(nil, .plain)
        for item in items {
            let start = result.bytes.count
            result.bytes += String(decoding: bytes[item.name], as: UTF8.self).folded.utf8
            let middle = result.bytes.count
            result.bytes += bytes[item.value]
            result.items.append((start..<middle, middle..<result.bytes.count))
        }
        result.index()
        return result
    }

    /// A rule may ask for hundreds of names and a query have thousands of items.
    private mutating func index() {
        guard items.count > Self.lookedThroughMax else { return }
        firstOfHash = [Int32](repeating: -1, count: Self.hashesMax)
        nextOfHash = [Int32](repeating: -1, count: items.count)
        for index in items.indices.reversed() {
            let hash = Self.hash(bytes[items[index].name])
            nextOfHash[index] = firstOfHash[hash]
            firstOfHash[hash] = Int32(truncatingIfNeeded: index)
        }
    }

    /// `Hasher` has a secret, so no query can have many names of one hash.
    private static func hash(_ name: ArraySlice<UInt8>) -> Int {
        var hasher = Hasher()
        for byte in name { hasher.combine(byte) }
        return hasher.finalize() & (hashesMax - 1)
    }

    /// Whether `condition` holds for the value of every item of the name; nil where there is no such item.
    func allValues(of name: [UInt8], satisfy condition: (Range<Int>) -> Bool) -> Bool? {
        var isPresent = false
        var index = firstOfHash.isEmpty ? 0 : Int(firstOfHash[Self.hash(name[...])])
        while items.indices.contains(index) {
            if hasName(name, index) {
                isPresent = true
                if !condition(items[index].value) { return false }
            }
            index = firstOfHash.isEmpty ? index + 1 : Int(nextOfHash[index])
        }
        return isPresent ? true : nil
    }

    func hasName(_ name: [UInt8], _ index: Int) -> Bool {
        let range = items[index].name
        guard range.count == name.count else { return false }
        for offset in 0..<name.count where bytes[range.lowerBound + offset] != name[offset] { return false }
        return true
    }
}
