// One worker's side of TLS: the policy that all its sessions have in common, and the memory that they read and write their
// records through.
//
// The policy: TLS 1.2 and 1.3; ciphers with forward secrecy and authenticated encryption; X25519MLKEM768, X25519, P-256, P-384; the server's
// preference, AES-128-GCM first because it costs least; HTTP/1 and no other protocol; no renegotiation, no compression, no
// early data. One ticket for each session instead of two saves 4 % of a handshake.

import COpenSSL

/// The TLS context of one worker.
@safe public struct SecureContext: ~Copyable {
    let context: OpaquePointer
    let wire: UnsafeMutablePointer<Wire>
    private let bio: OpaquePointer
    /// Held for the callbacks, which have a bare pointer to it.
    private let gate: Unmanaged<HelloGate>?

    private static let ciphers = [
        "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305",
        "ECDHE-RSA-CHACHA20-POLY1305", "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-RSA-AES256-GCM-SHA384",
    ]
    private static let suites = ["TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_256_GCM_SHA384"]
    private static let groups = "X25519:P-256:P-384"
    /// With a secret that no quantum computer finds, where OpenSSL has it (3.5 and later).
    private static let hybridGroups = "X25519MLKEM768:\(groups)"
    private static let signatures = [
        "ecdsa_secp256r1_sha256", "rsa_pss_rsae_sha256", "ecdsa_secp384r1_sha384", "rsa_pss_rsae_sha384", "ed25519",
        "rsa_pss_rsae_sha512", "RSA+SHA256", "RSA+SHA384",
    ]

    /// Without settings there are no sessions, and nothing but a little memory is used.
    /// - Parameters:
    ///   - queue: reads the certificates that are not in memory.
    ///   - ready: is told which handshakes can go on.
    public init(_ settings: SecureSettings?, queue: LoadingQueue?, ready: ReadyHandshakes) throws(TLSError) {
        OpenSSLFailure.forget()
        guard let context = unsafe SSL_CTX_new(TLS_server_method()) else {
            throw TLSError("cannot make a TLS context: \(OpenSSLFailure.drain())")
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
        // An OpenSSL that does not know the hybrid group has said so.
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
        guard let settings, let queue else {
            unsafe gate = nil
            return
        }
        let gate = unsafe Unmanaged.passRetained(HelloGate(settings.certificates, queue: queue, ready: ready))
        unsafe self.gate = gate
        unsafe SSL_CTX_set_client_hello_cb(context, lookAtHello, gate.toOpaque())
        unsafe associated_set_name_callback(context, chooseIdentity, gate.toOpaque())
        unsafe TicketKeys.install(on: context, keys: settings.tickets)
    }

    deinit {
        unsafe SSL_CTX_free(context)
        unsafe BIO_free(bio)
        unsafe wire.pointee.deallocate()
        unsafe wire.deinitialize(count: 1)
        unsafe wire.deallocate()
        unsafe gate?.release()
    }

    /// A session for a client that has just connected; nil when there is no memory for it.
    public func makeSession() -> SecureSession? {
        guard let ssl = unsafe SSL_new(context) else {
            OpenSSLFailure.forget()
            return nil
        }
        // Given the same transport for both directions, the session takes one reference (SSL_set_bio(3)).
        unsafe BIO_up_ref(bio)
        unsafe SSL_set_bio(ssl, bio, bio)
        unsafe SSL_set_accept_state(ssl)
        return unsafe SecureSession(ssl: ssl)
    }

    /// Says which handshake goes on next, and what was read for it.
    func begin(_ token: UInt64, carrying certificate: CertificateStore.Lookup?) {
        unsafe gate?.takeUnretainedValue().begin(token, carrying: certificate)
    }

    /// Whether a handshake for a host, in any case, can be expected to find a certificate. Nothing is read for that.
    public func expectsCertificate(for host: Span<UInt8>) -> Bool {
        guard let gate = unsafe gate else { return false }
        return unsafe host.withUnsafeBytes { bytes in
            unsafe withCanonicalName(bytes) { unsafe gate.takeUnretainedValue().expectsCertificate(for: $0) }
        }
    }

    /// Why the handshake that was gone on with was ended by the choice of a certificate; nil if it was not.
    var refusal: SecureSession.Failure? { unsafe gate?.takeUnretainedValue().refusal }

    /// Records that were given and not yet read.
    public var unreadRecords: UnsafeRawBufferPointer { unsafe wire.pointee.input }

    /// Lets go of the records that were given. Their memory is lent for a step, so whoever lent it says this at its end.
    public func forgetRecords() { unsafe wire.pointee.input = UnsafeRawBufferPointer(start: nil, count: 0) }

    /// Records to be sent, made by whichever session was served.
    public var output: UnsafeRawBufferPointer { unsafe wire.pointee.output }

    public func clearOutput() { unsafe wire.pointee.clearOutput() }
}

/// Picks the certificate for the name that a client asks for (RFC 6066 §3), or ends the handshake with an alert that says
/// what is wrong with the name. The corresponding C type is that of `SSL_CTX_set_tlsext_servername_callback`.
private func chooseIdentity(
    _ ssl: OpaquePointer?, _ alert: UnsafeMutablePointer<Int32>?, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    guard let ssl = unsafe ssl, let alert = unsafe alert, let argument = unsafe argument else {
        return SSL_TLSEXT_ERR_ALERT_FATAL
    }
    let gate = unsafe Unmanaged<HelloGate>.fromOpaque(argument).takeUnretainedValue()
    // Of the first message, which was looked at just before.
    switch gate.certificate {
    case .identity(let identity):
        if unsafe identity.apply(to: ssl) { return SSL_TLSEXT_ERR_OK }
        gate.refusal = .brokenCertificate
        unsafe alert.pointee = SSL_AD_INTERNAL_ERROR
    case .broken:
        gate.refusal = .brokenCertificate
        unsafe alert.pointee = SSL_AD_INTERNAL_ERROR
    case .none:
        // A client that named no host is told to (RFC 8446 §9.2); earlier versions have no word for it.
        gate.refusal = .unknownName
        let isMissing = unsafe SecureSession(ssl: ssl).serverName == nil && SSL_version(ssl) >= TLS1_3_VERSION
        unsafe alert.pointee = isMissing ? SSL_AD_MISSING_EXTENSION : SSL_AD_UNRECOGNIZED_NAME
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}

/// HTTP/1.1, else 1.0, or nothing (RFC 7301 §3.2): a client that speaks only others is told so.
/// The corresponding C type is that of `SSL_CTX_set_alpn_select_cb`.
private func selectProtocol(
    _: OpaquePointer?, _ selected: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ selectedCount: UnsafeMutablePointer<UInt8>?,
    _ offered: UnsafePointer<UInt8>?, _ offeredCount: UInt32, _: UnsafeMutableRawPointer?
) -> Int32 {
    guard let selected = unsafe selected, let selectedCount = unsafe selectedCount, let offered = unsafe offered else {
        return SSL_TLSEXT_ERR_ALERT_FATAL
    }
    let list = unsafe UnsafeBufferPointer(start: offered, count: Int(offeredCount))
    for wanted in ["http/1.1", "http/1.0"] as [StaticString] {
        guard let place = unsafe find(wanted, in: list) else { continue }
        unsafe selected.pointee = offered + place
        unsafe selectedCount.pointee = UInt8(wanted.utf8CodeUnitCount)
        return SSL_TLSEXT_ERR_OK
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}

/// Where a protocol's name begins in a list of names, each behind its length; OpenSSL has checked the list's form.
private func find(_ wanted: StaticString, in list: UnsafeBufferPointer<UInt8>) -> Int? {
    var index = 0
    while index < list.count {
        let name = unsafe list[(index + 1)...].prefix(Int(list[index]))
        if unsafe name.elementsEqual(UnsafeBufferPointer(start: wanted.utf8Start, count: wanted.utf8CodeUnitCount)) {
            return index + 1
        }
        unsafe index += 1 + Int(list[index])
    }
    return nil
}

/// Certificates and ticket keys, shared by the workers.
public struct SecureSettings: Sendable {
    public let certificates: CertificateStore
    public let tickets: TicketKeys

    public init(certificates: CertificateStore, tickets: TicketKeys) {
        self.certificates = certificates
        self.tickets = tickets
    }
}
