// A URL in the readings that rules need. Each is made at most once for a decision; most decisions need only the plain one, which
// copies only the path.

import SourceJSON

/// The parts of a URL in one reading.
package struct URLView {
    /// With normalised slashes.
    let path: [UInt8]
    /// Empty if the URL has none, as on Apple's systems.
    let query: [UInt8]
    let fragment: [UInt8]

    init(_ url: LinkURL, _ reading: URLReading, dropsSlashes: Bool = false) {
        let written = reading.read(url.pathBytes)
        path = dropsSlashes ? AppleSlashes.dropped(written) : AppleSlashes.normalised(written)
        query = reading.read(url.queryBytes ?? [])
        fragment = reading.read(url.fragmentBytes ?? [])
    }
}

/// The readings of one URL. The plain one is made at once, the others on first use.
package struct URLViews {
    package let url: LinkURL
    package let plain: URLView
    private var others: [URLView?] = []
    private var items: [QueryItems?] = []
    /// Whether a pattern needed more steps than the limit since this was last set.
    package var ranOut = false
    /// An upper bound of the work of the comparisons so far, in steps of about a nanosecond.
    package private(set) var work = 0

    package init(_ url: LinkURL) {
        self.url = url
        plain = URLView(url, .plain)
    }

    package mutating func view(_ reading: URLReading) -> URLView {
        if reading.isPlain { return plain }
        if others.isEmpty { others = [nil, nil, nil] }
        if let view = others[reading.index - 1] { return view }
        let view = URLView(url, reading)
        others[reading.index - 1] = view
        return view
    }

    /// Whether the pattern matches; false, and `ranOut`, if it needs too many steps.
    package mutating func matches(_ pattern: GlobPattern, _ bytes: [UInt8], _ range: Range<Int>) -> Bool {
        work += pattern.work(over: range.count)
        let outcome = pattern.test(bytes, range)
        if outcome == nil { ranOut = true }
        return outcome == true
    }

    package mutating func matches(_ pattern: GlobPattern, _ bytes: [UInt8]) -> Bool {
        matches(pattern, bytes, 0..<bytes.count)
    }

    package mutating func items(_ reading: URLReading) -> QueryItems {
        if items.isEmpty { items = [nil, nil, nil, nil] }
        if let items = items[reading.index] { return items }
        let made = QueryItems(url.queryBytes, reading)
        items[reading.index] = made
        return made
    }
}

/// How a rule transforms a URL before the comparison.
package struct URLReading: Hashable, Sendable {
    /// `percentEncoded: false`
    package var decodes: Bool
    /// `caseSensitive: false`
    package var folds: Bool

    package static let plain = URLReading(decodes: false, folds: false)

    package var isPlain: Bool { !decodes && !folds }

    /// From 0 for the plain reading to 3.
    package var index: Int { (decodes ? 1 : 0) + (folds ? 2 : 0) }

    /// `bytes` in this reading.
    package func read(_ bytes: [UInt8]) -> [UInt8] {
        if isPlain { return bytes }
        return read(bytes[...])
    }

    package func read(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let decoded = decodes ? Percent.decode(bytes) : Array(bytes)
        guard folds else { return decoded }
        if decoded.allSatisfy({ $0 < 0x80 }) { return decoded.map(\.lowercasedASCII) }
        return Array(String(decoding: decoded, as: UTF8.self).folded.utf8)
    }
}

/// The items of a query: split at `&` and at the first `=`, and then decoded. A `+` is a plus sign.
package struct QueryItems {
    /// Names and values one after the other, in the reading.
    package private(set) var bytes: [UInt8] = []
    package private(set) var items: [(name: Range<Int>, value: Range<Int>)] = []
    /// If there are many items, the first one of each hash of names, and the next one after each item.
    private var firstOfHash: [Int32] = []
    private var nextOfHash: [Int32] = []

    /// Up to this number of items, comparing each is as fast.
    private static let lookedThroughMax = 16
    private static let hashesMax = 4_096

    package init(_ query: [UInt8]?, _ reading: URLReading) {
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

    /// The items with folded names, for the reading in which `caseSensitive: false` applies to names.
    package func foldingNames() -> QueryItems {
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

    /// A rule may have hundreds of names, and a query thousands of items.
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

    /// `Hasher` has a random seed, so a hostile query cannot have many names with one hash.
    private static func hash(_ name: ArraySlice<UInt8>) -> Int {
        var hasher = Hasher()
        for byte in name { hasher.combine(byte) }
        return hasher.finalize() & (hashesMax - 1)
    }

    /// Whether `condition` is true for the value of every item with the name; nil if there is no such item.
    package func allValues(of name: [UInt8], satisfy condition: (Range<Int>) -> Bool) -> Bool? {
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

    package func hasName(_ name: [UInt8], _ index: Int) -> Bool {
        let range = items[index].name
        guard range.count == name.count else { return false }
        for offset in 0..<name.count where bytes[range.lowerBound + offset] != name[offset] { return false }
        return true
    }
}
