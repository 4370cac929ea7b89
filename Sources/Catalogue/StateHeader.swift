// The first page of a state file. Everything in it is checked before anything is believed.

/// Which sections a state file has, and where.
struct StateHeader {
    /// One page, so that sections lie as they lie in memory.
    static let byteCount = 4096
    /// What the file begins with: "assocsta" as it is read from memory.
    private static let magic: UInt64 = 0x6174_7363_6F73_7361
    /// Changes with each change of this form.
    private static let version: UInt64 = 1
    private static let keyBytesMax = 2_048
    static let alignment = 64

    /// Where a section lies in the file.
    struct Place: BitwiseCopyable {
        var section: UInt64 = 0
        var offset: UInt64 = 0
        var count: UInt64 = 0
        var checksum: UInt64 = 0
    }

    /// The part of fixed form; the key follows.
    private struct Fixed: BitwiseCopyable {
        var magic = StateHeader.magic
        var version = StateHeader.version
        private var unused: UInt64 = 0
        /// Of the whole file.
        var byteCount = UInt64(StateHeader.byteCount)
        var keyCount: UInt64 = 0
        /// Of the header, while this is zero.
        var checksum: UInt64 = 0
        var first = Place()
        var second = Place()
        var third = Place()
    }

    private var fixed = Fixed()

    init() {}

    /// Reads the header of a file that has so many bytes.
    init(reading bytes: UnsafeRawBufferPointer, key: String, fileByteCount: Int) throws(StateProblem) {
        fixed = bytes.loadUnaligned(as: Fixed.self)
        guard fixed.magic == StateHeader.magic else { throw .foreign }
        // A layer of another form is refused when it is mapped: the rest of the file may be of use without it.
        guard fixed.version == StateHeader.version else { throw .otherVersion }
        var expected = fixed
        expected.checksum = 0
        guard StateHeader.checksum(expected, rest: bytes) == fixed.checksum else { throw .foreign }
        guard fixed.byteCount == UInt64(fileByteCount) else {
            throw .cut(byteCount: fileByteCount, expected: Int(clamping: fixed.byteCount))
        }
        let known = bytes[MemoryLayout<Fixed>.size...].prefix(Int(clamping: fixed.keyCount))
        guard known.elementsEqual(key.utf8) else { throw .otherKey }
        for place in [fixed.first, fixed.second, fixed.third] where place.section != 0 {
            let end = place.offset.addingReportingOverflow(place.count)
            guard !end.overflow, end.partialValue <= fixed.byteCount, place.offset % UInt64(StateHeader.alignment) == 0
            else { throw .foreign }
        }
    }

    /// Adds a section that is made of parts, behind those that are there.
    mutating func add(_ section: StateSection, _ parts: [UnsafeRawBufferPointer]) {
        var checksum = Checksum()
        for part in parts { checksum.add(part) }
        let count = parts.reduce(0) { $0 + $1.count }
        let place = Place(
            section: section.rawValue, offset: fixed.byteCount, count: UInt64(count), checksum: checksum.value)
        switch section {
        case .layer: fixed.first = place
        case .records: fixed.second = place
        case .texts: fixed.third = place
        }
        fixed.byteCount += UInt64(count + StateHeader.gap(behind: parts))
    }

    /// How many bytes stand between a section and the next.
    static func gap(behind parts: [UnsafeRawBufferPointer]) -> Int {
        let over = parts.reduce(0) { $0 + $1.count } % alignment
        return over == 0 ? 0 : alignment - over
    }

    /// The page to be written.
    func bytes(key: String) -> [UInt8] {
        precondition(key.utf8.count <= StateHeader.keyBytesMax, "a key says which settings count, not all of them")
        var fixed = fixed
        fixed.keyCount = UInt64(key.utf8.count)
        var page = withUnsafeBytes(of: fixed) { Array($0) } + key.utf8
        page += [UInt8](repeating: 0, count: StateHeader.byteCount - page.count)
        fixed.checksum = page.withUnsafeBytes { StateHeader.checksum(fixed, rest: $0) }
        withUnsafeBytes(of: fixed) { page.replaceSubrange(..<$0.count, with: $0) }
        return page
    }

    func place(of section: StateSection) -> Place? {
        [fixed.first, fixed.second, fixed.third].first { $0.section == section.rawValue }
    }

    private static func checksum(_ fixed: Fixed, rest: UnsafeRawBufferPointer) -> UInt64 {
        var checksum = Checksum()
        withUnsafeBytes(of: fixed) { checksum.add($0) }
        checksum.add(UnsafeRawBufferPointer(rebasing: rest[MemoryLayout<Fixed>.size...]))
        return checksum.value
    }
}
