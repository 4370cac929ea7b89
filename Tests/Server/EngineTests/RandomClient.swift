// A client that does anything a client can do, in any order, and checks that its answers are right.

import COpenSSL
import Foundation
import Posix
import Testing

/// One connection of a test with random events.
final class RandomClient {
    /// A request and its answer.
    struct Exchange {
        let request: [UInt8]
        /// The whole body; nil when any answer will do.
        let body: [UInt8]?
        var isHead = false
    }

    private var fd: Int32
    /// The port at this end, by which the server's connection is found; 0 when there is none.
    let port: UInt16
    private var ssl: OpaquePointer?
    /// OpenSSL's records, which are sent in pieces like everything else.
    private var records: OpaquePointer?
    /// The exchanges that are not yet bytes for the wire.
    private var unsent: ArraySlice<UInt8>
    /// The unsent bytes, and the number of sent ones.
    private var wire: ArraySlice<UInt8>
    private(set) var sentBytes = 0
    /// Whether its socket buffers are small.
    let isNarrow: Bool
    private let headerBytes: Int
    /// How long the head of each request is, and all of it.
    private let lengths: [(head: Int, whole: Int)]
    private let exchangesBytes: Int
    private var unread: [UInt8] = []
    private var expected: ArraySlice<Exchange>
    /// After bytes that are not a request, the answers are unknown.
    private var isPredictable = true
    private var hasFinished = false
    private(set) var answers = 0
    private(set) var problem: String?

    var isOpen: Bool { fd >= 0 }

    /// Connects. `context` is OpenSSL's for clients, or nil for plain HTTP. With `isTrustedProxy` it begins with a PROXY header
    /// that names the client.
    init(
        _ address: SocketAddress, _ context: OpaquePointer?, host: String, _ exchanges: [Exchange],
        isTrustedProxy: Bool = false, bufferBytes: Int32?, isNarrow: Bool = false
    ) {
        self.isNarrow = isNarrow
        (fd, port) = RandomClient.connect(address, bufferBytes)
        let header = isTrustedProxy ? Array("PROXY TCP4 127.0.0.1 127.0.0.2 \(port) 80\r\n".utf8) : []
        let requests = exchanges.flatMap(\.request)
        lengths = exchanges.map {
            ($0.request.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound ?? 0, $0.request.count)
        }
        (headerBytes, exchangesBytes, expected) = (header.count, requests.count, exchanges[...])
        (wire, unsent) = context == nil ? ((header + requests)[...], []) : (header[...], requests[...])
        guard let context, let ssl = SSL_new(context) else { return }
        self.ssl = ssl
        SSL_set_fd(ssl, fd)
        records = BIO_new(BIO_s_mem())
        // Reading still uses the socket.
        SSL_set0_wbio(ssl, records)
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

    private static func connect(_ address: SocketAddress, _ bufferBytes: Int32?) -> (fd: Int32, port: UInt16) {
        let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        if var bytes = bufferBytes { setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, 4) }
        // Sent bytes leave at once, whatever the other end has acknowledged.
        var isAtOnce: Int32 = 1
        setsockopt(fd, Int32(IPPROTO_TCP), TCP_NODELAY, &isAtOnce, 4)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = address.port.bigEndian
        inet_pton(AF_INET, address.host, &name.sin_addr)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafeMutablePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(fd, $0, size) == 0 && getsockname(fd, $0, &size) == 0
            }
        }
        guard isConnected, fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) == 0 else {
            Glibc.close(fd)
            return (-1, 0)
        }
        return (fd, UInt16(bigEndian: name.sin_port))
    }

    /// Whether requests can be sent now.
    var isEstablished: Bool { ssl.map { SSL_is_init_finished($0) == 1 } ?? true }

    /// What the server must be receiving once it has all sent bytes; nil when that is unknown.
    var expectedPhases: [ConnectionModel.Phase]? {
        guard isOpen, isPredictable, !hasFinished, sentBytes > 0 else { return nil }
        if sentBytes < headerBytes { return [.proxyHeader] }
        if let ssl {
            // With TLS 1.3 the client ends the handshake, before that the server does.
            if SSL_is_init_finished(ssl) != 1 {
                return wire.isEmpty && SSL_version(ssl) == TLS1_3_VERSION ? [.handshake, .certificate] : nil
            }
            return wire.isEmpty ? [phase(behind: exchangesBytes - unsent.count)] : nil
        }
        return [phase(behind: sentBytes - headerBytes)]
    }

    private func phase(behind count: Int) -> ConnectionModel.Phase {
        var rest = count
        for (head, whole) in lengths where rest > 0 {
            if rest < head { return .head }
            if rest < whole { return .body }
            rest -= whole
        }
        return .idle
    }

    /// Sends at most this number of the remaining bytes.
    func send(_ countMax: Int) {
        guard isOpen else { return }
        if let ssl, wire.isEmpty, !unsent.isEmpty {
            ERR_clear_error()
            var written = 0
            _ = unsent.prefix(countMax).withUnsafeBytes { SSL_write_ex(ssl, $0.baseAddress, $0.count, &written) }
            unsent = unsent.dropFirst(written)
        }
        push(countMax)
    }

    /// Sends at most this number of bytes on the wire.
    private func push(_ countMax: Int) {
        takeRecords()
        let count = wire.prefix(countMax).withUnsafeBytes {
            Glibc.send(fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if count > 0 {
            wire = wire.dropFirst(count)
            sentBytes += count
        }
    }

    private func takeRecords() {
        guard let records else { return }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while case let count = BIO_read(records, &buffer, Int32(buffer.count)), count > 0 {
            wire += buffer.prefix(Int(count))
        }
    }

    /// Reads at most this number of bytes, and checks complete answers.
    func read(_ countMax: Int) {
        guard isOpen else { return }
        var buffer = [UInt8](repeating: 0, count: countMax)
        let count = buffer.withUnsafeMutableBytes { bytes -> Int in
            guard let ssl else { return recv(fd, bytes.baseAddress, countMax, 0) }
            ERR_clear_error()
            var got = 0
            return SSL_read_ex(ssl, bytes.baseAddress, countMax, &got) == 1 ? got : 0
        }
        takeRecords()
        guard count > 0 else { return }
        unread += buffer[..<count]
        if isPredictable { checkAnswers() }
    }

    /// Sends unexpected bytes, below TLS where there is TLS.
    func sendUnexpected(_ bytes: [UInt8]) {
        guard isOpen else { return }
        isPredictable = false
        _ = bytes.withUnsafeBytes { Glibc.send(fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    func finishSending() {
        guard isOpen else { return }
        hasFinished = true
        if let ssl {
            ERR_clear_error()
            SSL_shutdown(ssl)
        }
        push(.max)
        shutdown(fd, Int32(SHUT_WR))
    }

    /// Requests new keys from the server at any point; TLS 1.2 renegotiates instead.
    func changeKeys() {
        guard isOpen, let ssl, SSL_is_init_finished(ssl) == 1 else { return }
        ERR_clear_error()
        if SSL_version(ssl) == TLS1_3_VERSION {
            SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED)
        } else {
            SSL_renegotiate(ssl)
            // The server refuses this and may end the session.
            isPredictable = false
        }
        SSL_do_handshake(ssl)
        push(.max)
    }

    /// Ends the connection with a reset.
    func reset() {
        guard isOpen else { return }
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        close()
    }

    /// Stays connected, but frees its memory.
    func forgetSession() {
        if let ssl {
            SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN)
            SSL_free(ssl)
            ERR_clear_error()
        }
        (ssl, records) = (nil, nil)
        (wire, unsent, expected, unread) = ([], [], [], [])
    }

    func close() {
        guard isOpen else { return }
        forgetSession()
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
