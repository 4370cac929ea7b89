// Where a handshake's first message is looked at before OpenSSL goes on with it: is the certificate for the name it asks
// for in memory? If not, the handshake pauses here until another thread has read it.

import COpenSSL

/// What the callbacks of one worker's context need. It belongs to the worker's thread.
final class HelloGate {
    let certificates: CertificateStore
    private let queue: LoadingQueue
    private let ready: ReadyHandshakes
    /// The worker's number for the connection whose handshake goes on.
    private var token: UInt64 = 0
    /// What was read for that handshake while it waited. For one message: a client may name another host in its second.
    private var carried: CertificateStore.Lookup?
    /// The certificate for the message that was looked at last.
    private(set) var certificate = CertificateStore.Lookup.none
    /// Why the present handshake was ended here; nil as long as it was not.
    var refusal: SecureSession.Failure?

    init(_ certificates: CertificateStore, queue: LoadingQueue, ready: ReadyHandshakes) {
        self.certificates = certificates
        self.queue = queue
        self.ready = ready
    }

    /// Begins a step of a handshake.
    func begin(_ token: UInt64, carrying certificate: CertificateStore.Lookup?) {
        self.token = token
        carried = certificate
        self.certificate = .none
        refusal = nil
    }

    /// False when the handshake has to wait until its certificate has been read.
    fileprivate func admits(_ name: Span<UInt8>) -> Bool {
        if let carried {
            certificate = carried
            self.carried = nil
            return true
        }
        switch certificates.resolve(name) {
        case .known(let lookup, let isDue):
            certificate = lookup
            // A certificate in memory is good enough for now, so the handshake does not wait for a look at its files.
            if isDue { queue.add(CertificateStore.key(for: name)) }
            return true
        case .pending:
            queue.add(CertificateStore.key(for: name), (token, ready))
            return false
        }
    }

    /// Whether a handshake for a host can be expected to find a certificate. Goes by memory; what memory does not know is read
    /// beside the worker, and counts as none until then.
    func expectsCertificate(for name: Span<UInt8>) -> Bool {
        switch certificates.resolve(name) {
        case .known(let lookup, let isDue):
            if isDue { queue.add(CertificateStore.key(for: name)) }
            if case .identity = lookup { return true }
            return false
        case .pending:
            queue.add(CertificateStore.key(for: name))
            return unsafe certificates.isDevelopmentHost(
                name.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) })
        }
    }
}

/// The corresponding C type is that of `SSL_CTX_set_client_hello_cb`.
func lookAtHello(
    _ ssl: OpaquePointer?, _: UnsafeMutablePointer<Int32>?, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    guard let ssl = unsafe ssl, let argument = unsafe argument else { return SSL_CLIENT_HELLO_ERROR }
    let gate = unsafe Unmanaged<HelloGate>.fromOpaque(argument).takeUnretainedValue()
    guard let name = unsafe serverName(inHelloOf: ssl) else { return SSL_CLIENT_HELLO_SUCCESS }
    return unsafe withCanonicalName(name) { name in
        // A session is resumed under the name that it was made for (RFC 6066 §3), so it belongs to a context of its own.
        let context = unsafe Digest.sha256(name.withUnsafeBytes { unsafe Array($0) })
        unsafe SSL_set_session_id_context(ssl, context, UInt32(context.count))
        return gate.admits(name) ? SSL_CLIENT_HELLO_SUCCESS : SSL_CLIENT_HELLO_RETRY
    }
}

/// The name in a client's first message (RFC 6066 §3): a list with one entry of type 0. Empty where none is asked for; nil
/// where the field is broken, which OpenSSL will find itself.
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

/// Lends a name as certificates are looked up by: in lower case, without a trailing dot.
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
