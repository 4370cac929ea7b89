// One client's TLS session, as the engine sees it: records in, plain bytes out, and the reverse. Every outcome is a value
// that its caller has to look at. OpenSSL says why something failed on a queue that belongs to the thread: it is emptied
// before every call, or the next one would read an old reason (SSL_get_error(3)).

import COpenSSL

/// A session. A plain value, because it lives in the worker's table; whoever made it ends it.
@safe public struct SecureSession {
    let ssl: OpaquePointer

    /// What came of a step.
    public enum Outcome: Equatable {
        /// The handshake is complete, or so many bytes are there.
        case done(Int)
        /// More records have to come first.
        case wantsInput
        /// The certificate has to be read first; the worker is told when that is done.
        case wantsCertificate
        /// The client has said that it will send no more.
        case ended
        /// The session is of no more use; an alert may be waiting to be sent.
        case failed(Failure)
    }

    /// Why a session failed, as far as it makes a difference.
    public enum Failure: Equatable {
        /// Plain HTTP spoken to the TLS port.
        case plainHTTP
        /// No certificate is for the name that was asked for, or none was asked for.
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

    /// Goes on with the handshake, over records that have come.
    /// - Parameters:
    ///   - token: the worker's number for the connection.
    ///   - certificate: what was read for it, where it had wanted a certificate.
    public func handshake(
        _ context: borrowing SecureContext, _ records: UnsafeRawBufferPointer, token: UInt64,
        certificate: CertificateStore.Lookup? = nil
    ) -> Outcome {
        unsafe context.wire.pointee.input = records
        context.begin(token, carrying: certificate)
        ERR_clear_error()
        let result = unsafe SSL_do_handshake(ssl)
        if result == 1 { return .done(0) }
        let outcome = outcome(result)
        if case .failed = outcome, let refusal = context.refusal { return .failed(refusal) }
        return outcome
    }

    /// Whether there is nothing left to be done before plain bytes flow.
    public var isEstablished: Bool { unsafe SSL_is_init_finished(ssl) == 1 }

    /// Makes plain bytes of the records that `context` still has. To be called until it wants input.
    public func receive(_ context: borrowing SecureContext, into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        ERR_clear_error()
        var count = 0
        let result = unsafe SSL_read_ex(ssl, buffer.baseAddress, buffer.count, &count)
        return result == 1 ? .done(count) : outcome(result)
    }

    /// Whether every record that was received has been read, to its last byte.
    public func isDrained(_ context: borrowing SecureContext) -> Bool {
        unsafe context.wire.pointee.input.isEmpty && SSL_has_pending(ssl) == 0
    }

    /// Gives `context` the records for the next receive.
    public func feed(_ context: borrowing SecureContext, _ records: UnsafeRawBufferPointer) {
        unsafe context.wire.pointee.input = records
    }

    /// Makes records of plain bytes; they are then in the context's output. False when the session is broken.
    public func send(_ context: borrowing SecureContext, _ bytes: UnsafeRawBufferPointer) -> Bool {
        if unsafe bytes.isEmpty { return true }
        // In the middle of a message of a handshake OpenSSL reads before it writes, and what is there is not this session's.
        context.forgetRecords()
        ERR_clear_error()
        var count = 0
        // The transport takes everything, so nothing is ever written in part.
        return unsafe SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &count) == 1 && count == bytes.count
    }

    /// Says that nothing more will be sent (RFC 8446 §6.1), once.
    public func finish(_ context: borrowing SecureContext) {
        guard unsafe SSL_is_init_finished(ssl) == 1, unsafe SSL_get_shutdown(ssl) & SSL_SENT_SHUTDOWN == 0 else {
            return
        }
        context.forgetRecords()
        ERR_clear_error()
        _ = unsafe SSL_shutdown(ssl)
    }

    /// The name that the client asked for, as it wrote it; nil when it named none.
    public var serverName: UnsafeRawBufferPointer? {
        guard let name = unsafe SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name) else { return nil }
        var count = 0
        while unsafe name[count] != 0 { count += 1 }
        return unsafe UnsafeRawBufferPointer(start: name, count: count)
    }

    /// Whether it goes on with an earlier session's secrets.
    public var isResumed: Bool { unsafe SSL_session_reused(ssl) == 1 }

    /// TLS 1.3 as opposed to 1.2.
    public var isTLS13: Bool { unsafe SSL_version(ssl) >= TLS1_3_VERSION }

    /// Gives back all that the session has.
    public func end() { unsafe SSL_free(ssl) }

    private func outcome(_ result: Int32) -> Outcome {
        switch unsafe SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: return .wantsInput
        case SSL_ERROR_WANT_CLIENT_HELLO_CB: return .wantsCertificate
        case SSL_ERROR_ZERO_RETURN: return .ended
        default:
            let kind = associated_failure_kind(ERR_peek_error())
            ERR_clear_error()
            return .failed(Failure(kind))
        }
    }
}

extension SecureSession.Failure {
    fileprivate init(_ kind: associated_failure) {
        self =
            switch kind {
            case ASSOCIATED_PLAIN_HTTP: .plainHTTP
            case ASSOCIATED_NO_SHARED_VERSION: .noSharedVersion
            case ASSOCIATED_NO_SHARED_CIPHER: .noSharedCipher
            case ASSOCIATED_CLIENT_ALERT: .refusedByClient
            default: .other
            }
    }
}
