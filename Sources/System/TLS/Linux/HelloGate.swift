// Inspects the first message of each handshake. If the certificate for the requested name is not in memory, the handshake pauses
// until another thread has read it; if its key is slow, until it is its turn. Nothing is signed for a client that has gone.

import COpenSSL
import Posix

public struct HandshakeClient: Sendable {
    /// The worker's token of the connection.
    let token: UInt64
    let network: UInt64
    /// Its socket; negative if there is none.
    let fd: Int32

    public init(token: UInt64, network: UInt64 = 0, fd: Int32 = -1) {
        (self.token, self.network, self.fd) = (token, network, fd)
    }
}

/// The state for the callbacks of one worker's context. Only the worker's thread uses it.
final class HelloGate {
    let certificates: CertificateSource
    private let queue: CertificateQueue
    private let replies: CertificateQueue.Replies
    /// Of the handshake that is advanced.
    private var client = HandshakeClient(token: 0)
    /// The certificate that was read while this handshake was paused. Only for one message: a client may send another name in a
    /// second one.
    private var carried: CertificateLookup?
    private var hasTurn = false
    /// The certificate for the last inspected message.
    private(set) var certificate = CertificateLookup.missing
    /// Why the last message was not admitted; nil if it was.
    private(set) var obstacle: Obstacle?
    /// Why the handshake was refused here; nil if it was not.
    var refusal: SecureSession.Failure?

    enum Obstacle {
        /// The certificate has to be read.
        case unread
        /// The key is slow.
        case turn
        /// The client has gone, so nothing is signed for it.
        case ended
    }

    init(_ certificates: CertificateSource, queue: CertificateQueue, replies: CertificateQueue.Replies) {
        (self.certificates, self.queue, self.replies) = (certificates, queue, replies)
    }

    /// Begins a step of a handshake.
    func begin(_ client: HandshakeClient, carrying certificate: CertificateLookup?, hasTurn: Bool) {
        (self.client, self.hasTurn) = (client, hasTurn)
        carried = certificate
        self.certificate = .missing
        (refusal, obstacle) = (nil, nil)
    }

    /// Whether the handshake may go on.
    fileprivate func admits(_ name: Span<UInt8>) -> Bool {
        if let lookup = carried ?? resolve(name, isWaiting: true) {
            certificate = lookup
        } else {
            obstacle = .unread
            return false
        }
        carried = nil
        guard case .identity(let identity) = certificate else { return true }
        if client.fd >= 0, hasEnded(client.fd) {
            obstacle = .ended
        } else if !hasTurn, identity.signingCost > 1 {
            obstacle = .turn
        }
        hasTurn = false
        return obstacle == nil
    }

    /// The certificate in memory, whose files are checked in the background if that is due. Nil if they have to be read first.
    private func resolve(_ name: Span<UInt8>, isWaiting: Bool = false) -> CertificateLookup? {
        let known = certificates.resolve(name)
        if let known, !known.isDue { return known.lookup }
        let key = certificates.key(name)
        if known == nil, isWaiting {
            queue.ask(
                key, for: CertificateQueue.Client(token: client.token, network: client.network, replies: replies))
        } else {
            queue.refresh(key)
        }
        return known?.lookup
    }

    /// Whether a handshake for a host will probably find a certificate. A host that is not in memory is read in the background, and
    /// counts as one without a certificate until then.
    func expectsCertificate(for name: Span<UInt8>) -> Bool {
        switch resolve(name) {
        case .identity: true
        case .missing, .broken: false
        case nil:
            unsafe certificates.isDevelopmentHost(name.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) })
        }
    }
}

/// Called with the first message of a handshake. The corresponding C type is that of `SSL_CTX_set_client_hello_cb`.
func lookAtHello(
    _ ssl: OpaquePointer?, _: UnsafeMutablePointer<Int32>?, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    guard let ssl = unsafe ssl, let argument = unsafe argument else { return SSL_CLIENT_HELLO_ERROR }
    let gate = unsafe Unmanaged<HelloGate>.fromOpaque(argument).takeUnretainedValue()
    guard let name = unsafe serverName(inHelloOf: ssl) else { return SSL_CLIENT_HELLO_SUCCESS }
    return unsafe withCanonicalName(name) { name in
        // A session may be resumed only with the name that it was created for (RFC 6066 §3), so each name has its own context.
        let context = unsafe Digest.sha256(name.withUnsafeBytes { unsafe Array($0) })
        unsafe SSL_set_session_id_context(ssl, context, UInt32(context.count))
        if gate.admits(name) { return SSL_CLIENT_HELLO_SUCCESS }
        return gate.obstacle == .ended ? SSL_CLIENT_HELLO_ERROR : SSL_CLIENT_HELLO_RETRY
    }
}

/// Sets the certificate for the requested name (RFC 6066 §3), or ends the handshake with an alert about the name. The
/// corresponding C type is that of `SSL_CTX_set_tlsext_servername_callback`.
func chooseIdentity(
    _ ssl: OpaquePointer?, _ alert: UnsafeMutablePointer<Int32>?, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    guard let ssl = unsafe ssl, let alert = unsafe alert, let argument = unsafe argument else {
        return SSL_TLSEXT_ERR_ALERT_FATAL
    }
    let gate = unsafe Unmanaged<HelloGate>.fromOpaque(argument).takeUnretainedValue()
    // Set by `lookAtHello`, which was called just before: in a handshake that has waited for a certificate, a second time.
    switch gate.certificate {
    case .identity(let identity):
        if unsafe identity.apply(to: ssl) { return SSL_TLSEXT_ERR_OK }
        gate.refusal = .brokenCertificate
        unsafe alert.pointee = SSL_AD_INTERNAL_ERROR
    case .broken:
        gate.refusal = .brokenCertificate
        unsafe alert.pointee = SSL_AD_INTERNAL_ERROR
    case .missing:
        // A client without a server name gets its own alert in TLS 1.3 (RFC 8446 §9.2); earlier versions do not have it.
        gate.refusal = .unknownName
        let isMissing = unsafe SecureSession(ssl: ssl).serverName == nil && SSL_version(ssl) >= TLS1_3_VERSION
        unsafe alert.pointee = isMissing ? SSL_AD_MISSING_EXTENSION : SSL_AD_UNRECOGNIZED_NAME
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}

/// The server name in a client's first message (RFC 6066 §3): a list with one entry of type 0. Empty if there is none; nil if the
/// extension is malformed, which OpenSSL reports itself.
private func serverName(inHelloOf ssl: OpaquePointer) -> UnsafeRawBufferPointer? {
    var start: UnsafePointer<UInt8>?
    var count = 0
    guard unsafe SSL_client_hello_get0_ext(ssl, UInt32(TLSEXT_TYPE_server_name), &start, &count) == 1 else {
        return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    }
    let field = unsafe UnsafeRawBufferPointer(start: start, count: count)
    guard field.count > 5, unsafe field[2] == UInt8(TLSEXT_NAMETYPE_host_name) else { return nil }
    let listCount = unsafe Int(field[0]) << 8 | Int(field[1])
    let nameCount = unsafe Int(field[3]) << 8 | Int(field[4])
    guard listCount == field.count - 2, nameCount == field.count - 5 else { return nil }
    return unsafe UnsafeRawBufferPointer(rebasing: field[5...])
}

/// Lends a name in the form in which certificates are looked up: in lower case, without a trailing dot.
func withCanonicalName<Result>(_ name: UnsafeRawBufferPointer, _ use: (Span<UInt8>) -> Result) -> Result {
    var count = name.count
    if count > 1, unsafe name[count - 1] == UInt8(ascii: ".") { count -= 1 }
    return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: max(1, count)) { lowered in
        for index in 0..<count {
            let byte = unsafe name[index]
            unsafe lowered[index] = byte &- 0x41 < 26 ? byte | 0x20 : byte
        }
        return unsafe use(Span(_unsafeElements: UnsafeBufferPointer(rebasing: lowered[..<count])))
    }
}
