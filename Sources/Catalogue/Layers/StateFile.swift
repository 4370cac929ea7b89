// A file that keeps what was made for the next start: sections of plain bytes behind a header that tells which program
// wrote it, under which settings, and whether all of it is there. It is mapped, not read: a start looks at what it needs.
// What the bytes of a section mean is the business of whoever wrote them.

public import Posix

/// The sections of a state file.
public enum StateSection: UInt64, Sendable, CaseIterable {
    /// A layer of the catalogue.
    case layer = 1
    /// What was read to make it: files, folders and hosts.
    case records
    /// The last good text of what was read.
    case texts
}

/// A state file, mapped. It is never changed, but replaced.
public final class StateFile: @unchecked Sendable {
    private let file: OpenFile
    private let mapping: Mapping
    private let header: StateHeader

    /// Pieces in which a section is read to verify it.
    private static let pieceBytes = 256 * 1024

    /// Maps a file that was written under the same key. Its header is checked; its sections are when they are verified.
    public init(_ path: String, key: String) throws(StateProblem) {
        do throws(FileError) { file = try OpenFile(path) } catch { throw .unreadable(error) }
        guard file.byteCount >= StateHeader.byteCount else { throw .foreign }
        do throws(SystemError) { mapping = try Mapping(file) } catch { throw .unreadable(.system(error)) }
        let start = unsafe UnsafeRawBufferPointer(rebasing: mapping.bytes[..<StateHeader.byteCount])
        header = try unsafe StateHeader(reading: start, key: key, fileByteCount: file.byteCount)
    }

    /// Writes a file of this name, in place of what is there: a layer, and the other sections, each in parts that follow
    /// each other. The caller keeps their bytes alive meanwhile.
    public static func write(
        _ name: String, in folder: String, key: String, layer: CatalogueLayer,
        _ others: [(section: StateSection, parts: [UnsafeRawBufferPointer])] = unsafe []
    ) throws(SystemError) {
        try unsafe draft(of: name, in: folder, key: key, layer: layer, others).putInPlace()
    }

    /// The same beside its place, for a file that takes a while.
    public static func draft(
        of name: String, in folder: String, key: String, layer: CatalogueLayer,
        _ others: [(section: StateSection, parts: [UnsafeRawBufferPointer])] = unsafe []
    ) throws(SystemError) -> FileDraft {
        defer { withExtendedLifetime(layer) {} }
        let sections = unsafe [(section: StateSection.layer, parts: [layer.bytes])] + others
        var header = StateHeader()
        unsafe sections.forEach { unsafe header.add($0, $1) }
        // The page, and zeros for the gaps between sections.
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

    /// Where a section lies. The bytes last as long as this does.
    public func bytes(_ section: StateSection) throws(StateProblem) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(try mutableBytes(section))
    }

    func mutableBytes(_ section: StateSection) throws(StateProblem) -> UnsafeMutableRawBufferPointer {
        guard let place = header.place(of: section) else { throw .missing(section) }
        let start = Int(place.offset)
        return unsafe UnsafeMutableRawBufferPointer(rebasing: mapping.bytes[start..<start + Int(place.count)])
    }

    /// Whether the bytes are those that were written. The file is read for it, so that what nobody looks at later does not
    /// stay in memory.
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
        fixed = unsafe bytes.loadUnaligned(as: Fixed.self)
        guard fixed.magic == StateHeader.magic else { throw .foreign }
        // A layer of another form is refused when it is mapped: the rest of the file may be of use without it.
        guard fixed.version == StateHeader.version else { throw .otherVersion }
        var expected = fixed
        expected.checksum = 0
        guard unsafe StateHeader.checksum(expected, rest: bytes) == fixed.checksum else { throw .foreign }
        guard fixed.byteCount == UInt64(fileByteCount) else {
            throw .cut(byteCount: fileByteCount, expected: Int(clamping: fixed.byteCount))
        }
        let known = unsafe bytes[MemoryLayout<Fixed>.size...].prefix(Int(clamping: fixed.keyCount))
        guard unsafe known.elementsEqual(key.utf8) else { throw .otherKey }
        for place in [fixed.first, fixed.second, fixed.third] where place.section != 0 {
            let end = place.offset.addingReportingOverflow(place.count)
            guard !end.overflow, end.partialValue <= fixed.byteCount, place.offset % UInt64(StateHeader.alignment) == 0
            else { throw .foreign }
        }
    }

    /// Adds a section that is made of parts, behind those that are there.
    mutating func add(_ section: StateSection, _ parts: [UnsafeRawBufferPointer]) {
        var checksum = Checksum()
        unsafe parts.forEach { unsafe checksum.add($0) }
        let count = unsafe parts.reduce(0) { $0 + $1.count }
        let place = Place(
            section: section.rawValue, offset: fixed.byteCount, count: UInt64(count), checksum: checksum.value)
        switch section {
        case .layer: fixed.first = place
        case .records: fixed.second = place
        case .texts: fixed.third = place
        }
        unsafe fixed.byteCount += UInt64(count + StateHeader.gap(behind: parts))
    }

    /// How many bytes stand between a section and the next.
    static func gap(behind parts: [UnsafeRawBufferPointer]) -> Int {
        let over = unsafe parts.reduce(0) { $0 + $1.count } % alignment
        return over == 0 ? 0 : alignment - over
    }

    /// The page to be written.
    func bytes(key: String) -> [UInt8] {
        precondition(key.utf8.count <= StateHeader.keyBytesMax, "a key says which settings count, not all of them")
        var fixed = fixed
        fixed.keyCount = UInt64(key.utf8.count)
        var page = unsafe withUnsafeBytes(of: fixed) { unsafe Array($0) } + key.utf8
        page += [UInt8](repeating: 0, count: StateHeader.byteCount - page.count)
        fixed.checksum = unsafe page.withUnsafeBytes { unsafe StateHeader.checksum(fixed, rest: $0) }
        unsafe withUnsafeBytes(of: fixed) { unsafe page.replaceSubrange(..<$0.count, with: $0) }
        return page
    }

    func place(of section: StateSection) -> Place? {
        [fixed.first, fixed.second, fixed.third].first { $0.section == section.rawValue }
    }

    private static func checksum(_ fixed: Fixed, rest: UnsafeRawBufferPointer) -> UInt64 {
        var checksum = Checksum()
        unsafe withUnsafeBytes(of: fixed) { unsafe checksum.add($0) }
        unsafe checksum.add(UnsafeRawBufferPointer(rebasing: rest[MemoryLayout<Fixed>.size...]))
        return checksum.value
    }
}

/// Why a state file, or a part of it, is not used.
public enum StateProblem: Error, Hashable, Sendable, CustomStringConvertible {
    case unreadable(FileError)
    case foreign
    case otherVersion
    case otherKey
    case cut(byteCount: Int, expected: Int)
    case damaged(StateSection)
    case missing(StateSection)

    public var description: String {
        switch self {
        case .unreadable(let error): error.description
        case .foreign: "it is no state file"
        case .otherVersion: "another version of the server wrote it"
        case .otherKey: "it was written under other settings"
        case .cut(let count, let expected): "it has \(count) bytes instead of \(expected)"
        case .damaged(let section): "its section \(section) is damaged"
        case .missing(let section): "it has no section \(section)"
        }
    }

    /// There is no such file, as before the first start.
    public var isMissingFile: Bool {
        guard case .unreadable(let error) = self else { return false }
        return error.isMissing
    }

    /// What the kernel said, when it was short of something and the file may be as good as ever.
    public var shortage: SystemError? {
        guard case .unreadable(let error) = self else { return nil }
        return error.shortage
    }
}
