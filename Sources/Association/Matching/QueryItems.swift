// A query cut into items as Apple's URL types cut it.

/// The items of a query: cut at `&` and at the first `=`, and only then decoded. A `+` is a plus.
struct QueryItems {
    /// Names and values one after the other, as the reading has them.
    private(set) var bytes: [UInt8] = []
    private(set) var items: [(name: Range<Int>, value: Range<Int>)] = []

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
        return result
    }

    func hasName(_ name: [UInt8], _ index: Int) -> Bool {
        let range = items[index].name
        guard range.count == name.count else { return false }
        for offset in 0..<name.count where bytes[range.lowerBound + offset] != name[offset] { return false }
        return true
    }
}
