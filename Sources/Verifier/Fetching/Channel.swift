// A connection with or without TLS, to whoever reads and writes plain bytes.

import Posix
import TLS

/// One of the two kinds of connection.
enum Channel: ~Copyable {
    case plain(ClientSocket)
    case secure(ClientSession)

    /// What came.
    enum Received {
        case bytes([UInt8])
        case ended
    }

    /// A server that has closed already may still have left an answer to be read, so only a time-out ends it here.
    borrowing func send(_ bytes: [UInt8], within milliseconds: Int) throws(FetchError) {
        switch self {
        case .plain(let socket):
            do throws(SystemError) {
                try socket.limit(timeoutMilliseconds: milliseconds)
                try socket.send(bytes)
            } catch {
                if error.isTimeOut { throw .timedOut("the request") }
            }
        case .secure(let session): _ = session.send(bytes, within: milliseconds)
        }
    }

    /// Waits for more.
    /// - Parameter part: what is being waited for, for the message.
    borrowing func receive(within milliseconds: Int, for part: String) throws(FetchError) -> Received {
        switch self {
        case .plain(let socket):
            do throws(SystemError) {
                try socket.limit(timeoutMilliseconds: milliseconds)
                let bytes = try socket.receive()
                return bytes.isEmpty ? .ended : .bytes(bytes)
            } catch {
                throw error.isTimeOut ? .timedOut(part) : .failed("\(part) broke off: \(error.reason)")
            }
        case .secure(let session):
            switch session.receive(within: milliseconds) {
            case .bytes(let bytes): return .bytes(bytes)
            // Many servers leave out the word of the end; whether something is missing, the body's length tells.
            case .ended, .truncated: return .ended
            case .timedOut: throw .timedOut(part)
            case .failed(let reason): throw .failed("\(part) broke off: \(reason)")
            }
        }
    }
}
