// The TLS context of one worker: the policy of all its sessions, and the memory for their records.
//
// The policy: TLS 1.2 and 1.3; ciphers with forward secrecy and authenticated encryption; X25519MLKEM768, X25519, P-256, P-384; the server's
// preference, AES-128-GCM first because it costs least; HTTP/1 and no other protocol; no renegotiation, no compression, no
// early data. One ticket for each session instead of two saves 4 % of a handshake.

import COpenSSL
public import Posix

/// The TLS context of one worker.
@safe public struct SecureContext: ~Copyable {
    let context: OpaquePointer
    let wire: UnsafeMutablePointer<Wire>
    private let bio: OpaquePointer
    /// The callbacks have raw pointers to these.
    let gate: HelloGate?
    private let tickets: TicketKeys?

    private static let ciphers = [
        "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305",
        "ECDHE-RSA-CHACHA20-POLY1305", "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-RSA-AES256-GCM-SHA384",
    ]
    private static let suites = ["TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_256_GCM_SHA384"]
    private static let groups = "X25519:P-256:P-384"
    /// With a key exchange that resists quantum computers, if OpenSSL has it (3.5 and later).
    private static let hybridGroups = "X25519MLKEM768:\(groups)"
    private static let signatures = [
        "ecdsa_secp256r1_sha256", "rsa_pss_rsae_sha256", "ecdsa_secp384r1_sha384", "rsa_pss_rsae_sha384", "ed25519",
        "rsa_pss_rsae_sha512", "RSA+SHA256", "RSA+SHA384",
    ]

    /// Without settings there are no sessions.
    /// - Parameters:
    ///   - queue: reads certificates that are not in memory.
    ///   - replies: get the handshakes that can continue.
    public init(
        _ settings: SecureSettings?, queue: CertificateQueue?, replies: CertificateQueue.Replies
    ) throws(TLSError) {
        OpenSSLFailure.forget()
        guard let context = unsafe SSL_CTX_new(TLS_server_method()) else {
            throw TLSError("cannot create a TLS context: \(OpenSSLFailure.drain())")
        }
        let isSet =
            unsafe associated_set_minimum_tls12(context) == 1
            && SSL_CTX_set_cipher_list(context, SecureContext.ciphers.joined(separator: ":")) == 1
            && SSL_CTX_set_ciphersuites(context, SecureContext.suites.joined(separator: ":")) == 1
            && (associated_set_groups(context, SecureContext.hybridGroups) == 1
                || associated_set_groups(context, SecureContext.groups) == 1)
            && associated_set_signatures(context, SecureContext.signatures.joined(separator: ":")) == 1
            && SSL_CTX_set_num_tickets(context, 1) == 1
            && SSL_CTX_set_session_id_context(context, Array("associated".utf8), 10) == 1
        guard isSet else {
            unsafe SSL_CTX_free(context)
            throw TLSError("cannot set the TLS policy: \(OpenSSLFailure.drain())")
        }
        // An OpenSSL without the hybrid group has left an error.
        OpenSSLFailure.forget()
        unsafe SSL_CTX_set_options(context, associated_options())
        unsafe associated_set_modes(context)
        unsafe SSL_CTX_set_alpn_select_cb(context, selectProtocol, nil)
        let wire = UnsafeMutablePointer<Wire>.allocate(capacity: 1)
        unsafe wire.initialize(to: Wire())
        let bio = try unsafe Wire.makeBIO(wire)
        unsafe self.context = context
        unsafe self.wire = wire
        unsafe self.bio = bio
        tickets = settings?.tickets
        guard let settings, let queue else {
            gate = nil
            return
        }
        let gate = HelloGate(settings.certificates, queue: queue, replies: replies)
        self.gate = gate
        let pointer = unsafe Unmanaged.passUnretained(gate).toOpaque()
        unsafe SSL_CTX_set_client_hello_cb(context, lookAtHello, pointer)
        unsafe associated_set_name_callback(context, chooseIdentity, pointer)
        unsafe settings.tickets.install(on: context)
    }

    deinit {
        unsafe SSL_CTX_free(context)
        unsafe BIO_free(bio)
        unsafe wire.pointee.deallocate()
        unsafe wire.deinitialize(count: 1)
        unsafe wire.deallocate()
    }

    /// A session for a new client; nil when there is no memory.
    public func makeSession() -> SecureSession? {
        guard let ssl = unsafe SSL_new(context) else {
            OpenSSLFailure.forget()
            return nil
        }
        // With the same BIO for both directions, the session takes one reference (SSL_set_bio(3)).
        unsafe BIO_up_ref(bio)
        unsafe SSL_set_bio(ssl, bio, bio)
        unsafe SSL_set_accept_state(ssl)
        return unsafe SecureSession(ssl: ssl)
    }

    /// Whether a handshake for a host, in any case, will probably find a certificate. Does not wait for the disk.
    public func expectsCertificate(for host: Span<UInt8>) -> Bool {
        guard let gate else { return false }
        return unsafe host.withUnsafeBytes { bytes in
            unsafe withCanonicalName(bytes) { gate.expectsCertificate(for: $0) }
        }
    }

    /// The certificate of the handshake that wants a turn, with what its signature costs. Its host is that of all handshakes with this
    /// certificate.
    public var turn: (certificate: CertificateLookup, host: UInt64, cost: Int)? {
        guard let gate, gate.obstacle == .turn, case .identity(let identity) = gate.certificate else { return nil }
        return (gate.certificate, UInt64(UInt(bitPattern: ObjectIdentifier(identity).hashValue)), identity.signingCost)
    }

    /// The memory of the certificate that the last step of a handshake has used, which the session keeps until its handshake ends; 0 for
    /// none.
    public var certificateBytes: Int {
        if case .identity(let identity) = gate?.certificate { identity.byteCount } else { 0 }
    }

    /// Received records that are not read yet.
    public var unreadRecords: UnsafeRawBufferPointer { unsafe wire.pointee.input }

    /// Drops the received records. Their memory belongs to the caller, who must call this before reusing it.
    public func clearInput() { unsafe wire.pointee.input = UnsafeRawBufferPointer(start: nil, count: 0) }

    /// Records to be sent by the session that is being served.
    public var output: UnsafeRawBufferPointer { unsafe wire.pointee.output }

    public func clearOutput() { unsafe wire.pointee.clearOutput() }
}

/// Selects HTTP/1.1 or else 1.0; for other protocols the handshake fails with an alert (RFC 7301 §3.2). The corresponding C type
/// is that of `SSL_CTX_set_alpn_select_cb`.
private func selectProtocol(
    _: OpaquePointer?, _ selected: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ selectedCount: UnsafeMutablePointer<UInt8>?,
    _ offered: UnsafePointer<UInt8>?, _ offeredCount: UInt32, _: UnsafeMutableRawPointer?
) -> Int32 {
    // Names with their lengths before them, the preferred one first.
    let protocols: StaticString = "\u{8}http/1.1\u{8}http/1.0"
    var found: UnsafeMutablePointer<UInt8>?
    let result = unsafe SSL_select_next_proto(
        &found, selectedCount, protocols.utf8Start, UInt32(protocols.utf8CodeUnitCount), offered, offeredCount)
    guard result == OPENSSL_NPN_NEGOTIATED, let found = unsafe found else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    unsafe selected?.pointee = UnsafePointer(found)
    return SSL_TLSEXT_ERR_OK
}

/// Certificates and ticket keys, shared by the workers.
public struct SecureSettings: Sendable {
    public let certificates: CertificateSource
    public let tickets: TicketKeys

    public init(certificates: CertificateSource, tickets: TicketKeys) {
        (self.certificates, self.tickets) = (certificates, tickets)
    }
}
