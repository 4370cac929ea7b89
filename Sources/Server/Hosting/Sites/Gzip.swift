// Compresses documents when they are prepared, and checks gzip files of tenants.

import CZlib

enum Gzip {
    private static let smallWindowBits: Int32 = 12
    private static let largeWindowBits: Int32 = 15
    /// Tenants choose what is compressed. Random text of two letters takes 700 ms for 256 KiB at level 9 and 25 ms at this one;
    /// HTML, CSS and scripts take half the time and are 0.1 % larger.
    private static let level: Int32 = 6

    /// The bytes in gzip form (RFC 1952). The header has neither a time nor a name, so equal bytes give equal results.
    static func compress(_ bytes: [UInt8]) -> [UInt8] {
        var stream = unsafe z_stream()
        // 16 more window bits select gzip's format instead of zlib's. Most documents are small, and clearing the tables of a
        // large window would take longer than compressing one.
        let isSmall = bytes.count <= 1 << smallWindowBits
        let started = unsafe associated_deflateInit2(
            &stream, level, (isSmall ? smallWindowBits : largeWindowBits) + 16, isSmall ? 6 : 9)
        precondition(started == Z_OK, "zlib is given parameters that it knows")
        defer { unsafe deflateEnd(&stream) }
        let bytesMax = unsafe Int(deflateBound(&stream, UInt(bytes.count)))
        let (compressed, result) = unsafe run(&stream, bytes, bytesMax: bytesMax) { unsafe deflate($0, Z_FINISH) }
        precondition(result == Z_STREAM_END, "deflateBound is room enough")
        return compressed
    }

    private static func run(
        _ stream: inout z_stream, _ bytes: [UInt8], bytesMax: Int, _ step: (UnsafeMutablePointer<z_stream>) -> Int32
    ) -> (output: [UInt8], result: Int32) {
        var (input, output) = (bytes, [UInt8](repeating: 0, count: bytesMax))
        let result = unsafe input.withUnsafeMutableBufferPointer { source in
            unsafe output.withUnsafeMutableBufferPointer { target in
                unsafe stream.next_in = source.baseAddress
                unsafe stream.avail_in = UInt32(source.count)
                unsafe stream.next_out = target.baseAddress
                unsafe stream.avail_out = UInt32(target.count)
                return unsafe step(&stream)
            }
        }
        unsafe output.removeSubrange(Int(stream.total_out)...)
        return (output, result)
    }

    /// The first uncompressed bytes; fewer if the data ends or is not gzip.
    static func start(of packed: [UInt8], bytesMax: Int) -> [UInt8] { unpack(packed, bytesMax: bytesMax).bytes }

    /// Whether gzip data unpacks to exactly these bytes.
    static func unpacks(_ packed: [UInt8], to bytes: [UInt8]) -> Bool {
        // One more byte, to detect longer content.
        let unpacked = unpack(packed, bytesMax: bytes.count + 1)
        return unpacked.isWhole && unpacked.bytes == bytes
    }

    private static func unpack(_ packed: [UInt8], bytesMax: Int) -> (bytes: [UInt8], isWhole: Bool) {
        var stream = unsafe z_stream()
        guard unsafe associated_inflateInit2(&stream, largeWindowBits + 16) == Z_OK else { return ([], false) }
        defer { unsafe inflateEnd(&stream) }
        let (unpacked, result) = unsafe run(&stream, packed, bytesMax: bytesMax) { unsafe inflate($0, Z_SYNC_FLUSH) }
        return unsafe (unpacked, result == Z_STREAM_END && stream.avail_in == 0)
    }
}
