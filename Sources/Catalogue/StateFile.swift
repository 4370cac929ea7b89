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
        let start = UnsafeRawBufferPointer(rebasing: mapping.bytes[..<StateHeader.byteCount])
        header = try StateHeader(reading: start, key: key, fileByteCount: file.byteCount)
    }

    /// Writes a file of this name, in place of what is there: a layer, and the other sections, each in parts that follow
    /// each other. The caller keeps their bytes alive meanwhile.
    public static func write(
        _ name: String, in folder: String, key: String, layer: CatalogueLayer,
        _ others: [(section: StateSection, parts: [UnsafeRawBufferPointer])] = []
    ) throws(SystemError) {
        try draft(of: name, in: folder, key: key, layer: layer, others).putInPlace()
    }

    /// The same beside its place, for a file that takes a while.
    public static func draft(
        of name: String, in folder: String, key: String, layer: CatalogueLayer,
        _ others: [(section: StateSection, parts: [UnsafeRawBufferPointer])] = []
    ) throws(SystemError) -> FileDraft {
        defer { withExtendedLifetime(layer) {} }
        let sections = [(section: StateSection.layer, parts: [layer.bytes])] + others
        var header = StateHeader()
        for (section, parts) in sections { header.add(section, parts) }
        // The page, and zeros for the gaps between sections.
        let page = UnsafeMutableRawBufferPointer.allocate(
            byteCount: StateHeader.byteCount + StateHeader.alignment, alignment: 64)
        defer { page.deallocate() }
        page.copyBytes(from: header.bytes(key: key) + [UInt8](repeating: 0, count: StateHeader.alignment))
        var all = [UnsafeRawBufferPointer(rebasing: page[..<StateHeader.byteCount])]
        for (_, parts) in sections {
            all += parts
            let gap = page[StateHeader.byteCount...].prefix(StateHeader.gap(behind: parts))
            all.append(UnsafeRawBufferPointer(rebasing: gap))
        }
        return try FileDraft.write(name, in: folder, all, permissions: 0o600)
    }

    /// Where a section lies. The bytes last as long as this does.
    public func bytes(_ section: StateSection) throws(StateProblem) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(try mutableBytes(section))
    }

    func mutableBytes(_ section: StateSection) throws(StateProblem) -> UnsafeMutableRawBufferPointer {
        guard let place = header.place(of: section) else { throw .missing(section) }
        let start = Int(place.offset)
        return UnsafeMutableRawBufferPointer(rebasing: mapping.bytes[start..<start + Int(place.count)])
    }

    /// Whether the bytes are those that were written. The file is read for it, so that what nobody looks at later does not
    /// stay in memory.
    public func verify(_ section: StateSection) throws(StateProblem) {
        guard let place = header.place(of: section) else { throw .missing(section) }
        var checksum = Checksum()
        var offset = Int(place.offset)
        let end = offset + Int(place.count)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: StateFile.pieceBytes, alignment: 64)
        defer { buffer.deallocate() }
        while offset < end {
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, end - offset)])
            let outcome = receive(file: file.number, from: offset, into: piece)
            if case .failed(let number) = outcome, case let error = SystemError(call: "pread", number: number),
                error.isShortage
            {
                throw .unreadable(.system(error))
            }
            guard case .moved(let count) = outcome else { throw .damaged(section) }
            checksum.add(UnsafeRawBufferPointer(rebasing: piece[..<count]))
            offset += count
        }
        guard checksum.value == place.checksum else { throw .damaged(section) }
    }
}
