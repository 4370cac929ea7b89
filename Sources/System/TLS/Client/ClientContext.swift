// The client side of TLS. Trust is a result here, not a condition: a check connects to servers that no careful client would trust, in
// order to report what is wrong with them. Everyone else refuses old versions, and asks for trust before the first request.

import COpenSSL
public import Posix

/// Why a handshake failed.
public enum HandshakeError: Error, Sendable, CustomStringConvertible {
    case timedOut
    case closed
    /// OpenSSL's text, which is that of the alert if there was one.
    case failed(String)

    public var description: String {
        switch self {
        case .timedOut: "the handshake timed out"
        case .closed: "the server closed the connection during the handshake"
        case .failed(let reason): "the handshake failed: \(reason)"
        }
    }
}

/// The context of all sessions of a command. Thread-safe.
@safe public final class ClientContext: @unchecked Sendable {
    private let context: OpaquePointer

    /// - Parameters:
    ///   - authorityFile: certificates to trust in place of this machine's, in PEM.
    ///   - acceptsWeakServers: whether it connects to servers with old versions and weak keys too, so that a check can report them.
    public init(authorityFile: String?, acceptsWeakServers: Bool = false) throws(TLSError) {
        guard Library.isThere else { throw TLSError(Library.missing) }
        OpenSSLFailure.forget()
        guard let context = unsafe SSL_CTX_new(TLS_client_method()) else {
            throw .draining("cannot create a TLS context")
        }
        unsafe self.context = context
        if acceptsWeakServers {
            unsafe SSL_CTX_set_security_level(context, 0)
            unsafe associated_set_minimum_tls10(context)
        } else {
            unsafe associated_set_minimum_tls12(context)
        }
        unsafe SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nil)
        if let authorityFile {
            try trust(authorityFile)
        } else if unsafe SSL_CTX_set_default_verify_paths(context) != 1 {
            throw .draining("cannot read the system's trusted certificates")
        }
    }

    /// Trusts the certificates of a file. It is not read by OpenSSL, which would block on a pipe without a writer.
    private func trust(_ path: String) throws(TLSError) {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try File.read(path, bytesMax: CertificateLimits.authoritiesBytesMax).bytes
        } catch {
            throw TLSError("cannot read \(path): \(error)")
        }
        var count = 0
        for der in unsafe bytes.withUnsafeBytes({ unsafe PEM.certificates(in: $0) }) {
            guard let certificate = Certificate(der: der),
                unsafe X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate.pointer) == 1
            else { continue }
            count += 1
        }
        OpenSSLFailure.forget()
        guard count > 0 else { throw TLSError("\(path) contains no certificate") }
    }

    deinit { unsafe SSL_CTX_free(context) }

    /// Makes a handshake over a connected socket, with the host's name and HTTP/1.1. `milliseconds` limits the whole handshake.
    public func connect(
        _ socket: consuming ClientSocket, host: String, within milliseconds: Int
    ) throws(HandshakeError) -> ClientSession {
        let deadline = Clock.monotonicMilliseconds() + Int64(milliseconds)
        OpenSSLFailure.forget()
        guard let ssl = unsafe SSL_new(context) else { throw .failed(OpenSSLFailure.drain().description) }
        let session = unsafe ClientSession(socket: socket, ssl: ssl)
        unsafe SSL_set_fd(ssl, session.number)
        // An address is not sent as a server name (RFC 6066 §3).
        if SocketAddress("\(host):0") == nil, SocketAddress("[\(host)]:0") == nil {
            unsafe associated_set_server_name(ssl, host)
        }
        let protocols: [UInt8] = [8] + Array("http/1.1".utf8)
        unsafe SSL_set_alpn_protos(ssl, protocols, UInt32(protocols.count))
        while true {
            ERR_clear_error()
            if unsafe SSL_connect(ssl) == 1 { return session }
            guard let isReady = session.waits(until: deadline) else {
                throw session.failure.map { .failed($0) } ?? .closed
            }
            if !isReady { throw .timedOut }
        }
    }
}
