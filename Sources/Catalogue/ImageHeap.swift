// The growing part of an image under construction: bytes, each run of them stored once, however often it is asked for.

import Posix

/// Bytes behind the place that is left for the header.
struct ImageHeap: ~Copyable {
    private var memory = Memory(byteCount: 64 * 1024)
    private(set) var count = MemoryLayout<ImageHeader>.size
    private var known = HashIndex()
    let hash: KeyHash

    init(hash: KeyHash = KeyHash()) { self.hash = hash }

    /// Stores a run of bytes, or finds it. Any stretch with these bytes will do, even a part of a longer one.
    mutating func store(_ bytes: UnsafeRawBufferPointer) -> Blob {
        if bytes.isEmpty { return Blob(offset: 0, count: 0) }
        let hash = hash.of(bytes)
        let end = count - bytes.count
        let whole = UnsafeRawBufferPointer(memory.bytes)
        let found = known.find(hash) { offset in
            offset <= end && UnsafeRawBufferPointer(rebasing: whole[offset..<offset + bytes.count]).equals(bytes)
        }
        if let found { return Blob(offset: UInt64(found), count: UInt64(bytes.count)) }
        let offset = append(bytes)
        known.insert(hash, offset)
        return Blob(offset: UInt64(offset), count: UInt64(bytes.count))
    }

    mutating func store(_ bytes: [UInt8]) -> Blob { bytes.withUnsafeBytes { store($0) } }

    mutating func store(_ text: String) -> Blob {
        var text = text
        return text.withUTF8 { store(UnsafeRawBufferPointer($0)) }
    }

    func bytes(_ blob: Blob) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: memory.bytes[Int(blob.offset)..<Int(blob.offset + blob.count)])
    }

    func hash(of blob: Blob) -> UInt64 { hash.of(bytes(blob)) }

    /// Appends a table, where records may lie.
    mutating func append<Record: BitwiseCopyable>(table: [Record]) -> TablePlace {
        reserve((count + 15) / 16 * 16 - count)
        let offset = table.withUnsafeBytes { append($0) }
        return TablePlace(offset: UInt64(offset), count: UInt64(table.count))
    }

    /// The finished image.
    consuming func finish(_ header: ImageHeader) -> Memory {
        var header = header
        header.byteCount = UInt64(count)
        memory.resize(byteCount: count)
        memory.bytes.storeBytes(of: header, as: ImageHeader.self)
        return memory
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) -> Int {
        let offset = count
        reserve(bytes.count)
        memory.bytes[offset..<offset + bytes.count].copyBytes(from: bytes)
        return offset
    }

    private mutating func reserve(_ more: Int) {
        count += more
        if count > memory.bytes.count { memory.resize(byteCount: max(count, memory.bytes.count * 2)) }
    }
}
