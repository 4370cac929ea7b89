// Asks a running server on its admin listener, for the commands that do.

public import Posix

public enum AdminClient {
    /// An answer.
    public struct Response: Sendable {
        public var status: Int
        public var body: [UInt8]
    }

    /// Why there is none.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// More than any answer has.
    private static let bytesMax = 16 * 1024 * 1024

    /// Asks for a path, and has the whole answer within the time.
    public static func get(
        _ path: String, from address: SocketAddress, token: AdminToken?, timeoutMilliseconds: Int
    ) throws(Failure) -> Response {
        let authorization = token.map { "authorization: \($0.authorization)\r\n" } ?? ""
        let bytes = try exchange("GET \(path)", authorization, address, timeoutMilliseconds, bytesMax) { _ in false }
        guard let response = read(bytes) else {
            throw Failure(
                description: "\(address.reachable) gives no whole answer; is it associated that listens there?")
        }
        return response
    }

    /// Asks any server for a sign of life, without knowing what it serves: `OPTIONS *`, which RFC 9110 §9.3.7 offers as a ping. It
    /// has to answer with a success within the time.
    public static func ping(_ address: SocketAddress, timeoutMilliseconds: Int) throws(Failure) {
        // A status line is short: what is longer is none.
        let bytes = try exchange("OPTIONS *", "", address, timeoutMilliseconds, 256) { $0.contains(UInt8(ascii: "\r")) }
        let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\r") && $0 >= 0x20 && $0 < 0x7F }, as: UTF8.self)
        guard line.hasPrefix("HTTP/1.1 2") else {
            throw Failure(
                description: "\(address.reachable) answers \"\(line)\"; is it associated that listens there?")
        }
    }

    /// What a server answers, up to so many bytes, or until it is enough. A server that listens on every address is asked on the
    /// loopback one.
    private static func exchange(
        _ request: String, _ fields: String, _ address: SocketAddress, _ timeoutMilliseconds: Int, _ bytesMax: Int,
        until isEnough: ([UInt8]) -> Bool
    ) throws(Failure) -> [UInt8] {
        do throws(SystemError) {
            let end = Clock.monotonicMilliseconds() + Int64(timeoutMilliseconds)
            let socket = try ClientSocket(to: address.reachable, timeoutMilliseconds: timeoutMilliseconds)
            try socket.send(
                Array("\(request) HTTP/1.1\r\nhost: localhost\r\n\(fields)connection: close\r\n\r\n".utf8))
            var bytes: [UInt8] = []
            while bytes.count < bytesMax, !isEnough(bytes) {
                // Of the whole time, because a server that sends a byte now and then would never be given up otherwise.
                let left = end - Clock.monotonicMilliseconds()
                guard left > 0 else { throw .timedOut("recv") }
                try socket.limit(timeoutMilliseconds: Int(left))
                let more = try socket.receive()
                if more.isEmpty { break }
                bytes += more
            }
            guard Clock.monotonicMilliseconds() <= end else { throw .timedOut("recv") }
            return bytes
        } catch {
            throw Failure(description: "no answer from \(address.reachable): \(error)")
        }
    }

    /// Nil for what is no whole answer of an admin listener.
    static func read(_ bytes: [UInt8]) -> Response? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        guard let line = head.first, line.hasPrefix("HTTP/1.1 "), let status = Int(line.dropFirst(9).prefix(3)) else {
            return nil
        }
        let field = "content-length: "
        let length = head.first { $0.lowercased().hasPrefix(field) }.flatMap { Int($0.dropFirst(field.count)) }
        let body = Array(bytes[end.upperBound...])
        return length == body.count ? Response(status: status, body: body) : nil
    }
}
