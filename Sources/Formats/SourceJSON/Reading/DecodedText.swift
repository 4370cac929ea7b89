// From the bytes of a file to UTF-8 text. What cannot be decoded becomes U+FFFD, so later steps can rely on well-formed UTF-8.
// Each replacement is recorded, because it is an error and not a fix.

/// The text of a file as well-formed UTF-8 without its byte order mark.
struct DecodedText {
    var bytes: [UInt8]
    var encoding: SourceEncoding
    var hasByteOrderMark: Bool
    /// The offset in `bytes` of each U+FFFD that replaces undecodable bytes, in order; at most `problemsMax`.
    var replacements: [Int]

    init(_ source: [UInt8], problemsMax: Int) {
        let (encoding, markBytes) = SourceEncoding.detect(source)
        self.encoding = encoding
        hasByteOrderMark = markBytes > 0
        replacements = []
        switch encoding {
        case .utf8:
            bytes = markBytes > 0 ? Array(source[markBytes...]) : source
            if !Self.isWellFormed(bytes) { transcode(bytes, from: UTF8.self, problemsMax) }
        case .utf16LittleEndian, .utf16BigEndian:
            bytes = []
            let units = Self.units(source[markBytes...], width: 2, isLittle: encoding == .utf16LittleEndian)
            transcode(units.map(UInt16.init(truncatingIfNeeded:)), from: UTF16.self, problemsMax)
        case .utf32LittleEndian, .utf32BigEndian:
            bytes = []
            let units = Self.units(source[markBytes...], width: 4, isLittle: encoding == .utf32LittleEndian)
            transcode(units, from: UTF32.self, problemsMax)
        }
    }

    private static func isWellFormed(_ bytes: [UInt8]) -> Bool {
        (try? UTF8Span(validating: bytes.span)) != nil
    }

    /// Code units of `width` bytes each; an incomplete last one becomes a value that no encoding allows.
    private static func units(_ bytes: ArraySlice<UInt8>, width: Int, isLittle: Bool) -> [UInt32] {
        var units: [UInt32] = []
        units.reserveCapacity(bytes.count / width + 1)
        var index = bytes.startIndex
        while bytes.endIndex - index >= width {
            var unit: UInt32 = 0
            for place in 0..<width {
                unit = unit << 8 | UInt32(bytes[isLittle ? index + width - 1 - place : index + place])
            }
            units.append(unit)
            index += width
        }
        if index < bytes.endIndex { units.append(0xD800) }
        return units
    }

    private mutating func transcode<Codec: UnicodeCodec>(
        _ units: [Codec.CodeUnit], from codec: Codec.Type, _ problemsMax: Int
    ) {
        var decoder = Codec()
        var iterator = units.makeIterator()
        var decoded: [UInt8] = []
        decoded.reserveCapacity(units.count)
        decoding: while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar): decoded.append(scalar)
            case .error:
                if replacements.count < problemsMax { replacements.append(decoded.count) }
                decoded.append("\u{FFFD}" as Unicode.Scalar)
            case .emptyInput: break decoding
            }
        }
        bytes = decoded
    }
}

extension [UInt8] {
    mutating func append(_ scalar: Unicode.Scalar) {
        UTF8.encode(scalar) { append($0) }
    }
}

/// A Unicode encoding form.
enum SourceEncoding: String, CaseIterable {
    case utf8 = "UTF-8"
    case utf16LittleEndian = "UTF-16 (little endian)"
    case utf16BigEndian = "UTF-16 (big endian)"
    case utf32LittleEndian = "UTF-32 (little endian)"
    case utf32BigEndian = "UTF-32 (big endian)"

    /// The encoding of these bytes and the length of their byte order mark, 0 if there is none.
    ///
    /// Without a mark, the zero bytes show the encoding, as in the table of RFC 4627 §3: a JSON text begins with two ASCII
    /// characters (or is one), and no UTF-8 JSON text has a zero byte.
    static func detect(_ bytes: [UInt8]) -> (encoding: SourceEncoding, markBytes: Int) {
        func begins(_ prefix: UInt8...) -> Bool { bytes.starts(with: prefix) }
        if begins(0xEF, 0xBB, 0xBF) { return (.utf8, 3) }
        if begins(0xFF, 0xFE, 0x00, 0x00) { return (.utf32LittleEndian, 4) }
        if begins(0x00, 0x00, 0xFE, 0xFF) { return (.utf32BigEndian, 4) }
        if begins(0xFF, 0xFE) { return (.utf16LittleEndian, 2) }
        if begins(0xFE, 0xFF) { return (.utf16BigEndian, 2) }
        let isZero = bytes.prefix(4).map { $0 == 0 }
        switch isZero {
        case [false, true, true, true]: return (.utf32LittleEndian, 0)
        case [true, true, true, false]: return (.utf32BigEndian, 0)
        case [false, true, false, true]: return (.utf16LittleEndian, 0)
        case [true, false, true, false]: return (.utf16BigEndian, 0)
        case [false, true]: return (.utf16LittleEndian, 0)
        case [true, false]: return (.utf16BigEndian, 0)
        default: return (.utf8, 0)
        }
    }
}
