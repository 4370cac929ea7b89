// The keys of session tickets, shared by all workers, so that a client can resume its session at any worker. A ticket is only as
// secret as its key, so keys are replaced twice a day; tickets of the replaced key are accepted for another half day.
//
// Several servers with one name share a key file instead: 80 bytes for each key (`openssl rand 80 >ticket.key`). The first key
// encrypts new tickets, the others only decrypt. To replace the first key without losing a session, put the new key second, wait
// until each server has read the file (a minute), then move it to the front and keep the old one after it for a day.

import COpenSSL
import Posix
import Synchronization

/// The ticket keys of one server.
public final class TicketKeys: Sendable {
    public static let rotationMillisecondsDefault: Int64 = 12 * 3600 * 1000
    static let fileKeysMax = 16
    static let recheckMilliseconds: Int64 = 60_000

    private struct State {
        /// The first one encrypts; all decrypt.
        var keys: [TicketKey]
        /// When to rotate the keys or to check the file, by the monotonic clock.
        var dueMilliseconds: Int64
        var stamp: FileStatus?
        /// The last reported problem of the file, so that it is reported once.
        var complaint: String?
    }

    private enum Source {
        case own(rotationMilliseconds: Int64)
        case file(String)
    }

    private let source: Source
    private let state: Mutex<State>

    /// Keys of this process alone, rotated by time.
    public init(rotationMilliseconds: Int64 = TicketKeys.rotationMillisecondsDefault) throws(TLSError) {
        precondition(rotationMilliseconds > 0, "keys are rotated in the future")
        source = .own(rotationMilliseconds: rotationMilliseconds)
        let due = Clock.monotonicMilliseconds() + rotationMilliseconds
        state = Mutex(State(keys: [try TicketKey()], dueMilliseconds: due))
    }

    /// Keys shared by a fleet; changes of the file are noticed within a minute.
    public init(file: String) throws(TLSError) {
        source = .file(file)
        let stamp = try? File.status(file)
        let keys = try TicketKeys.read(file)
        let due = Clock.monotonicMilliseconds() + TicketKeys.recheckMilliseconds
        state = Mutex(State(keys: keys, dueMilliseconds: due, stamp: stamp))
    }

    func current(now: Int64) -> TicketKey {
        state.withLock { state in
            if now >= state.dueMilliseconds { advance(&state, now) }
            return state.keys[0]
        }
    }

    /// The key of a ticket, and whether it is the one for new ones.
    func key(named name: UnsafeRawPointer, now: Int64) -> (key: TicketKey, isCurrent: Bool)? {
        nonisolated(unsafe) let name = unsafe name
        return state.withLock { state in
            if now >= state.dueMilliseconds { advance(&state, now) }
            guard let index = state.keys.firstIndex(where: { unsafe $0.isNamed(name) }) else { return nil }
            return (state.keys[index], index == 0)
        }
    }

    /// Reads the file again if it has changed. To be called every second or so; it checks once a minute. Not for workers, because
    /// a disk may be slow.
    /// - Returns: a new problem of the file. The last good keys stay in use.
    public func reloadFile(now: Int64) -> TLSError? {
        guard case .file(let path) = source else { return nil }
        let last: FileStatus?? = state.withLock { state in
            guard now >= state.dueMilliseconds else { return nil }
            state.dueMilliseconds = now + TicketKeys.recheckMilliseconds
            return .some(state.stamp)
        }
        guard let last else { return nil }
        let stamp = try? File.status(path)
        var error: TLSError?
        if stamp == nil || stamp != last {
            do throws(TLSError) {
                let keys = try TicketKeys.read(path)
                state.withLock { ($0.keys, $0.stamp) = (keys, stamp) }
            } catch let found {
                error = found
            }
        }
        if error == nil, let stamp, stamp.permissions & 0o077 != 0 {
            error = TLSError("other users can read the ticket keys in \(path), and so decrypt connections; chmod 600")
        }
        return state.withLock { state in
            defer { state.complaint = error?.description }
            return error?.description == state.complaint ? nil : error
        }
    }

    private func advance(_ state: inout State, _ now: Int64) {
        switch source {
        case .own(let rotationMilliseconds):
            // Without random bytes no handshake works either; keep the old key until there are some.
            guard let new = try? TicketKey() else { return OpenSSLFailure.forget() }
            // If no ticket was needed for long, the last key is too old as well.
            let isLate = now - state.dueMilliseconds >= rotationMilliseconds
            state.keys = isLate ? [new] : [new, state.keys[0]]
            state.dueMilliseconds = now + rotationMilliseconds
        case .file: break
        }
    }

    private static func read(_ path: String) throws(TLSError) -> [TicketKey] {
        let advice = "create one with openssl rand \(TicketKey.byteCount), and chmod 600"
        let content: SecretBytes
        do throws(FileError) {
            content = try SecretBytes(reading: path, bytesMax: fileKeysMax * TicketKey.byteCount)
        } catch {
            throw TLSError("cannot read the ticket keys in \(path): \(error); \(advice)")
        }
        guard content.count > 0, content.count % TicketKey.byteCount == 0 else {
            throw TLSError(
                "cannot use the ticket keys in \(path): the file has \(content.count) bytes instead of \(TicketKey.byteCount) "
                    + "for each key; \(advice)")
        }
        var keys: [TicketKey] = []
        for start in stride(from: 0, to: content.count, by: TicketKey.byteCount) {
            let part = unsafe content.bytes[start..<start + TicketKey.byteCount]
            unsafe keys.append(TicketKey(copying: UnsafeRawBufferPointer(rebasing: part)))
        }
        return keys
    }

    /// Makes an `SSL_CTX *` use these keys, which must outlive it.
    /// The corresponding C function is `SSL_CTX_set_tlsext_ticket_key_evp_cb`.
    func install(on context: OpaquePointer) {
        let result = unsafe SSL_CTX_set_ex_data(
            context, TicketKeys.applicationIndex, Unmanaged.passUnretained(self).toOpaque())
        precondition(result == 1, "the system has no memory left")
        unsafe SSL_CTX_set_tlsext_ticket_key_evp_cb(context, answerTicketKey)
    }

    /// The index of a context's data for which it belongs to the application (SSL_CTX_set_app_data(3)).
    fileprivate static let applicationIndex: Int32 = 0

    /// Fetched once: looking up an algorithm by name takes a lock and a microsecond.
    fileprivate nonisolated(unsafe) static let cipher: OpaquePointer = {
        guard let cipher = unsafe EVP_CIPHER_fetch(nil, "AES-256-CBC", nil) else {
            preconditionFailure("AES is part of every build of OpenSSL")
        }
        return unsafe cipher
    }()

    /// The results of the callback, with OpenSSL's numbers.
    fileprivate enum Answer: Int32 {
        case failed = -1
        /// The key of the ticket is unknown: a full handshake follows.
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
        let vectorBytes = unsafe EVP_CIPHER_get_iv_length(TicketKeys.cipher)
        guard unsafe RAND_bytes(vector, vectorBytes) == 1 else { return .failed }
        unsafe UnsafeMutableRawBufferPointer(start: name, count: TicketKey.nameBytes).copyMemory(from: key.name)
        let isReady = withExtendedLifetime(key) {
            unsafe EVP_EncryptInit_ex2(cipher, TicketKeys.cipher, start(key.encryptionKey), vector, nil) == 1
                && authenticate(authentication, key)
        }
        return isReady ? .use : .failed
    }

    fileprivate func decrypt(
        _ name: UnsafeMutablePointer<UInt8>, _ vector: UnsafeMutablePointer<UInt8>, _ cipher: OpaquePointer,
        _ authentication: OpaquePointer, isSingleUse: Bool
    ) -> Answer {
        guard let (key, isCurrent) = unsafe key(named: name, now: Clock.monotonicMilliseconds()) else {
            return .unknown
        }
        let isReady = withExtendedLifetime(key) {
            unsafe authenticate(authentication, key)
                && EVP_DecryptInit_ex2(cipher, TicketKeys.cipher, start(key.encryptionKey), vector, nil) == 1
        }
        guard isReady else { return .failed }
        return isCurrent && !isSingleUse ? .use : .useAndRenew
    }

    private func authenticate(_ authentication: OpaquePointer, _ key: TicketKey) -> Bool {
        unsafe associated_set_hmac(authentication, start(key.authenticationKey), key.authenticationKey.count) == 1
    }

    private func start(_ bytes: UnsafeRawBufferPointer) -> UnsafePointer<UInt8>? {
        unsafe bytes.assumingMemoryBound(to: UInt8.self).baseAddress
    }
}

/// A ticket key; its bytes are cleared when its last user releases it.
final class TicketKey: Sendable {
    static let nameBytes = 16
    static let byteCount = 80

    private let secret: SecretBytes

    init() throws(TLSError) { secret = try SecretBytes.random(count: TicketKey.byteCount) }

    /// 80 bytes of a shared file.
    init(copying bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count == TicketKey.byteCount, "a ticket key has 80 bytes")
        secret = unsafe SecretBytes(copying: bytes)
    }

    /// The key's name, which each ticket contains.
    var name: UnsafeRawBufferPointer { unsafe part(0, TicketKey.nameBytes) }
    var authenticationKey: UnsafeRawBufferPointer { unsafe part(16, 32) }
    var encryptionKey: UnsafeRawBufferPointer { unsafe part(48, 32) }

    func isNamed(_ name: UnsafeRawPointer) -> Bool {
        unsafe CRYPTO_memcmp(self.name.baseAddress, name, TicketKey.nameBytes) == 0
    }

    private func part(_ offset: Int, _ count: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: secret.bytes[offset..<offset + count])
    }
}

/// The callback for tickets. The corresponding C type is that of the argument of `SSL_CTX_set_tlsext_ticket_key_evp_cb`.
private func answerTicketKey(
    _ ssl: OpaquePointer?, _ name: UnsafeMutablePointer<UInt8>?, _ vector: UnsafeMutablePointer<UInt8>?,
    _ cipher: OpaquePointer?, _ authentication: OpaquePointer?, _ isNew: Int32
) -> Int32 {
    guard let ssl = unsafe ssl, let name = unsafe name, let vector = unsafe vector, let cipher = unsafe cipher,
        let authentication = unsafe authentication,
        let held = unsafe SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), TicketKeys.applicationIndex)
    else { return TicketKeys.Answer.failed.rawValue }
    let keys = unsafe Unmanaged<TicketKeys>.fromOpaque(held).takeUnretainedValue()
    let answer =
        unsafe isNew == 1
        ? keys.encrypt(name, vector, cipher, authentication)
        // TLS 1.3 clients use a ticket once, so that their connections cannot be linked (RFC 8446 §C.4).
        : keys.decrypt(name, vector, cipher, authentication, isSingleUse: SSL_version(ssl) == TLS1_3_VERSION)
    return answer.rawValue
}
