// The cost of deriving a key from a passphrase, which the file of a protected private key states (RFC 5958 §3, RFC 8018). It is
// read before anything is derived, because tenants write these files: two billion rounds occupy a processor for half an hour.
//
// The reader is strict DER. A file that OpenSSL could read but this reader cannot is rejected.

/// The key derivation of a protected private key.
enum KeyDerivation: Hashable, Sendable {
    /// PBKDF2, or one of the older schemes that count rounds.
    case rounds(UInt64)
    case scrypt(n: UInt64, r: UInt64, p: UInt64)

    private static let pbes2Identifier: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0D]
    private static let pbkdf2Identifier: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0C]
    private static let scryptIdentifier: [UInt8] = [0x2B, 0x06, 0x01, 0x04, 0x01, 0xDA, 0x47, 0x04, 0x0B]
    /// 1.2.840.113549.1.5.n (RFC 8018 §A.3) and 1.2.840.113549.1.12.1.n (RFC 7292 Appendix C).
    private static let olderPrefixes: [[UInt8]] = [
        [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05], [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x01],
    ]

    /// Nil if the bytes are not an EncryptedPrivateKeyInfo, or have an unknown derivation.
    init?(_ der: [UInt8]) {
        var file = DERReader(der[...])
        guard var info = file.sequence(), var algorithm = info.sequence(), let kind = algorithm.identifier() else {
            return nil
        }
        if kind == KeyDerivation.pbes2Identifier {
            guard var parameters = algorithm.sequence(), var function = parameters.sequence(),
                let name = function.identifier()
            else { return nil }
            self.init(name, &function)
        } else if KeyDerivation.olderPrefixes.contains(where: { kind.count == $0.count + 1 && kind.starts(with: $0) }) {
            self.init(rounds: &algorithm)
        } else {
            return nil
        }
    }

    private init?(_ name: [UInt8], _ function: inout DERReader) {
        switch name {
        case KeyDerivation.pbkdf2Identifier:
            self.init(rounds: &function)
        case KeyDerivation.scryptIdentifier:
            guard var parameters = function.sequence(), parameters.skip(.octetString), let n = parameters.integer(),
                let r = parameters.integer(), let p = parameters.integer()
            else { return nil }
            self = .scrypt(n: n, r: r, p: p)
        default: return nil
        }
    }

    /// The parameters of these schemes begin with the salt and the number of rounds.
    private init?(rounds reader: inout DERReader) {
        guard var parameters = reader.sequence(), parameters.skip(.octetString), let rounds = parameters.integer()
        else {
            return nil
        }
        self = .rounds(rounds)
    }

    /// Whether it takes no longer than reading an unprotected key.
    var isQuick: Bool {
        switch self {
        case .rounds(let count): count <= CertificateLimits.derivationRoundsQuickMax
        case .scrypt: false
        }
    }

    /// Why it is too expensive; nil if it is not.
    var excess: String? {
        switch self {
        case .rounds(let count):
            return count <= CertificateLimits.derivationRoundsMax
                ? nil
                : "opening the private key takes \(count) rounds of key derivation, but at most "
                    + "\(CertificateLimits.derivationRoundsMax) are allowed"
        case .scrypt(let n, let r, let p):
            let (blocks, isTooLarge) = n.multipliedReportingOverflow(by: r)
            let (work, isTooLong) = blocks.multipliedReportingOverflow(by: p)
            if !isTooLarge, !isTooLong, blocks <= CertificateLimits.scryptMemoryBytesMax / 128,
                work <= CertificateLimits.scryptWorkMax
            {
                return nil
            }
            return
                "opening the private key takes scrypt with N=\(n), r=\(r) and p=\(p), which needs too much memory or time"
        }
    }
}

/// Reads elements of DER one after the other (X.690 §10). Nil if the next element is another one.
private struct DERReader {
    enum Tag: UInt8 {
        case integer = 0x02
        case octetString = 0x04
        case identifier = 0x06
        case sequence = 0x30
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func sequence() -> DERReader? { element(.sequence).map { DERReader($0) } }

    mutating func identifier() -> [UInt8]? { element(.identifier).map { Array($0) } }

    mutating func skip(_ tag: Tag) -> Bool { element(tag) != nil }

    /// An integer of at most 64 bits that is not negative.
    mutating func integer() -> UInt64? {
        guard let bytes = element(.integer), let first = bytes.first, first < 0x80 else { return nil }
        let digits = first == 0 ? bytes.dropFirst() : bytes
        if digits.count > 8 { return nil }
        return digits.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func element(_ tag: Tag) -> ArraySlice<UInt8>? {
        guard rest.popFirst() == tag.rawValue, let first = rest.popFirst() else { return nil }
        var count = Int(first)
        if first >= 0x80 {
            let lengthCount = Int(first & 0x7F)
            guard (1...4).contains(lengthCount), rest.count >= lengthCount else { return nil }
            count = rest.prefix(lengthCount).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(lengthCount)
        }
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
