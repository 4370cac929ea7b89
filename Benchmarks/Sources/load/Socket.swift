// A blocking client's connection, plain or over TLS, with a deadline for each call.

import COpenSSL
import Glibc

/// Why something did not come as expected.
struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// The certificates that are trusted, and the name that is asked for.
final class Trust: @unchecked Sendable {
    let context: OpaquePointer
    let name: String

    init(authority: String, name: String) throws {
        guard let context = SSL_CTX_new(TLS_client_method()), load_set_tls13(context) == 1,
            SSL_CTX_load_verify_locations(context, authority, nil) == 1
        else { throw Failure("cannot read \(authority)") }
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        self.context = context
        self.name = name
    }
}

/// One connection. A class, because a session outlives it.
final class Socket {
    private let fd: Int32
    private var ssl: OpaquePointer?
    private var unread: [UInt8] = []
    private(set) var isResumed = false
    /// The server has said that this answer is the last one here.
    private(set) var isLast = false

    init(port: UInt16, trust: Trust? = nil, session: OpaquePointer? = nil, name: String? = nil) throws {
        fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard fd >= 0 else { throw Failure("socket: \(String(cString: strerror(errno)))") }
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(fd, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        var on: Int32 = 1
        setsockopt(fd, Int32(IPPROTO_TCP), TCP_NODELAY, &on, 4)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(fd, $0, 16) }
        }
        guard result == 0 else { throw Failure("connect: \(String(cString: strerror(errno)))") }
        if let trust { try startTLS(trust, session, name ?? trust.name) }
    }

    deinit {
        if let ssl {
            // So that the session may be used again.
            SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
            SSL_free(ssl)
        }
        close(fd)
    }

    private func startTLS(_ trust: Trust, _ session: OpaquePointer?, _ name: String) throws {
        guard let ssl = SSL_new(trust.context) else { throw Failure("no memory for a session") }
        self.ssl = ssl
        ERR_clear_error()
        SSL_set_fd(ssl, fd)
        _ = load_set_name(ssl, name)
        SSL_set1_host(ssl, name)
        if let session { SSL_set_session(ssl, session) }
        guard SSL_connect(ssl) == 1 else { throw Failure("handshake: \(SSL_get_verify_result(ssl))") }
        isResumed = SSL_session_reused(ssl) == 1
    }

    /// What a later connection may resume; the caller frees it.
    func session() -> OpaquePointer? { SSL_get1_session(ssl) }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                ssl == nil
                    ? Glibc.send(fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                    : Int(SSL_write(ssl, $0.baseAddress, Int32($0.count)))
            }
            guard count > 0 else { throw Failure("cannot send") }
            sent += count
        }
    }

    /// The next answer: its status and its body.
    func answer() throws -> (status: Int, body: ArraySlice<UInt8>) {
        var end = headEnd(from: 0)
        while end == nil {
            let searched = max(0, unread.count - 3)
            try receive()
            end = headEnd(from: searched)
        }
        let head = String(decoding: unread[..<end!], as: UTF8.self)
        guard head.hasPrefix("HTTP/1.1 "), let status = Int(head.dropFirst(9).prefix(3)) else {
            throw Failure("not an answer: \(head.prefix(40))")
        }
        var length = 0
        for line in head.split(separator: "\r\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts[0].lowercased() == "content-length" { length = Int(parts[1].drop { $0 == " " }) ?? 0 }
            if line.lowercased() == "connection: close" { isLast = true }
        }
        while unread.count < end! + length { try receive() }
        let body = unread[end!..<end! + length]
        unread.removeFirst(end! + length)
        return (status, body)
    }

    private func headEnd(from start: Int) -> Int? {
        var index = start
        while index + 4 <= unread.count {
            if unread[index] == 13, unread[index + 1] == 10, unread[index + 2] == 13, unread[index + 3] == 10 {
                return index + 4
            }
            index += 1
        }
        return nil
    }

    private func receive() throws {
        let count = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 8) { buffer in
            let count =
                ssl == nil
                ? recv(fd, buffer.baseAddress, buffer.count, 0)
                : Int(SSL_read(ssl, buffer.baseAddress, Int32(buffer.count)))
            if count > 0 { unread.append(contentsOf: buffer[..<count]) }
            return count
        }
        guard count > 0 else { throw Failure(count == 0 ? "closed without a whole answer" : "nothing came") }
    }
}
