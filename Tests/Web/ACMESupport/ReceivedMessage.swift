// A signed message as an authority reads it. OpenSSL verifies the signature.

import COpenSSL
import SourceJSON

@testable import ACME
@testable import TLS

/// A flattened JSON Web Signature. Missing and invalid parts are empty.
struct ReceivedMessage {
    let payload: [UInt8]
    let signature: [UInt8]
    let signedBytes: [UInt8]
    private let protected: SourceValue

    init(_ bytes: [UInt8]) {
        let message = SourceReader.read(bytes, as: .json).value ?? .null
        func text(_ name: String) -> String { message.member(named: name)?.asString ?? "" }
        payload = Base64URL.bytes(text("payload")) ?? []
        signature = Base64URL.bytes(text("signature")) ?? []
        signedBytes = Array("\(text("protected")).\(text("payload"))".utf8)
        protected = SourceReader.read(Base64URL.bytes(text("protected")) ?? [], as: .json).value ?? .null
    }

    func head(_ name: String) -> String? { protected.member(named: name)?.asString }

    /// The thumbprint of the key in the header.
    var thumbprint: String? { protected.member(named: "jwk").map(AccountKey.thumbprint) }

    var object: SourceValue { SourceReader.read(payload, as: .json).value ?? .null }

    func isSigned(by key: SigningKey) -> Bool {
        defer { OpenSSLFailure.forget() }
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var signature = signature
        var method = EVP_sha256()
        switch key.publicNumbers {
        case .p256: signature = ReceivedMessage.der(of: signature)
        case .p384: (signature, method) = (ReceivedMessage.der(of: signature), EVP_sha384())
        case .rsa: break
        }
        return EVP_DigestVerifyInit(context, nil, method, nil, key.key.pointer) == 1
            && EVP_DigestVerify(context, signature, signature.count, signedBytes, signedBytes.count) == 1
    }

    private static func der(of raw: [UInt8]) -> [UInt8] {
        let signature = ECDSA_SIG_new()
        defer { ECDSA_SIG_free(signature) }
        guard raw.count == 64 || raw.count == 96 else { return [] }
        let half = raw.count / 2
        ECDSA_SIG_set0(
            signature, BN_bin2bn(Array(raw[..<half]), Int32(half), nil),
            BN_bin2bn(Array(raw[half...]), Int32(half), nil))
        var der = [UInt8](repeating: 0, count: Int(i2d_ECDSA_SIG(signature, nil)))
        der.withUnsafeMutableBufferPointer { buffer in
            var end = buffer.baseAddress
            _ = i2d_ECDSA_SIG(signature, &end)
        }
        return der
    }
}
