// A private key as a JSON Web Key (RFC 7517, RFC 7518 §6), the form in which some clients keep their account key. Its numbers are
// encoded in DER (RFC 8017 A.1.2, RFC 5915 §3), which OpenSSL decodes and checks like the key of any other file.

import SourceJSON
import TLS

/// Why a JSON Web Key cannot be used.
struct WebKeyProblem: Error, Hashable, Sendable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Reads a private key from JSON.
enum PrivateWebKey {
    /// A key has ten members, and its client may have added some.
    private static let limits = SourceLimits(depth: 8, bytes: 64 * 1_024, numberBytes: 40, values: 100, problems: 10)
    /// RSA with 8,192 bits. Longer numbers would need another form of length below.
    private static let numberBytesMax = 1_024

    /// The names of the numbers of a key for RSA, in the order of their DER form.
    private static let numbersOfRSA = ["n", "e", "d", "p", "q", "dp", "dq", "qi"]

    /// The encoded object identifier of each curve, and the length of a number on it.
    private static let curves: [String: (identifier: [UInt8], bytes: Int)] = [
        "P-256": ([0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07], 32),
        "P-384": ([0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22], 48),
    ]

    /// The key in DER, as `SigningKey` reads it.
    static func der(_ text: [UInt8]) throws(WebKeyProblem) -> [UInt8] {
        let document = SourceReader.read(text, as: .json, limits: limits)
        guard document.isAcceptable, let object = document.value, object.asObject != nil else {
            throw WebKeyProblem("it is not a JSON object")
        }
        switch object.member(named: "kty")?.asString {
        case "RSA":
            var content = integer([0])
            for name in numbersOfRSA { content += integer(try number(name, of: object)) }
            return tagged(0x30, content)
        case "EC":
            let name = object.member(named: "crv")?.asString ?? ""
            guard let curve = curves[name] else {
                throw WebKeyProblem("its curve is \"\(name)\"; only P-256 and P-384 are supported")
            }
            let (x, y) = (
                try number("x", of: object, bytes: curve.bytes), try number("y", of: object, bytes: curve.bytes)
            )
            let secret = tagged(0x04, try number("d", of: object, bytes: curve.bytes))
            let point = tagged(0x03, [0, 4] + x + y)
            return tagged(0x30, integer([1]) + secret + tagged(0xA0, curve.identifier) + tagged(0xA1, point))
        case nil: throw WebKeyProblem("it has no `kty`, so it is not a JSON Web Key")
        case let kind?: throw WebKeyProblem("its type is \"\(kind)\"; only RSA and EC are supported")
        }
    }

    /// - Parameter count: pads the number with leading zeros to this length, which it must not exceed.
    private static func number(
        _ name: String, of object: SourceValue, bytes count: Int? = nil
    ) throws(WebKeyProblem) -> [UInt8] {
        guard let text = object.member(named: name)?.asString else {
            throw WebKeyProblem("it has no `\(name)`, so it is not a whole private key")
        }
        guard let bytes = Base64URL.bytes(text), !bytes.isEmpty, bytes.count <= count ?? numberBytesMax else {
            throw WebKeyProblem("its `\(name)` is not a number of such a key")
        }
        return [UInt8](repeating: 0, count: max(0, (count ?? 0) - bytes.count)) + bytes
    }

    /// A number that is not negative, in as few bytes as possible.
    private static func integer(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array(bytes.drop { $0 == 0 })
        let isSigned = digits.first.map { $0 >= 0x80 } ?? true
        return tagged(0x02, isSigned ? [0] + digits : digits)
    }

    private static func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let (high, low) = (UInt8(content.count >> 8), UInt8(content.count & 0xFF))
        let length: [UInt8] =
            switch content.count {
            case ..<0x80: [low]
            case ..<0x100: [0x81, low]
            default: [0x82, high, low]
            }
        return [tag] + length + content
    }
}
