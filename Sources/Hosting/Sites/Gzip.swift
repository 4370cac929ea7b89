// Compressing documents once, when they are prepared; and looking into what others have compressed.

import CZlib

enum Gzip {
    private static let smallWindowBits: Int32 = 12
    private static let largeWindowBits: Int32 = 15
    /// Tenants choose what is compressed. With noise of two letters level 9 takes 700 ms for 256 KiB, this one 25 ms; HTML, CSS and
    /// scripts take half the time and grow by 0.1 % of their size.
    private static let level: Int32 = 6

    /// The bytes in gzip form (RFC 1952), without a time or a name in its header, so that equal bytes stay equal.
    static func compress(_ bytes: [UInt8]) -> [UInt8] {
        var stream = unsafe z_stream()
        // 16 more bits of window ask for gzip's wrapper instead of zlib's. Documents are small as a rule, and to clear the
        // tables of a large window would take longer than to compress one.
        let isSmall = bytes.count <= 1 << smallWindowBits
        let started = unsafe associated_deflateInit2(
            &stream, level, (isSmall ? smallWindowBits : largeWindowBits) + 16, isSmall ? 6 : 9)
        precondition(started == Z_OK, "zlib is given parameters that it knows")
        defer { unsafe deflateEnd(&stream) }
        var compressed = unsafe [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
        var input = bytes
        let result = unsafe input.withUnsafeMutableBufferPointer { source in
            unsafe compressed.withUnsafeMutableBufferPointer { target in
                unsafe stream.next_in = source.baseAddress
                unsafe stream.avail_in = UInt32(source.count)
                unsafe stream.next_out = target.baseAddress
                unsafe stream.avail_out = UInt32(target.count)
                return unsafe deflate(&stream, Z_FINISH)
            }
        }
        precondition(result == Z_STREAM_END, "deflateBound is room enough")
        unsafe compressed.removeSubrange(Int(stream.total_out)...)
        return compressed
    }

    /// The first bytes of what is packed; fewer where it ends, or is no gzip form.
    static func start(of packed: [UInt8], bytesMax: Int) -> [UInt8] { unpack(packed, bytesMax: bytesMax).bytes }

    /// Whether bytes in gzip form stand for these, and for nothing more.
    static func unpacks(_ packed: [UInt8], to bytes: [UInt8]) -> Bool {
        // One more, so that a longer text shows.
        let unpacked = unpack(packed, bytesMax: bytes.count + 1)
        return unpacked.isWhole && unpacked.bytes == bytes
    }

    private static func unpack(_ packed: [UInt8], bytesMax: Int) -> (bytes: [UInt8], isWhole: Bool) {
        var stream = unsafe z_stream()
        guard unsafe associated_inflateInit2(&stream, largeWindowBits + 16) == Z_OK else { return ([], false) }
        defer { unsafe inflateEnd(&stream) }
        var unpacked = [UInt8](repeating: 0, count: bytesMax)
        var input = packed
        let result = unsafe input.withUnsafeMutableBufferPointer { source in
            unsafe unpacked.withUnsafeMutableBufferPointer { target in
                unsafe stream.next_in = source.baseAddress
                unsafe stream.avail_in = UInt32(source.count)
                unsafe stream.next_out = target.baseAddress
                unsafe stream.avail_out = UInt32(target.count)
                return unsafe inflate(&stream, Z_SYNC_FLUSH)
            }
        }
        unsafe unpacked.removeSubrange(Int(stream.total_out)...)
        return unsafe (unpacked, result == Z_STREAM_END && stream.avail_in == 0)
    }
}
