// Asks a server for a sign of life, without knowing what it serves.

public import Posix

/// Why a server does not count as alive.
public struct PingError: Error, CustomStringConvertible {
    public let description: String
}

public enum Ping {
    /// Sends `OPTIONS *`, which RFC 9110 §9.3.7 offers as a ping, and expects a success. A server that listens on every
    /// address is asked on the loopback one. All of it within the time.
    public static func send(to address: SocketAddress, timeoutMilliseconds: Int) throws(PingError) {
        let target = address.reachable
        let end = Clock.monotonicMilliseconds() + Int64(timeoutMilliseconds)
        do {
            let socket = try ClientSocket(to: target, timeoutMilliseconds: timeoutMilliseconds)
            try socket.send(Array("OPTIONS * HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n".utf8))
            let statusLine = try firstLine(from: socket, untilMilliseconds: end)
            guard statusLine.hasPrefix("HTTP/1.1 2") else {
                throw PingError(
                    description: "\(target) answers \"\(statusLine)\"; is it associated that listens there?")
            }
        } catch let error as PingError {
            throw error
        } catch {
            throw PingError(description: "no answer from \(target): \(error)")
        }
    }

    /// A status line is short: what is longer is none.
    private static func firstLine(
        from socket: borrowing ClientSocket, untilMilliseconds end: Int64
    ) throws(SystemError) -> String {
        var line: [UInt8] = []
        while line.count < 256, !line.contains(UInt8(ascii: "\r")) {
            // Of the whole time, because a server that sends a byte now and then would never be given up otherwise.
            let left = end - Clock.monotonicMilliseconds()
            guard left > 0 else { throw .timedOut("recv") }
            try socket.limit(timeoutMilliseconds: Int(left))
            let more = try socket.receive(bytesMax: 256)
            if more.isEmpty { break }
            line += more
        }
        guard Clock.monotonicMilliseconds() <= end else { throw .timedOut("recv") }
        return String(decoding: line.prefix { $0 != UInt8(ascii: "\r") && $0 >= 0x20 && $0 < 0x7F }, as: UTF8.self)
    }
}
