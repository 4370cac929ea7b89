// How OpenSSL asks for ticket keys: through a C function that finds the keys in the context of the session. It asks once
// for each ticket made and each ticket read, in the middle of a handshake.

import COpenSSL
import Posix

extension TicketKeys {
    /// Makes an `SSL_CTX *` use these keys. The context holds on to them until it is freed.
    /// The corresponding C function is `SSL_CTX_set_tlsext_ticket_key_evp_cb`.
    static func install(on context: OpaquePointer, keys: TicketKeys) {
        let held = Unmanaged.passRetained(keys)
        let previous = SSL_CTX_get_ex_data(context, contextIndex)
        let result = SSL_CTX_set_ex_data(context, contextIndex, held.toOpaque())
        precondition(result == 1, "the system has no memory left")
        if let previous { Unmanaged<TicketKeys>.fromOpaque(previous).release() }
        SSL_CTX_set_tlsext_ticket_key_evp_cb(context, answerTicketKey)
    }

    /// Where a context keeps its keys.
    fileprivate static let contextIndex: Int32 = {
        let index = associated_new_context_index { _, held, _, _, _, _ in
            if let held { Unmanaged<TicketKeys>.fromOpaque(held).release() }
        }
        precondition(index >= 0, "the system has no memory left")
        return index
    }()

    /// Found once: looking an algorithm up by name takes a lock and a microsecond.
    fileprivate nonisolated(unsafe) static let cipher: OpaquePointer = {
        guard let cipher = EVP_CIPHER_fetch(nil, "AES-256-CBC", nil) else {
            preconditionFailure("AES is part of every build of OpenSSL")
        }
        return cipher
    }()

    /// What OpenSSL is to do, by the numbers it documents for the callback.
    fileprivate enum Answer: Int32 {
        case failed = -1
        /// A ticket nobody knows: a full handshake follows.
        case unknown = 0
        case use = 1
        /// Use the ticket and give the client a new one.
        case useAndRenew = 2
    }

    fileprivate func encrypt(
        _ name: UnsafeMutablePointer<UInt8>, _ vector: UnsafeMutablePointer<UInt8>, _ cipher: OpaquePointer,
        _ authentication: OpaquePointer
    ) -> Answer {
        let key = current(now: Clock.monotonicMilliseconds())
        let vectorBytes = EVP_CIPHER_get_iv_length(TicketKeys.cipher)
        guard RAND_bytes(vector, vectorBytes) == 1 else { return .failed }
        UnsafeMutableRawBufferPointer(start: name, count: TicketKey.nameBytes).copyMemory(from: key.name)
        let isReady = withExtendedLifetime(key) {
            EVP_EncryptInit_ex2(cipher, TicketKeys.cipher, start(key.encryptionKey), vector, nil) == 1
                && authenticate(authentication, key)
        }
        return isReady ? .use : .failed
    }

    fileprivate func decrypt(
        _ name: UnsafeMutablePointer<UInt8>, _ vector: UnsafeMutablePointer<UInt8>, _ cipher: OpaquePointer,
        _ authentication: OpaquePointer, isSingleUse: Bool
    ) -> Answer {
        guard let (key, isCurrent) = key(named: name, now: Clock.monotonicMilliseconds()) else { return .unknown }
        let isReady = withExtendedLifetime(key) {
            authenticate(authentication, key)
                && EVP_DecryptInit_ex2(cipher, TicketKeys.cipher, start(key.encryptionKey), vector, nil) == 1
        }
        guard isReady else { return .failed }
        return isCurrent && !isSingleUse ? .use : .useAndRenew
    }

    private func authenticate(_ authentication: OpaquePointer, _ key: TicketKey) -> Bool {
        associated_set_hmac(authentication, start(key.authenticationKey), key.authenticationKey.count) == 1
    }

    private func start(_ bytes: UnsafeRawBufferPointer) -> UnsafePointer<UInt8>? {
        bytes.assumingMemoryBound(to: UInt8.self).baseAddress
    }
}

/// The corresponding C type is that of the argument of `SSL_CTX_set_tlsext_ticket_key_evp_cb`.
private func answerTicketKey(
    _ ssl: OpaquePointer?, _ name: UnsafeMutablePointer<UInt8>?, _ vector: UnsafeMutablePointer<UInt8>?,
    _ cipher: OpaquePointer?, _ authentication: OpaquePointer?, _ isNew: Int32
) -> Int32 {
    guard let ssl, let name, let vector, let cipher, let authentication,
        let held = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), TicketKeys.contextIndex)
    else { return TicketKeys.Answer.failed.rawValue }
    let keys = Unmanaged<TicketKeys>.fromOpaque(held).takeUnretainedValue()
    let answer =
        isNew == 1
        ? keys.encrypt(name, vector, cipher, authentication)
        // TLS 1.3 clients use a ticket once, so that nobody can link their connections (RFC 8446 §C.4).
        : keys.decrypt(name, vector, cipher, authentication, isSingleUse: SSL_version(ssl) == TLS1_3_VERSION)
    return answer.rawValue
}
