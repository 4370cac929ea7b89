// A client that does anything a client can do, in any order, and checks that what it gets is what it asked for.

import COpenSSL
import Foundation
import Posix
import Testing

/// One connection of a test with random events.
final class RandomClient {
    /// A request, and what comes back.
    struct Exchange {
        let request: [UInt8]
        /// The whole body; nil when any answer will do.
        let body: [UInt8]?
        var isHead = false
    }

    private var fd: Int32
    private var ssl: OpaquePointer?
    private var unsent: ArraySlice<UInt8>
    private var unread: [UInt8] = []
    private var expected: ArraySlice<Exchange>
    /// After bytes that are no request nobody knows what the answers are.
    private var isTame = true
    private(set) var answers = 0
    private(set) var problem: String?

    var isOpen: Bool { fd >= 0 }

    /// Connects. `context` is one of OpenSSL's for clients, or nil for plain HTTP.
    init(
        _ address: SocketAddress, _ context: OpaquePointer?, host: String, _ exchanges: [Exchange], bufferBytes: Int32?
    ) {
        fd = RandomClient.connect(address, bufferBytes)
        expected = exchanges[...]
        unsent = exchanges.flatMap(\.request)[...]
        guard let context, let ssl = SSL_new(context) else { return }
        self.ssl = ssl
        SSL_set_fd(ssl, fd)
        _ = host.withCString {
            SSL_ctrl(
                ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), UnsafeMutableRawPointer(mutating: $0)
            )
        }
        SSL_set_connect_state(ssl)
    }

    deinit { close() }

    /// For one version of TLS, or any.
    static func makeContext(version: Int32? = nil) -> OpaquePointer {
        let context = SSL_CTX_new(TLS_client_method())!
        if let version {
            SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(version), nil)
            SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(version), nil)
        }
        return context
    }

    static func free(_ context: OpaquePointer?) { SSL_CTX_free(context) }

    private static func connect(_ address: SocketAddress, _ bufferBytes: Int32?) -> Int32 {
        let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        if var bytes = bufferBytes { setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, 4) }
        var to = sockaddr_in()
        to.sin_family = sa_family_t(AF_INET)
        to.sin_port = address.port.bigEndian
        to.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &to) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(fd, $0, 16) }
        }
        guard result == 0, fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) == 0 else {
            Glibc.close(fd)
            return -1
        }
        return fd
    }

    /// Sends at most so many of the bytes that are left.
    func send(_ countMax: Int) {
        guard isOpen, !unsent.isEmpty else { return }
        let count = min(countMax, unsent.count)
        let sent = unsent.prefix(count).withUnsafeBytes { bytes -> Int in
            guard let ssl else { return Glibc.send(fd, bytes.baseAddress, count, Int32(MSG_NOSIGNAL)) }
            ERR_clear_error()
            var written = 0
            return SSL_write_ex(ssl, bytes.baseAddress, count, &written) == 1 ? written : 0
        }
        if sent > 0 { unsent = unsent.dropFirst(sent) }
    }

    /// Reads at most so many bytes, and checks the answers that are whole.
    func read(_ countMax: Int) {
        guard isOpen else { return }
        var buffer = [UInt8](repeating: 0, count: countMax)
        let count = buffer.withUnsafeMutableBytes { bytes -> Int in
            guard let ssl else { return recv(fd, bytes.baseAddress, countMax, 0) }
            ERR_clear_error()
            var got = 0
            return SSL_read_ex(ssl, bytes.baseAddress, countMax, &got) == 1 ? got : 0
        }
        guard count > 0 else { return }
        unread += buffer[..<count]
        if isTame { checkAnswers() }
    }

    /// Sends something that nobody asked for, below TLS where there is TLS.
    func spoil(_ bytes: [UInt8]) {
        guard isOpen else { return }
        isTame = false
        _ = bytes.withUnsafeBytes { Glibc.send(fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    func finishSending() {
        guard isOpen else { return }
        if let ssl {
            ERR_clear_error()
            SSL_shutdown(ssl)
        }
        shutdown(fd, Int32(SHUT_WR))
    }

    /// Has the server make new keys in the middle of whatever it does; TLS 1.2 has no such thing and starts again.
    func changeKeys() {
        guard isOpen, let ssl, SSL_is_init_finished(ssl) == 1 else { return }
        ERR_clear_error()
        if SSL_version(ssl) == TLS1_3_VERSION {
            SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED)
        } else {
            SSL_renegotiate(ssl)
            // The server refuses, and may end the session.
            isTame = false
        }
        SSL_do_handshake(ssl)
    }

    /// Ends the connection with a reset.
    func reset() {
        guard isOpen else { return }
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        close()
    }

    func close() {
        guard isOpen else { return }
        if let ssl {
            SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN)
            SSL_free(ssl)
            ERR_clear_error()
        }
        ssl = nil
        Glibc.close(fd)
        fd = -1
    }

    private func checkAnswers() {
        while problem == nil, let end = unread.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound {
            let head = String(decoding: unread[..<end], as: UTF8.self).lowercased()
            guard head.hasPrefix("http/1.1 "), let status = Int(head.dropFirst(9).prefix(3)) else {
                return problem = "not an answer: \(head.prefix(60))"
            }
            guard let exchange = expected.first else { return problem = "an answer to nothing: \(head.prefix(60))" }
            let length = head.firstRange(of: "content-length: ").flatMap {
                Int(head[$0.upperBound...].prefix { $0.isNumber })
            }
            let count = exchange.isHead || status == 204 || status == 304 ? 0 : length ?? 0
            if unread.count < end + count { return }
            if status == 408 || status == 503 { return expected = [] }
            if let body = exchange.body, !exchange.isHead,
                status != 200 || !unread[end..<end + count].elementsEqual(body)
            {
                return problem = "\(String(decoding: exchange.request.prefix(60), as: UTF8.self)) got \(head)"
            }
            answers += 1
            expected = expected.dropFirst()
            unread.removeFirst(end + count)
        }
    }
}
