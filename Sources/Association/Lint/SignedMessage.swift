// Recognises a CMS (PKCS #7) signed message by its first bytes, without decoding it.

/// Tells a signed file from a plain one.
enum SignedMessage {
    /// DER or BER: a sequence whose first element is the object identifier of signed data (RFC 5652 §5.1).
    static func isSigned(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 2, bytes[0] == 0x30 else { return false }
        // Definite short, definite long with up to four bytes, or indefinite length (X.690 §8.1.3).
        let first = bytes[1]
        let lengthBytes = first < 0x80 ? 1 : 1 + Int(first & 0x7F)
        guard lengthBytes <= 5 else { return false }
        return bytes.dropFirst(1 + lengthBytes).starts(with: signedData)
    }

    /// Whether the outermost length goes beyond the file; one of indefinite length ends with two zero bytes.
    static func isCutOff(_ bytes: [UInt8]) -> Bool {
        guard isSigned(bytes) else { return false }
        let first = bytes[1]
        if first == 0x80 { return !bytes.suffix(2).elementsEqual([0, 0]) }
        if first < 0x80 { return bytes.count < 2 + Int(first) }
        let lengthBytes = bytes.dropFirst(2).prefix(Int(first & 0x7F))
        return bytes.count < 2 + lengthBytes.count + lengthBytes.reduce(0) { $0 << 8 | Int($1) }
    }

    /// 1.2.840.113549.1.7.2 with its tag and length.
    private static let signedData: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
}
