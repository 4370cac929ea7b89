// Certificates in DER, alone, in PEM or in a JAR signature, which is a CMS message (RFC 5652). Only their places are looked at, because a
// fingerprint is the digest of the bytes; so this needs no library for certificates.

import TLS

enum CertificateFile {
    /// The certificates of a file in PEM or DER.
    static func certificates(in bytes: [UInt8]) throws(SigningProblem) -> [[UInt8]] {
        if bytes.starts(with: [0xFE, 0xED, 0xFE, 0xED]) { throw keystore }
        if bytes.first == 0x30 {
            let elements = try DERElement.list(bytes[...])
            // The digest is that of one certificate and nothing else.
            guard elements.count == 1 else { throw .damaged("a certificate in it") }
            let inner = try elements[0].inner()
            switch inner.first?.tag {
            case DERElement.integer: throw keystore
            // The signed part, the algorithm and the signature.
            case DERElement.sequence where inner.map(\.tag) == [0x30, 0x30, 3]: return [bytes]
            default: throw .noApp
            }
        }
        let found = pem(String(decoding: bytes, as: UTF8.self))
        if found.isEmpty { throw .noApp }
        return try found.map { der throws(SigningProblem) in
            guard let der, try certificates(in: der).count == 1 else { throw .damaged("a certificate in it") }
            return der
        }
    }

    private static let keystore = SigningProblem(
        "it is a keystore; export the certificate with `keytool -exportcert -rfc -keystore FILE -alias ALIAS`, and name that file"
    )

    /// Nil for a certificate that is not in Base64.
    private static func pem(_ text: String) -> [[UInt8]?] {
        var (found, body): ([[UInt8]?], String?) = ([], nil)
        for line in text.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("-----BEGIN CERTIFICATE-----") {
                body = ""
            } else if line.hasPrefix("-----END CERTIFICATE-----"), let whole = body {
                found.append(Base64URL.bytes(whole).flatMap { $0.first == 0x30 ? $0 : nil })
                body = nil
            } else {
                body?.append(contentsOf: line.filter { !$0.isWhitespace })
            }
        }
        return found
    }
}

enum JARSignature {
    /// The certificate of the first signer of a CMS message.
    static func signer(in message: [UInt8]) throws(SigningProblem) -> [UInt8] {
        let damage = SigningProblem.damaged("its JAR signature")
        guard let content = try DERElement.list(message[...]).first?.inner().last?.inner().first?.inner(),
            let certificates = try content.first(where: { $0.tag == 0xA0 })?.inner(),
            let signers = try content.last(where: { $0.tag == 0x31 })?.inner(),
            let name = try signers.first?.inner().dropFirst().first?.inner(), name.count == 2
        else { throw damage }
        for certificate in certificates where certificate.tag == DERElement.sequence {
            // The version, the serial number, the algorithm, the issuer and so on; version 1 is not written.
            let fields = try certificate.inner().first?.inner().drop { $0.tag == 0xA0 } ?? []
            let (serial, issuer) = (fields.first, fields.dropFirst(2).first)
            if issuer?.whole == name[0].whole, serial?.whole == name[1].whole { return Array(certificate.whole) }
        }
        throw damage
    }
}

/// An element of DER, by its place.
struct DERElement {
    let tag: UInt8
    let whole: ArraySlice<UInt8>
    let content: ArraySlice<UInt8>

    static let integer: UInt8 = 2
    static let sequence: UInt8 = 0x30

    /// The elements in its content.
    func inner() throws(SigningProblem) -> [DERElement] { try DERElement.list(content) }

    static func list(_ bytes: ArraySlice<UInt8>) throws(SigningProblem) -> [DERElement] {
        var elements: [DERElement] = []
        var reader = ByteReader(bytes, "a certificate in it")
        while !reader.isEmpty {
            let start = reader.rest.startIndex
            let head = Array(try reader.bytes(2))
            var count = Int(head[1])
            if count >= 0x80 {
                // Four bytes are enough for any length here. A length that comes at the end (0x80) is no DER.
                guard (0x81...0x84).contains(count) else { throw .damaged("a certificate in it") }
                count = try reader.bytes(count - 0x80).reduce(0) { $0 << 8 | Int($1) }
            }
            let content = try reader.bytes(count)
            elements.append(DERElement(tag: head[0], whole: bytes[start..<content.endIndex], content: content))
        }
        return elements
    }
}
