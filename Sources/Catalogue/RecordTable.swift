// A table under construction, in which equal runs of records are stored once: tenants of one product share most of theirs.

/// Records without gaps, so that equal ones are equal bytes.
struct RecordTable<Record: BitwiseCopyable> {
    private(set) var records: [Record] = []
    private var known = HashIndex()
    private let hash: KeyHash

    init(hash: KeyHash = KeyHash()) { self.hash = hash }

    /// Where the run begins.
    mutating func add(_ run: [Record]) -> UInt32 {
        if run.isEmpty { return 0 }
        return run.withUnsafeBytes { bytes in
            let hash = hash.of(bytes)
            let stride = MemoryLayout<Record>.stride
            let found = records.withUnsafeBytes { stored in
                known.find(hash) { first in
                    let start = first * stride
                    guard start + bytes.count <= stored.count else { return false }
                    return UnsafeRawBufferPointer(rebasing: stored[start..<start + bytes.count]).equals(bytes)
                }
            }
            if let found { return UInt32(found) }
            let first = records.count
            precondition(first + run.count < UInt32.max, "an image has fewer than four thousand million records")
            records += run
            known.insert(hash, first)
            return UInt32(first)
        }
    }

    mutating func add(_ record: Record) -> UInt32 { add([record]) }
}
