// The growing part of an image under construction. Equal bytes and equal runs of records are stored once.

import Posix

/// The bytes after the header.
struct ImageHeap: ~Copyable {
    private var memory = Memory(byteCount: 64 * 1024)
    private(set) var count = MemoryLayout<ImageHeader>.size
    private var known = HashIndex()
    let hash: KeyHash

    init(hash: KeyHash = KeyHash()) { self.hash = hash }

    /// Stores bytes, or finds them. They may be a part of a longer blob.
    mutating func store(_ bytes: UnsafeRawBufferPointer) -> Blob {
        if unsafe bytes.isEmpty { return Blob(offset: 0, count: 0) }
        let hash = unsafe hash.of(bytes)
        let end = count - bytes.count
        let whole = unsafe UnsafeRawBufferPointer(memory.bytes)
        let found = known.find(hash) { offset in
            unsafe offset <= end && UnsafeRawBufferPointer(rebasing: whole[offset..<offset + bytes.count]).equals(bytes)
        }
        if let found { return Blob(offset: UInt64(found), count: UInt64(bytes.count)) }
        let offset = unsafe append(bytes)
        known.insert(hash, offset)
        return Blob(offset: UInt64(offset), count: UInt64(bytes.count))
    }

    mutating func store(_ bytes: [UInt8]) -> Blob { unsafe bytes.withUnsafeBytes { unsafe store($0) } }

    mutating func store(_ text: String) -> Blob {
        var text = text
        return text.withUTF8 { unsafe store(UnsafeRawBufferPointer($0)) }
    }

    func bytes(_ blob: Blob) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: memory.bytes[Int(blob.offset)..<Int(blob.offset + blob.count)])
    }

    func hash(of blob: Blob) -> UInt64 { unsafe hash.of(bytes(blob)) }

    mutating func append<Record: BitwiseCopyable>(table: [Record]) -> TablePlace {
        reserve((count + 15) / 16 * 16 - count)
        let offset = unsafe table.withUnsafeBytes { unsafe append($0) }
        return TablePlace(offset: UInt64(offset), count: UInt64(table.count))
    }

    consuming func finish(_ header: ImageHeader) -> Memory {
        var header = header
        header.byteCount = UInt64(count)
        memory.resize(byteCount: count)
        unsafe memory.bytes.storeBytes(of: header, as: ImageHeader.self)
        return memory
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) -> Int {
        let offset = count
        reserve(bytes.count)
        unsafe memory.bytes[offset..<offset + bytes.count].copyBytes(from: bytes)
        return offset
    }

    private mutating func reserve(_ more: Int) {
        count += more
        if unsafe count > memory.bytes.count { unsafe memory.resize(byteCount: max(count, memory.bytes.count * 2)) }
    }
}

/// Records without padding, so that equal ones are equal bytes.
struct RecordTable<Record: BitwiseCopyable> {
    private(set) var records: [Record] = []
    private var known = HashIndex()
    private let hash: KeyHash

    init(hash: KeyHash = KeyHash()) { self.hash = hash }

    mutating func add(_ run: [Record]) -> Run {
        if run.isEmpty { return Run() }
        return unsafe run.withUnsafeBytes { bytes in
            let hash = unsafe hash.of(bytes)
            let stride = MemoryLayout<Record>.stride
            let found = unsafe records.withUnsafeBytes { stored in
                known.find(hash) { first in
                    let start = first * stride
                    guard start + bytes.count <= stored.count else { return false }
                    return unsafe UnsafeRawBufferPointer(rebasing: stored[start..<start + bytes.count]).equals(bytes)
                }
            }
            if let found { return Run(first: UInt32(found), count: UInt32(run.count)) }
            let first = records.count
            precondition(first + run.count < UInt32.max, "an image has fewer than four thousand million records")
            records += run
            known.insert(hash, first)
            return Run(first: UInt32(first), count: UInt32(run.count))
        }
    }

    /// The number of a single record.
    mutating func add(record: Record) -> UInt32 { add([record]).first }
}

/// An open-addressing table from hashes to numbers.
struct HashIndex {
    /// The upper bits of the hash, and below them the number plus one; 0 is an empty entry.
    private var entries: [UInt64] = []
    private var count = 0

    private static let numberBits: UInt64 = 36
    private static let numberMask: UInt64 = 1 << numberBits - 1

    /// The first number with this hash for which the closure returns true.
    @inline(__always)
    func find(_ hash: UInt64, where holds: (Int) -> Bool) -> Int? {
        if entries.isEmpty { return nil }
        let mask = entries.count - 1
        var place = start(hash)
        while entries[place] != 0 {
            let entry = entries[place]
            if (entry ^ hash) & ~HashIndex.numberMask == 0 {
                let number = Int(entry & HashIndex.numberMask) - 1
                if holds(number) { return number }
            }
            place = (place + 1) & mask
        }
        return nil
    }

    /// Adds a number that is not in the table yet.
    mutating func insert(_ hash: UInt64, _ number: Int) {
        precondition(number >= 0 && UInt64(number) < HashIndex.numberMask, "an image is smaller than 64 GiB")
        if (count + 1) * 4 > entries.count * 3 { grow() }
        put(hash & ~HashIndex.numberMask | UInt64(number + 1))
        count += 1
    }

    private mutating func grow() {
        let old = entries
        entries = [UInt64](repeating: 0, count: max(16, old.count * 2))
        for entry in old where entry != 0 { put(entry) }
    }

    private mutating func put(_ entry: UInt64) {
        let mask = entries.count - 1
        var place = start(entry)
        while entries[place] != 0 { place = (place + 1) & mask }
        entries[place] = entry
    }

    /// Uses only the bits of the hash that an entry stores.
    private func start(_ hash: UInt64) -> Int {
        Int(hash >> HashIndex.numberBits) & (entries.count - 1)
    }
}
