// Bytes of a file to UTF-8 text. What cannot be decoded becomes U+FFFD, so that everything after this step may rely on
// well-formed UTF-8; where that happened is remembered, because a replaced character is an error, not a repair.

/// The text of a file as well-formed UTF-8 without its byte order mark.
struct DecodedText {
    var bytes: [UInt8]
    var encoding: SourceEncoding
    var hasByteOrderMark: Bool
    /// Offsets in `bytes` of each U+FFFD that stands for something undecodable, in order; as many as `problemsMax`.
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

    /// Code units of `width` bytes each; a last one that is cut short is filled up with a value no encoding allows.
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
    /// Appends a scalar as UTF-8.
    mutating func append(_ scalar: Unicode.Scalar) {
        UTF8.encode(scalar) { append($0) }
    }
}
