// The client side of one TLS connection.

import COpenSSL
import Posix

/// A session over a socket that it owns. Every call has a time limit for everything it does, because a server may send one record
/// byte by byte.
@safe public struct ClientSession: ~Copyable {
    private let socket: ClientSocket
    private let ssl: OpaquePointer

    init(socket: consuming ClientSocket, ssl: OpaquePointer) {
        self.socket = socket
        unsafe self.ssl = ssl
    }

    deinit { unsafe SSL_free(ssl) }

    var number: Int32 { socket.number }

    /// Whether bytes or the end of the stream can be read now.
    public var hasInput: Bool { unsafe SSL_pending(ssl) > 0 || socket.hasInput }

    public func send(_ bytes: [UInt8], within milliseconds: Int) -> Bool {
        let deadline = Clock.monotonicMilliseconds() + Int64(milliseconds)
        while true {
            ERR_clear_error()
            var count = 0
            if unsafe SSL_write_ex(ssl, bytes, bytes.count, &count) == 1 { return true }
            guard waits(until: deadline) == true else { return false }
        }
    }

    /// Waits until the last call can be repeated. False when the time is up, nil when the call failed for another reason.
    func waits(until deadline: Int64) -> Bool? {
        switch unsafe SSL_get_error(ssl, 0) {
        case SSL_ERROR_WANT_READ: socket.wait(for: .readable, untilMilliseconds: deadline)
        case SSL_ERROR_WANT_WRITE: socket.wait(for: .writable, untilMilliseconds: deadline)
        default: nil
        }
    }

    /// Why the last call failed; nil if the connection has ended without an announcement.
    var failure: String? {
        if unsafe SSL_get_error(ssl, 0) == SSL_ERROR_SYSCALL, ERR_peek_error() == 0 { return nil }
        let failure = OpenSSLFailure.drain()
        return failure.reasons.contains("unexpected eof while reading") ? nil : failure.description
    }

    /// The result of receiving.
    public enum Received: Sendable {
        case bytes([UInt8])
        /// The server has announced that it will send no more.
        case ended
        /// The connection ended without this announcement, so something may be missing.
        case truncated
        case timedOut
        case failed(String)
    }

    public func receive(within milliseconds: Int, bytesMax: Int = 65_536) -> Received {
        let deadline = Clock.monotonicMilliseconds() + Int64(milliseconds)
        var bytes = [UInt8](repeating: 0, count: bytesMax)
        while true {
            ERR_clear_error()
            var count = 0
            if unsafe SSL_read_ex(ssl, &bytes, bytesMax, &count) == 1 {
                bytes.removeSubrange(count...)
                return .bytes(bytes)
            }
            guard let isReady = waits(until: deadline) else { break }
            if !isReady { return .timedOut }
        }
        if unsafe SSL_get_error(ssl, 0) == SSL_ERROR_ZERO_RETURN { return .ended }
        return failure.map { .failed($0) } ?? .truncated
    }

    /// The properties of the session and the server's certificates.
    /// - Parameter host: the name that the certificate must cover, in lower case without a trailing dot.
    public func facts(host: String, now: Int64) -> PeerFacts {
        let chain = unsafe CertificateFacts.all(of: SSL_get_peer_cert_chain(ssl))
        return unsafe PeerFacts(
            version: String(cString: SSL_get_version(ssl)), isOutdated: SSL_version(ssl) < TLS1_2_VERSION,
            cipher: String(cString: SSL_CIPHER_get_name(SSL_get_current_cipher(ssl))), certificates: chain,
            problem: problem(chain, host: host, now: now))
    }

    private func problem(_ chain: [CertificateFacts], host: String, now: Int64) -> PeerFacts.Problem? {
        guard let own = chain.first else {
            return PeerFacts.Problem(.other, "the server sent no certificate")
        }
        if own.notAfter < now {
            return PeerFacts.Problem(.expired, "the certificate expired on \(Clock.day(own.notAfter))")
        }
        if own.notBefore > now {
            return PeerFacts.Problem(.notYetValid, "the certificate is not valid yet")
        }
        if !own.names.contains(where: { CertificateName.covers($0, host) }) {
            return PeerFacts.Problem(
                .wrongName, "the certificate is for \(CertificateName.list(own.names)), not for \(host)")
        }
        let result = unsafe SSL_get_verify_result(ssl)
        if result == Int(X509_V_OK) { return weakness(own) }
        return untrusted(Int32(truncatingIfNeeded: result), chain)
    }

    private func untrusted(_ result: Int32, _ chain: [CertificateFacts]) -> PeerFacts.Problem {
        let last = chain[chain.count - 1]
        let reason = unsafe String(cString: X509_verify_cert_error_string(Int(result)))
        switch result {
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
            return PeerFacts.Problem(.selfSigned, "the certificate is self-signed")
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            if lastNamesItsIssuer(), !last.isSelfSigned {
                return PeerFacts.Problem(
                    .missingIntermediate,
                    "the intermediate certificate \"\(last.issuer)\" is not sent, and clients do not download it")
            }
            return PeerFacts.Problem(
                .unknownAuthority, "\"\(last.issuer)\", which issued the last certificate, is not trusted")
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
            return PeerFacts.Problem(.unknownAuthority, "\"\(last.subject)\" is not trusted")
        case X509_V_ERR_CERT_HAS_EXPIRED:
            return PeerFacts.Problem(.expired, "a certificate of the chain has expired")
        default:
            return PeerFacts.Problem(.other, "the chain is not trusted: \(reason)")
        }
    }

    /// Whether the last certificate states the URL of its issuer's certificate, as those of public authorities do (RFC 5280
    /// §4.2.2.1) and those of private ones do not.
    private func lastNamesItsIssuer() -> Bool {
        guard let chain = unsafe SSL_get_peer_cert_chain(ssl), unsafe OPENSSL_sk_num(chain) > 0,
            let last = unsafe OPENSSL_sk_value(chain, OPENSSL_sk_num(chain) - 1)
        else { return false }
        return unsafe X509_get_ext_by_NID(OpaquePointer(last), NID_info_access, -1) >= 0
    }

    private func weakness(_ own: CertificateFacts) -> PeerFacts.Problem? {
        guard case .rsa(let bits) = own.key, bits < 2048 else { return nil }
        return PeerFacts.Problem(.weak, "the certificate's RSA key has \(bits) bits, but at least 2048 are required")
    }
}

/// The TLS properties of one server.
public struct PeerFacts: Sendable {
    /// Such as `TLSv1.3`.
    public var version: String
    /// Whether current clients reject the version: below 1.2.
    public var isOutdated: Bool
    public var cipher: String
    /// The certificates that were sent, the host's own first.
    public var certificates: [CertificateFacts]
    public var problem: Problem?

    /// Why a client would not trust the server.
    public struct Problem: Hashable, Sendable {
        public var kind: Kind
        public var message: String

        init(_ kind: Kind, _ message: String) { (self.kind, self.message) = (kind, message) }

        public enum Kind: Sendable {
            case expired
            case notYetValid
            case wrongName
            case selfSigned
            /// The issuer of the last certificate was not sent, though the certificate states its URL.
            case missingIntermediate
            case unknownAuthority
            case weak
            case other
        }
    }

    /// Why clients do not trust the server; nil if they do.
    public var distrust: String? {
        isOutdated ? "the server uses \(version), which current clients reject" : problem?.message
    }
}
