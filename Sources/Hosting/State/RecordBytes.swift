// Numbers and texts as bytes, for the records in state files. The reader trusts nothing: any bytes give either values or an
// error.

/// Writes values as bytes.
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

/// Reads values from bytes.
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
