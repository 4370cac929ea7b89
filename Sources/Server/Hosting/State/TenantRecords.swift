// What a state file contains in addition to the sites: app files with their last good texts, folders, and hosts that need
// attention.

import Catalogue
import Posix

/// The records of a state file. In the changes file, a record without content means that the file or folder no longer exists.
struct TenantRecords {
    /// The program and settings that rendered the sites. For any other, the sites are rendered again from the texts.
    var rendering = ""
    /// Identifies a base; the changes file has the generation of its base.
    var generation: UInt64 = 0
    var apps: [(path: String, record: AppRecord?)] = []
    var folders: [(host: String, record: FolderRecord?)] = []
    /// Hosts to render at the next start, because their findings must be reported again.
    var hostsToRender: Set<String> = []
    var signed: Set<String> = []
    var hostWarnings: [String: AppRecord.WarningCounts] = [:]

    /// Version 1 has no counts.
    private static let formatNumber: UInt64 = 2

    /// The records, and the texts that they refer to.
    func encoded() -> (records: [UInt8], texts: [UInt8]) {
        var writer = RecordWriter()
        var texts: [UInt8] = []
        writer.add(TenantRecords.formatNumber)
        writer.add(rendering)
        writer.add(generation)
        writer.add(hostsToRender.sorted())
        writer.add(signed.sorted())
        writer.add(UInt64(hostWarnings.count))
        for (host, counts) in hostWarnings {
            writer.add(host)
            writer.add(counts.number)
        }
        writer.add(UInt64(apps.count))
        for (path, record) in apps {
            writer.add(path)
            add(record, to: &writer, &texts)
        }
        writer.add(UInt64(folders.count))
        for (host, record) in folders {
            writer.add(host)
            writer.add(record?.wellKnown)
            writer.add(record?.pages)
        }
        return (writer.bytes, texts)
    }

    private func add(_ record: AppRecord?, to writer: inout RecordWriter, _ texts: inout [UInt8]) {
        writer.add(record?.state.rawValue ?? UInt8.max)
        guard let record else { return }
        writer.add(record.warningCounts.number)
        writer.add(UInt8(record.mark == nil ? 0 : 1))
        if let mark = record.mark {
            for number in mark.numbers { writer.add(number) }
        }
        writer.add(UInt8(record.good == nil ? 0 : 1))
        guard let good = record.good else { return }
        let start = texts.count
        unsafe good.text.withBytes { unsafe texts.append(contentsOf: $0) }
        writer.add(UInt64(start))
        writer.add(UInt64(texts.count - start))
        writer.add(good.modified)
        writer.add(good.hosts)
        writer.add(good.otherHosts)
    }

    init() {}

    /// Does not fill in app files and folders.
    init(_ memory: TenantMemory, rendering: String, generation: UInt64) {
        (self.rendering, self.generation) = (rendering, generation)
        (hostsToRender, signed, hostWarnings) = (memory.hostsWithFindings, memory.signed, memory.hostWarnings)
    }

    /// Reads the records of a verified state file.
    init(_ file: StateFile) throws(StateProblem) {
        let textCount = try unsafe file.bytes(.texts).count
        do throws(RecordReader.Failure) {
            var reader = unsafe RecordReader(try TenantRecords.bytes(file))
            let format = try reader.number()
            guard (1...TenantRecords.formatNumber).contains(format) else { throw RecordReader.Failure() }
            rendering = try reader.text()
            generation = try reader.number()
            hostsToRender = Set(try reader.texts())
            signed = Set(try reader.texts())
            for _ in 0..<(format == 1 ? 0 : try reader.count()) {
                let host = try reader.text()
                hostWarnings[host] = AppRecord.WarningCounts(try reader.number())
            }
            for _ in 0..<(try reader.count()) {
                let path = try reader.text()
                apps.append((path, try TenantRecords.app(&reader, file, textCount, format)))
            }
            for _ in 0..<(try reader.count()) {
                let host = try reader.text()
                let record = FolderRecord(wellKnown: try reader.optional(), pages: try reader.optional())
                folders.append((host, record.isEmpty ? nil : record))
            }
            guard reader.isAtEnd else { throw RecordReader.Failure() }
        } catch {
            throw .damaged(.records)
        }
    }

    private static func bytes(_ file: StateFile) throws(RecordReader.Failure) -> UnsafeRawBufferPointer {
        do { return try unsafe file.bytes(.records) } catch { throw RecordReader.Failure() }
    }

    private static func app(
        _ reader: inout RecordReader, _ file: StateFile, _ textCount: Int, _ format: UInt64
    ) throws(RecordReader.Failure) -> AppRecord? {
        let code = try reader.byte()
        if code == UInt8.max { return nil }
        guard let state = AppRecord.State(rawValue: code) else { throw RecordReader.Failure() }
        var record = AppRecord(mark: nil, state: state, good: nil)
        if format > 1 { record.warningCounts = AppRecord.WarningCounts(try reader.number()) }
        if try reader.byte() == 1 {
            var numbers: [UInt64] = []
            for _ in 0..<FileStatus.numberCount { numbers.append(try reader.number()) }
            record.mark = FileStatus(numbers)
        }
        guard try reader.byte() == 1 else { return record }
        guard let start = Int(exactly: try reader.number()), let count = Int(exactly: try reader.number()),
            start <= textCount, count <= textCount - start
        else { throw RecordReader.Failure() }
        record.good = AppRecord.GoodVersion(
            text: .state(file, start..<start + count), modified: try reader.signed(), hosts: try reader.texts(),
            otherHosts: try reader.texts())
        return record
    }
}

extension AppRecord.WarningCounts {
    fileprivate var number: UInt64 { UInt64(warnings) << 16 | UInt64(notes) }

    fileprivate init(_ number: UInt64) {
        self.init()
        (warnings, notes) = (UInt16(truncatingIfNeeded: number >> 16), UInt16(truncatingIfNeeded: number))
    }
}

extension FileStatus {
    static let numberCount = 6

    /// Everything that shows that a file has changed.
    var numbers: [UInt64] {
        [
            device, inode, UInt64(bitPattern: byteCount), UInt64(bitPattern: modifiedNanoseconds),
            UInt64(bitPattern: changedNanoseconds), UInt64(permissions) << 1 | (isRegular ? 1 : 0),
        ]
    }

    fileprivate init(_ numbers: [UInt64]) {
        self.init(
            isRegular: numbers[5] & 1 == 1, permissions: UInt32(truncatingIfNeeded: numbers[5] >> 1),
            device: numbers[0], inode: numbers[1], byteCount: Int64(bitPattern: numbers[2]),
            modifiedNanoseconds: Int64(bitPattern: numbers[3]), changedNanoseconds: Int64(bitPattern: numbers[4]))
    }
}

/// Writes numbers and texts as bytes, for the records in state files.
struct RecordWriter {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ number: UInt64) {
        unsafe withUnsafeBytes(of: number.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    mutating func add(_ number: Int64) { add(UInt64(bitPattern: number)) }

    mutating func add(_ number: UInt64?) {
        bytes.append(number == nil ? 0 : 1)
        if let number { add(number) }
    }

    mutating func add(_ byte: UInt8) { bytes.append(byte) }

    mutating func add(_ text: String) {
        add(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func add(_ texts: some Collection<String>) {
        add(UInt64(texts.count))
        for text in texts { add(text) }
    }
}

/// Reads values from bytes. Trusts nothing: any bytes give either values or an error.
@safe struct RecordReader {
    private var rest: UnsafeRawBufferPointer

    /// The bytes are not valid records.
    struct Failure: Error {}

    /// The bytes must outlive the reader.
    init(_ bytes: UnsafeRawBufferPointer) { unsafe rest = bytes }

    var isAtEnd: Bool { unsafe rest.isEmpty }

    mutating func number() throws(Failure) -> UInt64 {
        unsafe UInt64(littleEndian: try take(8).loadUnaligned(as: UInt64.self))
    }

    mutating func signed() throws(Failure) -> Int64 { Int64(bitPattern: try number()) }

    mutating func byte() throws(Failure) -> UInt8 { try unsafe take(1)[0] }

    mutating func optional() throws(Failure) -> UInt64? { try byte() == 0 ? nil : number() }

    mutating func text() throws(Failure) -> String { unsafe String(decoding: try take(count()), as: UTF8.self) }

    mutating func texts() throws(Failure) -> [String] {
        var texts: [String] = []
        for _ in 0..<(try count()) { texts.append(try text()) }
        return texts
    }

    /// A number of elements, each of at least one byte.
    mutating func count() throws(Failure) -> Int {
        guard let count = Int(exactly: try number()), unsafe count <= rest.count else { throw Failure() }
        return count
    }

    private mutating func take(_ count: Int) throws(Failure) -> UnsafeRawBufferPointer {
        guard unsafe count <= rest.count else { throw Failure() }
        defer { unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
        return unsafe UnsafeRawBufferPointer(rebasing: rest[..<count])
    }
}
