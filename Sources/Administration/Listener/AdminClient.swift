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

    /// Asks for a path, and has the whole answer within the time. A server that listens on every address is asked on the
    /// loopback one.
    public static func get(
        _ path: String, from address: SocketAddress, token: AdminToken?, timeoutMilliseconds: Int
    ) throws(Failure) -> Response {
        let target = address.reachable
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try exchange(path, target, token, timeoutMilliseconds)
        } catch {
            throw Failure(description: "no answer from \(target): \(error)")
        }
        guard let response = read(bytes) else {
            throw Failure(description: "\(target) gives no whole answer; is it associated that listens there?")
        }
        return response
    }

    private static func exchange(
        _ path: String, _ target: SocketAddress, _ token: AdminToken?, _ timeoutMilliseconds: Int
    ) throws(SystemError) -> [UInt8] {
        let end = Clock.monotonicMilliseconds() + Int64(timeoutMilliseconds)
        let socket = try ClientSocket(to: target, timeoutMilliseconds: timeoutMilliseconds)
        let authorization = token.map { "authorization: \($0.authorization)\r\n" } ?? ""
        try socket.send(
            Array("GET \(path) HTTP/1.1\r\nhost: localhost\r\n\(authorization)connection: close\r\n\r\n".utf8))
        var bytes: [UInt8] = []
        while bytes.count < bytesMax {
            // Of the whole time, because a server that sends a byte now and then would never be given up otherwise.
            let left = end - Clock.monotonicMilliseconds()
            guard left > 0 else { throw .timedOut("recv") }
            try socket.limit(timeoutMilliseconds: Int(left))
            let more = try socket.receive()
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
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
