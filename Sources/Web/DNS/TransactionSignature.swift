// TSIG (RFC 8945): a message between this program and a name server ends with a record that has a code made with a secret that
// both know. The code of an answer also covers that of the request, so an answer belongs to exactly one request. Codes are
// always whole; the shorter ones that the RFC allows are refused.

import TLS

/// A secret that a name server knows under a name.
public struct TransactionKey: Sendable {
    public let name: DomainName
    public let algorithm: Algorithm
    private let secret: [UInt8]

    /// The hash functions, by their names in records and settings (RFC 8945 §6). Those with truncation and those that are older
    /// than SHA-2 are left out.
    public enum Algorithm: String, Hashable, Sendable, CaseIterable {
        case sha256 = "hmac-sha256"
        case sha384 = "hmac-sha384"
        case sha512 = "hmac-sha512"

        fileprivate var messageCode: MessageCode {
            switch self {
            case .sha256: .hs256
            case .sha384: .hs384
            case .sha512: .hs512
            }
        }
    }

    /// Nil if the secret is not in Base64, as name servers show it.
    public init?(name: DomainName, algorithm: Algorithm = .sha256, secret: String) {
        guard let bytes = Base64URL.bytes(secret), !bytes.isEmpty else { return nil }
        (self.name, self.algorithm, self.secret) = (name, algorithm, bytes)
    }

    func code(of bytes: [UInt8]) -> [UInt8] { algorithm.messageCode.code(of: bytes, key: secret) }

    /// A request with its signature, and the code that the signature of the answer covers.
    /// - Parameter now: seconds since 1970.
    func sign(_ request: [UInt8], now: Int64) -> (bytes: [UInt8], code: [UInt8]) {
        let unsigned = TransactionSignature(by: self, signedAt: now, id: DNSMessage.number(request, 0))
        let signature = unsigned.completed(for: request, by: self)
        return (signature.appended(to: request), signature.code)
    }
}

/// The record at the end of a signed message.
struct TransactionSignature: Hashable {
    let keyName: DomainName
    let algorithmName: DomainName
    /// In seconds since 1970.
    let signedAt: Int64
    /// How far the clocks of both sides may differ.
    let toleranceSeconds: Int64
    var code: [UInt8]
    /// Of the message; a forwarding server may have changed the one in the header.
    let id: UInt16
    let error: UInt16
    let other: [UInt8]

    /// The errors that are handled separately (RFC 8945 §3).
    enum Fault {
        static let signature: UInt16 = 16
        static let key: UInt16 = 17
        static let time: UInt16 = 18
    }

    /// The tolerance that RFC 8945 §10 recommends.
    private static let usualToleranceSeconds: Int64 = 300
    private static let typeNumber: UInt16 = 250

    /// Without a code.
    /// - Parameter other: the server's time, for `Fault.time`.
    init(
        by key: TransactionKey, signedAt: Int64, id: UInt16, error: UInt16 = 0, other: [UInt8] = [],
        toleranceSeconds: Int64 = TransactionSignature.usualToleranceSeconds
    ) {
        keyName = key.name
        algorithmName = DomainName(escaped: key.algorithm.rawValue)
        self.toleranceSeconds = toleranceSeconds
        code = []
        (self.signedAt, self.id, self.error, self.other) = (signedAt, id, error, other)
    }

    /// Reads the data of a record.
    private init(_ record: DNSPacketReader.Record, _ reader: DNSPacketReader) throws(DNSMalformation) {
        let (algorithmName, byteCount) = try reader.name(atStartOf: record.data)
        var rest = reader.data(of: record).dropFirst(byteCount)
        func take(_ count: Int) throws(DNSMalformation) -> [UInt8] {
            guard rest.count >= count else { throw DNSMalformation(reason: "its signature is too short") }
            let bytes = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
            return bytes
        }
        func number(_ count: Int) throws(DNSMalformation) -> Int { try take(count).reduce(0) { $0 << 8 | Int($1) } }
        keyName = record.owner
        self.algorithmName = algorithmName
        signedAt = Int64(try number(6))
        toleranceSeconds = Int64(try number(2))
        code = try take(try number(2))
        id = UInt16(try number(2))
        error = UInt16(try number(2))
        other = try take(try number(2))
        guard rest.isEmpty else { throw DNSMalformation(reason: "its signature is too long") }
    }

    /// Splits a packet into the message that was signed and its signature, which is the last record (RFC 8945 §5.1). Nil if the
    /// packet is not signed.
    static func split(
        _ packet: [UInt8]
    ) throws(DNSMalformation) -> (message: [UInt8], signature: TransactionSignature)? {
        typealias Found = (signature: TransactionSignature, start: Int)
        let found = try unsafe packet.withUnsafeBufferPointer { bytes throws(DNSMalformation) -> Found? in
            var reader = try unsafe DNSPacketReader(bytes)
            guard let last = try reader.lastAddition(), last.record.type == typeNumber else { return nil }
            return try (TransactionSignature(last.record, reader), last.start)
        }
        guard let found else { return nil }
        var message = Array(packet[..<found.start])
        message.replaceSubrange(0..<2, with: ResolverState.bytes(found.signature.id))
        message.replaceSubrange(10..<12, with: ResolverState.bytes(DNSMessage.number(packet, 10) - 1))
        return (message, found.signature)
    }

    /// The message with this record at its end.
    func appended(to message: [UInt8]) -> [UInt8] {
        var data = encoded(algorithmName) + time
        data += ResolverState.bytes(UInt16(code.count)) + code
        data += ResolverState.bytes(id) + ending
        var bytes = message + encoded(keyName)
        bytes += ResolverState.bytes(TransactionSignature.typeNumber) + TransactionSignature.classAndLife
        bytes += ResolverState.bytes(UInt16(data.count)) + data
        bytes.replaceSubrange(10..<12, with: ResolverState.bytes(DNSMessage.number(message, 10) + 1))
        return bytes
    }

    /// With its code.
    /// - Parameter requestCode: the code of the request that the message answers; nil for a request.
    func completed(
        for message: [UInt8], by key: TransactionKey, answering requestCode: [UInt8]? = nil
    ) -> TransactionSignature {
        var bytes = requestCode.map { ResolverState.bytes(UInt16($0.count)) + $0 } ?? []
        bytes += message
        // RFC 8945 §4.3.3.
        bytes += encoded(keyName) + TransactionSignature.classAndLife
        bytes += encoded(algorithmName) + time + ending
        var signature = self
        signature.code = key.code(of: bytes)
        return signature
    }

    /// Why this is not the signature of the answer to a request; nil if it is (RFC 8945 §5.3).
    /// - Parameter now: seconds since 1970.
    func objection(
        to message: [UInt8], by key: TransactionKey, answering requestCode: [UInt8], now: Int64
    ) -> UpdateFailure.Kind? {
        // Without the right key the server cannot sign. Forging these two can only prevent the update.
        if code.isEmpty, error == Fault.key { return .unknownKey }
        if code.isEmpty, error == Fault.signature { return .otherSecret }
        let expected = TransactionSignature(
            by: key, signedAt: signedAt, id: id, error: error, other: other, toleranceSeconds: toleranceSeconds
        )
        .completed(for: message, by: key, answering: requestCode)
        guard self == expected else { return .forged }
        if error == Fault.time {
            return .clock(differenceSeconds: other.prefix(6).reduce(0) { $0 << 8 | Int64($1) } - now)
        }
        if error != 0 { return .code(Int(error)) }
        let difference = signedAt - now
        return abs(difference) > toleranceSeconds ? .clock(differenceSeconds: difference) : nil
    }

    /// Class ANY, and no time to live.
    private static let classAndLife: [UInt8] = [0, 255, 0, 0, 0, 0]

    private var time: [UInt8] {
        let seconds = UInt64(clamping: signedAt)
        return stride(from: 40, through: 0, by: -8).map { UInt8(truncatingIfNeeded: seconds >> UInt64($0)) }
            + ResolverState.bytes(UInt16(clamping: toleranceSeconds))
    }

    private var ending: [UInt8] { ResolverState.bytes(error) + ResolverState.bytes(UInt16(other.count)) + other }

    /// A name from a packet may be one that cannot be encoded; then it is not that of a key.
    private func encoded(_ name: DomainName) -> [UInt8] { name.encoded ?? [] }
}
