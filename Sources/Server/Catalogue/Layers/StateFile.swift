// A file with prepared data for the next start: a header, then sections of plain bytes. The header says which version of the
// program wrote the file, with which settings, and whether it is complete. The file is mapped, so a start reads only what it
// needs. This code does not know the meaning of a section's bytes.

public import Posix

public enum StateSection: UInt64, Sendable, CaseIterable {
    /// A layer of the catalogue.
    case layer = 1
    /// What it was made from: files, folders and hosts.
    case records
    /// The last good text of each file.
    case texts
}

/// A mapped state file. It is replaced, never changed.
public final class StateFile: @unchecked Sendable {
    private let file: OpenFile
    private let mapping: Mapping
    private let header: StateHeader

    /// The size of the pieces in which a section is verified.
    private static let pieceBytes = 256 * 1024

    /// Maps a file that was written with the same key. Checks the header; `verify` checks a section.
    public init(_ path: String, key: String) throws(StateProblem) {
        do throws(FileError) { file = try OpenFile(path) } catch { throw .unreadable(error) }
        guard file.byteCount >= StateHeader.byteCount else { throw .foreign }
        do throws(SystemError) { mapping = try Mapping(file) } catch { throw .unreadable(.system(error)) }
        let start = unsafe UnsafeRawBufferPointer(rebasing: mapping.bytes[..<StateHeader.byteCount])
        header = try unsafe StateHeader(reading: start, key: key, fileByteCount: file.byteCount)
    }

    /// Writes a layer, and the other sections, each in parts that follow each other. The caller keeps their bytes alive meanwhile,
    /// and puts the file in place, which replaces an older one.
    public static func draft(
        of name: String, in folder: String, key: String, layer: CatalogueLayer,
        _ others: [(section: StateSection, parts: [UnsafeRawBufferPointer])] = unsafe []
    ) throws(SystemError) -> FileDraft {
        defer { withExtendedLifetime(layer) {} }
        let sections = unsafe [(section: StateSection.layer, parts: [layer.bytes])] + others
        var header = StateHeader()
        unsafe sections.forEach { unsafe header.add($0, $1) }
        // The header's page, and zeros for the gaps between sections.
        let page = UnsafeMutableRawBufferPointer.allocate(
            byteCount: StateHeader.byteCount + StateHeader.alignment, alignment: 64)
        defer { unsafe page.deallocate() }
        unsafe page.copyBytes(from: header.bytes(key: key) + [UInt8](repeating: 0, count: StateHeader.alignment))
        var all = unsafe [UnsafeRawBufferPointer(rebasing: page[..<StateHeader.byteCount])]
        for index in unsafe sections.indices {
            let parts = unsafe sections[index].parts
            unsafe all += parts
            let gap = unsafe page[StateHeader.byteCount...].prefix(StateHeader.gap(behind: parts))
            unsafe all.append(UnsafeRawBufferPointer(rebasing: gap))
        }
        return try unsafe FileDraft.write(name, in: folder, all, permissions: 0o600)
    }

    /// The bytes of a section; valid as long as the file is.
    public func bytes(_ section: StateSection) throws(StateProblem) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(try mutableBytes(section))
    }

    func mutableBytes(_ section: StateSection) throws(StateProblem) -> UnsafeMutableRawBufferPointer {
        guard let place = header.place(of: section) else { throw .missing(section) }
        let start = Int(place.offset)
        return unsafe UnsafeMutableRawBufferPointer(rebasing: mapping.bytes[start..<start + Int(place.count)])
    }

    /// Throws unless the bytes are those that were written. It reads the file instead of the mapping, so that bytes which are
    /// not used later do not stay in memory.
    public func verify(_ section: StateSection) throws(StateProblem) {
        guard let place = header.place(of: section) else { throw .missing(section) }
        var checksum = Checksum()
        var offset = Int(place.offset)
        let end = offset + Int(place.count)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: StateFile.pieceBytes, alignment: 64)
        defer { unsafe buffer.deallocate() }
        while offset < end {
            let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, end - offset)])
            let outcome = unsafe receive(file: file.number, from: offset, into: piece)
            if case .failed(let number) = outcome, case let error = SystemError(call: "pread", number: number),
                error.isShortage
            {
                throw .unreadable(.system(error))
            }
            guard case .moved(let count) = outcome else { throw .damaged(section) }
            unsafe checksum.add(UnsafeRawBufferPointer(rebasing: piece[..<count]))
            offset += count
        }
        guard checksum.value == place.checksum else { throw .damaged(section) }
    }
}

/// Which sections a state file has, and where.
struct StateHeader {
    /// One page, so that sections are aligned in memory.
    static let byteCount = 4096
    /// The first bytes of the file: "assocsta" in memory order.
    private static let magic: UInt64 = 0x6174_7363_6F73_7361
    /// Must change with each change of this format.
    private static let version: UInt64 = 1
    private static let keyBytesMax = 2_048
    static let alignment = 64

    /// The place of a section in the file.
    struct Place: BitwiseCopyable {
        var section: UInt64 = 0
        var offset: UInt64 = 0
        var count: UInt64 = 0
        var checksum: UInt64 = 0
    }

    /// The fields of fixed size; the key follows.
    private struct Fixed: BitwiseCopyable {
        var magic = StateHeader.magic
        var version = StateHeader.version
        private var unused: UInt64 = 0
        /// The size of the whole file.
        var byteCount = UInt64(StateHeader.byteCount)
        var keyCount: UInt64 = 0
        /// The checksum of the header, computed with this field as zero.
        var checksum: UInt64 = 0
        /// In the order of the sections' numbers.
        var places = InlineArray<3, Place>(repeating: Place())
    }

    private var fixed = Fixed()

    init() {}

    /// Reads and checks the header of a file.
    init(reading bytes: UnsafeRawBufferPointer, key: String, fileByteCount: Int) throws(StateProblem) {
        fixed = unsafe bytes.loadUnaligned(as: Fixed.self)
        guard fixed.magic == StateHeader.magic else { throw .foreign }
        // A layer of another format is rejected later, when it is mapped: the other sections may be usable without it.
        guard fixed.version == StateHeader.version else { throw .otherVersion }
        var expected = fixed
        expected.checksum = 0
        guard unsafe StateHeader.checksum(expected, rest: bytes) == fixed.checksum else { throw .foreign }
        guard fixed.byteCount == UInt64(fileByteCount) else {
            throw .cut(byteCount: fileByteCount, expected: Int(clamping: fixed.byteCount))
        }
        let known = unsafe bytes[MemoryLayout<Fixed>.size...].prefix(Int(clamping: fixed.keyCount))
        guard unsafe known.elementsEqual(key.utf8) else {
            throw unsafe .otherKey(String(decoding: known, as: UTF8.self))
        }
        for place in StateSection.allCases.compactMap(place) {
            let end = place.offset.addingReportingOverflow(place.count)
            guard !end.overflow, end.partialValue <= fixed.byteCount, place.offset % UInt64(StateHeader.alignment) == 0
            else { throw .foreign }
        }
    }

    /// Adds a section after the present ones.
    mutating func add(_ section: StateSection, _ parts: [UnsafeRawBufferPointer]) {
        var checksum = Checksum()
        unsafe parts.forEach { unsafe checksum.add($0) }
        let count = unsafe parts.reduce(0) { $0 + $1.count }
        fixed.places[Int(section.rawValue) - 1] = Place(
            section: section.rawValue, offset: fixed.byteCount, count: UInt64(count), checksum: checksum.value)
        unsafe fixed.byteCount += UInt64(count + StateHeader.gap(behind: parts))
    }

    /// The number of bytes between a section and the next.
    static func gap(behind parts: [UnsafeRawBufferPointer]) -> Int {
        let over = unsafe parts.reduce(0) { $0 + $1.count } % alignment
        return over == 0 ? 0 : alignment - over
    }

    /// The page to be written.
    func bytes(key: String) -> [UInt8] {
        precondition(key.utf8.count <= StateHeader.keyBytesMax, "the key of a state file is short")
        var fixed = fixed
        fixed.keyCount = UInt64(key.utf8.count)
        var page = unsafe withUnsafeBytes(of: fixed) { unsafe Array($0) } + key.utf8
        page += [UInt8](repeating: 0, count: StateHeader.byteCount - page.count)
        fixed.checksum = unsafe page.withUnsafeBytes { unsafe StateHeader.checksum(fixed, rest: $0) }
        unsafe withUnsafeBytes(of: fixed) { unsafe page.replaceSubrange(..<$0.count, with: $0) }
        return page
    }

    func place(of section: StateSection) -> Place? {
        let place = fixed.places[Int(section.rawValue) - 1]
        return place.section == section.rawValue ? place : nil
    }

    private static func checksum(_ fixed: Fixed, rest: UnsafeRawBufferPointer) -> UInt64 {
        var checksum = Checksum()
        unsafe withUnsafeBytes(of: fixed) { unsafe checksum.add($0) }
        unsafe checksum.add(UnsafeRawBufferPointer(rebasing: rest[MemoryLayout<Fixed>.size...]))
        return checksum.value
    }
}

/// Why a state file, or a section of it, cannot be used.
public enum StateProblem: Error, Hashable, Sendable, CustomStringConvertible {
    case unreadable(FileError)
    case foreign
    case otherVersion
    /// With the key of the file.
    case otherKey(String)
    case cut(byteCount: Int, expected: Int)
    case damaged(StateSection)
    case missing(StateSection)

    public var description: String {
        switch self {
        case .unreadable(let error): error.description
        case .foreign: "it is not a state file"
        case .otherVersion: "another version of the server wrote it"
        case .otherKey(let key): "it was written for another purpose (\(key))"
        case .cut(let count, let expected): "it has \(count) bytes instead of \(expected)"
        case .damaged(let section): "its section '\(section)' is damaged"
        case .missing(let section): "it has no section '\(section)'"
        }
    }

    /// Whether there is no file, as before the first start.
    public var isMissingFile: Bool {
        guard case .unreadable(let error) = self else { return false }
        return error.isMissing
    }

    /// The error, when the process was out of descriptors or memory and the file may be fine.
    public var shortage: SystemError? {
        guard case .unreadable(let error) = self else { return nil }
        return error.shortage
    }
}

/// The checksum of state files. It detects incomplete writes and flipped bits; it does not protect against deliberate changes.
/// A checksum over bytes that are added in pieces. It has four lanes, because multiplications in one lane wait for each other.
struct Checksum {
    private var lanes = SIMD4<UInt64>(
        0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x27D4_EB2F_1656_67C5)
    private var count: UInt64 = 0
    /// The first bytes of the next four words.
    private var rest: [UInt8] = []

    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var checksum = Checksum()
        unsafe checksum.add(bytes)
        return checksum.value
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        count &+= UInt64(bytes.count)
        var bytes = unsafe bytes
        if !rest.isEmpty {
            let missing = unsafe bytes.prefix(32 - rest.count)
            unsafe rest += missing
            unsafe bytes = UnsafeRawBufferPointer(rebasing: bytes[missing.count...])
            if rest.count < 32 { return }
            unsafe rest.withUnsafeBytes { unsafe addBlocks($0) }
            rest = []
        }
        let whole = bytes.count / 32 * 32
        unsafe addBlocks(UnsafeRawBufferPointer(rebasing: bytes[..<whole]))
        unsafe rest += bytes[whole...]
    }

    /// The checksum of everything that was added.
    var value: UInt64 {
        var last = self
        last.rest += [UInt8](repeating: 0, count: 32 - rest.count)
        unsafe last.rest.withUnsafeBytes { unsafe last.addBlocks($0) }
        return (0..<4).reduce(count) { Checksum.mix($0 ^ last.lanes[$1]) }
    }

    private mutating func addBlocks(_ bytes: UnsafeRawBufferPointer) {
        var (first, second, third, fourth) = (lanes[0], lanes[1], lanes[2], lanes[3])
        var offset = 0
        while offset < bytes.count {
            first = unsafe Checksum.mix(first ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &+ 1
            second =
                unsafe Checksum.mix(second ^ bytes.loadUnaligned(fromByteOffset: offset &+ 8, as: UInt64.self)) &+ 2
            third = unsafe Checksum.mix(third ^ bytes.loadUnaligned(fromByteOffset: offset &+ 16, as: UInt64.self)) &+ 3
            fourth =
                unsafe Checksum.mix(fourth ^ bytes.loadUnaligned(fromByteOffset: offset &+ 24, as: UInt64.self)) &+ 4
            offset &+= 32
        }
        lanes = SIMD4(first, second, third, fourth)
    }

    @inline(__always)
    private static func mix(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        return product.high ^ product.low
    }
}
