// The parts of a ZIP file that are needed to find signatures: its end, its directory, and single small entries. Nothing else is unpacked,
// so an archive that would expand to gigabytes costs nothing.

struct ZIPArchive {
    /// Where the central directory is.
    let directory: Range<Int>

    struct Entry {
        let name: String
        let isDeflated: Bool
        let checksum: ArraySlice<UInt8>
        let packedCount: Int
        let count: Int
        let offset: Int

        /// Whether it is a JAR signature: a file of these kinds directly in META-INF.
        var isSignature: Bool {
            let upper = name.uppercased()
            return upper.hasPrefix("META-INF/") && upper.count { $0 == "/" } == 1
                && [".RSA", ".DSA", ".EC"].contains(where: upper.hasSuffix)
        }
    }

    private static let endBytes = 22
    private static let commentBytesMax = 65_535
    /// 65,535 entries with names of 200 bytes have less.
    private static let directoryBytesMax = 16 << 20
    private static let entryBytesMax = 1 << 20

    init(byteCount: Int, read: SignedApp.PartReader) throws(SigningProblem) {
        let tailCount = min(byteCount, ZIPArchive.endBytes + ZIPArchive.commentBytesMax)
        let tail = try read(byteCount - tailCount, tailCount)
        // The last record whose comment reaches to the end of the file.
        var index = tail.count - ZIPArchive.endBytes
        while index >= 0 {
            if tail[index] == 0x50, tail[index..<index + 4].elementsEqual([0x50, 0x4B, 5, 6]),
                Int(tail[index + 20]) | Int(tail[index + 21]) << 8 == tail.count - index - ZIPArchive.endBytes
            {
                break
            }
            index -= 1
        }
        guard index >= 0 else { throw SigningProblem("it has no end of a ZIP file; it is truncated, or no app") }
        var end = ByteReader(tail[(index + 12)...], "its end")
        let (count, start) = (try end.number(bytes: 4), try end.number(bytes: 4))
        guard start + count <= byteCount - tail.count + index else { throw .damaged("its directory") }
        directory = start..<start + count
    }

    func entries(read: SignedApp.PartReader) throws(SigningProblem) -> [Entry] {
        guard directory.count <= ZIPArchive.directoryBytesMax else {
            throw SigningProblem("its directory has \(directory.count) bytes, more than that of any app")
        }
        var entries: [Entry] = []
        var list = ByteReader(try read(directory.lowerBound, directory.count)[...], "its directory")
        while !list.isEmpty {
            guard try list.bytes(4).elementsEqual([0x50, 0x4B, 1, 2]) else { throw .damaged("its directory") }
            _ = try list.bytes(6)
            let method = try list.number(bytes: 2)
            _ = try list.bytes(4)
            let checksum = try list.bytes(4)
            let (packedCount, count) = (try list.number(bytes: 4), try list.number(bytes: 4))
            let lengths = [try list.number(bytes: 2), try list.number(bytes: 2), try list.number(bytes: 2)]
            _ = try list.bytes(8)
            let offset = try list.number(bytes: 4)
            let name = String(decoding: try list.bytes(lengths[0]), as: UTF8.self)
            _ = try list.bytes(lengths[1] + lengths[2])
            entries.append(
                Entry(
                    name: name, isDeflated: method == 8, checksum: checksum, packedCount: packedCount, count: count,
                    offset: offset))
        }
        return entries
    }

    func content(
        of entry: Entry, read: SignedApp.PartReader, expand: (_ gzip: [UInt8], _ bytesMax: Int) -> [UInt8]?
    ) throws(SigningProblem) -> [UInt8] {
        let damage = SigningProblem.damaged("its entry \(entry.name.prefix(100))")
        guard entry.packedCount <= ZIPArchive.entryBytesMax, entry.count <= ZIPArchive.entryBytesMax else {
            throw damage
        }
        var head = ByteReader(try read(entry.offset, 30)[...], "its entry \(entry.name.prefix(100))")
        guard try head.bytes(4).elementsEqual([0x50, 0x4B, 3, 4]) else { throw damage }
        _ = try head.bytes(22)
        let lengths = (try head.number(bytes: 2), try head.number(bytes: 2))
        let packed = try read(entry.offset + 30 + lengths.0 + lengths.1, entry.packedCount)
        guard packed.count == entry.packedCount else { throw damage }
        if !entry.isDeflated { return packed }
        // The same data as a gzip member (RFC 1952), whose trailer is the checksum and the length.
        let length = (0..<4).map { UInt8(truncatingIfNeeded: entry.count >> ($0 * 8)) }
        let gzip = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF] + packed + entry.checksum + length
        guard let content = expand(gzip, ZIPArchive.entryBytesMax) else { throw damage }
        return content
    }
}
