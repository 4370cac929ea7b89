// One client's TLS session on the server side: it turns records into plain bytes and the reverse. Every outcome is a value that
// the caller must handle. OpenSSL stores errors in a queue of the thread, which must be cleared before every call, or the call
// would report an old error (SSL_get_error(3)).

import COpenSSL

/// A session. A plain value, because it is in the worker's table; its owner must call `end`.
@safe public struct SecureSession {
    let ssl: OpaquePointer

    /// The result of a step.
    public enum Outcome: Equatable {
        /// The handshake is complete, or this many bytes were read.
        case done(Int)
        /// More records are needed.
        case wantsInput
        /// The certificate has to be read first; the worker is notified when that is done.
        case wantsCertificate
        /// The key of the certificate is slow, and others may come first; `SecureContext.turn` says what it costs.
        case wantsTurn
        /// The client has announced that it will send no more.
        case ended
        /// The session is broken; an alert may be waiting to be sent.
        case failed(Failure)
    }

    /// Why a session failed.
    public enum Failure: Equatable {
        /// Plain HTTP on a TLS port.
        case plainHTTP
        /// There is no certificate for the requested name, or no name was requested.
        case unknownName
        case brokenCertificate
        /// No version of TLS in common, or none of HTTP.
        case noSharedVersion
        /// No cipher, no group or no signature in common.
        case noSharedCipher
        /// The client sent an alert.
        case refusedByClient
        case other
    }

    /// Continues the handshake with received records.
    /// - Parameters:
    ///   - certificate: the certificate that was read during a pause.
    ///   - hasTurn: whether a slow key may be used now.
    public func handshake(
        _ context: borrowing SecureContext, _ records: UnsafeRawBufferPointer, for client: HandshakeClient,
        certificate: CertificateLookup? = nil, hasTurn: Bool = false
    ) -> Outcome {
        unsafe context.wire.pointee.input = records
        context.gate?.begin(client, carrying: certificate, hasTurn: hasTurn)
        ERR_clear_error()
        let result = unsafe SSL_do_handshake(ssl)
        if result == 1 {
            // Nothing asks for the certificate any more, and the client may keep the session for long.
            unsafe SSL_certs_clear(ssl)
            return .done(0)
        }
        let outcome = outcome(result)
        switch context.gate?.obstacle {
        case .turn: return .wantsTurn
        case .ended: return .ended
        case .unread, nil: break
        }
        if case .failed = outcome, let refusal = context.gate?.refusal { return .failed(refusal) }
        return outcome
    }

    public var isEstablished: Bool { unsafe SSL_is_init_finished(ssl) == 1 }

    /// Decrypts the records that `context` has. To be called until it wants input.
    public func receive(_ context: borrowing SecureContext, into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        ERR_clear_error()
        var count = 0
        let result = unsafe SSL_read_ex(ssl, buffer.baseAddress, buffer.count, &count)
        return result == 1 ? .done(count) : outcome(result)
    }

    /// Whether all received records have been decrypted completely.
    public func isDrained(_ context: borrowing SecureContext) -> Bool {
        unsafe context.wire.pointee.input.isEmpty && SSL_has_pending(ssl) == 0
    }

    /// Passes received records to `context`, for `receive`.
    public func feed(_ context: borrowing SecureContext, _ records: UnsafeRawBufferPointer) {
        unsafe context.wire.pointee.input = records
    }

    /// Encrypts plain bytes; the records are then in the context's output. False when the session is broken.
    public func send(_ context: borrowing SecureContext, _ bytes: UnsafeRawBufferPointer) -> Bool {
        if unsafe bytes.isEmpty { return true }
        // During a handshake message OpenSSL reads before it writes, and the input may belong to another session.
        context.clearInput()
        ERR_clear_error()
        var count = 0
        // The BIO accepts everything, so writes are never partial.
        return unsafe SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &count) == 1 && count == bytes.count
    }

    /// Announces that nothing more will be sent (RFC 8446 §6.1), once.
    public func finish(_ context: borrowing SecureContext) {
        guard unsafe SSL_is_init_finished(ssl) == 1, unsafe SSL_get_shutdown(ssl) & SSL_SENT_SHUTDOWN == 0 else {
            return
        }
        context.clearInput()
        ERR_clear_error()
        _ = unsafe SSL_shutdown(ssl)
    }

    /// The server name as the client wrote it; nil if it sent none.
    public var serverName: UnsafeRawBufferPointer? {
        guard let name = unsafe SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name) else { return nil }
        var count = 0
        while unsafe name[count] != 0 { count += 1 }
        return unsafe UnsafeRawBufferPointer(start: name, count: count)
    }

    public var isResumed: Bool { unsafe SSL_session_reused(ssl) == 1 }

    /// Whether the version is TLS 1.3, not 1.2.
    public var isTLS13: Bool { unsafe SSL_version(ssl) >= TLS1_3_VERSION }

    public func end() { unsafe SSL_free(ssl) }

    private func outcome(_ result: Int32) -> Outcome {
        switch unsafe SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: return .wantsInput
        case SSL_ERROR_WANT_CLIENT_HELLO_CB: return .wantsCertificate
        case SSL_ERROR_ZERO_RETURN: return .ended
        default:
            let code = ERR_peek_error()
            ERR_clear_error()
            return .failed(Failure(code))
        }
    }
}

extension SecureSession.Failure {
    /// By the code of OpenSSL's error.
    fileprivate init(_ code: UInt) {
        self =
            switch ERR_GET_LIB(code) == ERR_LIB_SSL ? ERR_GET_REASON(code) : 0 {
            case SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST: .plainHTTP
            case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_VERSION_TOO_LOW, SSL_R_NO_APPLICATION_PROTOCOL: .noSharedVersion
            case SSL_R_NO_SHARED_CIPHER, SSL_R_NO_SHARED_GROUPS, SSL_R_NO_SHARED_SIGNATURE_ALGORITHMS,
                SSL_R_NO_SUITABLE_GROUPS, SSL_R_NO_SUITABLE_KEY_SHARE, SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM:
                .noSharedCipher
            // A peer's alerts are numbered from here (ssl.h).
            case SSL_AD_REASON_OFFSET...: .refusedByClient
            default: .other
            }
    }
}
