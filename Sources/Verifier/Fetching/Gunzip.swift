// Bodies in gzip form, as a verifier would take them apart.

import CZlib

enum Gunzip {
    /// The bytes in plain form; nil where they are not gzip (RFC 1952) or more than `bytesMax`.
    static func expand(_ bytes: [UInt8], bytesMax: Int) -> [UInt8]? {
        var stream = z_stream()
        // 15 bits of window, and 16 to ask for gzip's wrapper and no other.
        guard associated_inflateInit2(&stream, 15 + 16) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        var plain: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 65_536)
        var input = bytes
        let isWhole = input.withUnsafeMutableBufferPointer { source in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(source.count)
            while plain.count <= bytesMax {
                let result = room.withUnsafeMutableBufferPointer { target in
                    stream.next_out = target.baseAddress
                    stream.avail_out = UInt32(target.count)
                    return inflate(&stream, Z_NO_FLUSH)
                }
                plain += room[..<(room.count - Int(stream.avail_out))]
                if result == Z_STREAM_END { return true }
                if result != Z_OK || stream.avail_in == 0 && stream.avail_out > 0 { return false }
            }
            return false
        }
        return isWhole && plain.count <= bytesMax ? plain : nil
    }
}
