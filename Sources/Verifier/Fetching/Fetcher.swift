// One request, one answer, one connection, one time limit. Nothing is followed and nothing is tried again: what a verifier
// would do about it is decided by the caller.

import Posix
public import TLS

/// Fetches over plain HTTP and over TLS. Several threads may use one.
public struct Fetcher: Sendable {
    private let context: ClientContext

    public init(_ context: ClientContext) { self.context = context }

    public func fetch(_ request: FetchRequest) -> Result<FetchedResponse, FetchError> {
        let stopwatch = Stopwatch(request.limits.milliseconds)
        do throws(FetchError) {
            let socket: ClientSocket
            do throws(SystemError) {
                socket = try ClientSocket(to: request.address, timeoutMilliseconds: stopwatch.left)
            } catch {
                throw .cannotConnect(error)
            }
            guard request.isSecure else {
                return .success(try exchange(request, over: .plain(socket), stopwatch))
            }
            let session: ClientSession
            do throws(HandshakeError) {
                session = try context.connect(socket, host: request.host, within: stopwatch.left)
            } catch {
                throw .handshake(error)
            }
            let elapsed = stopwatch.elapsed
            let peer = session.facts(host: request.host, now: Clock.wallSeconds())
            var response = try exchange(request, over: .secure(session), stopwatch)
            response.peer = peer
            response.handshakeMilliseconds = elapsed
            return .success(response)
        } catch {
            return .failure(error)
        }
    }

    private func exchange(
        _ request: FetchRequest, over channel: consuming Channel, _ stopwatch: Stopwatch
    ) throws(FetchError) -> FetchedResponse {
        try channel.send(request.head, within: stopwatch.left)
        var reader = ResponseReader(limits: request.limits, hasBody: request.method != "HEAD")
        var firstByte: Int?
        while !reader.isComplete {
            if stopwatch.left <= 0 { throw .timedOut(reader.part) }
            switch try channel.receive(within: stopwatch.left, for: reader.part) {
            case .bytes(let bytes):
                if firstByte == nil { firstByte = stopwatch.elapsed }
                try reader.take(bytes)
            case .ended: try reader.end()
            }
        }
        return reader.response(firstByte: firstByte ?? stopwatch.elapsed, total: stopwatch.elapsed)
    }
}

/// Milliseconds since a fetch began, and until it has to end.
struct Stopwatch {
    private let start = Clock.monotonicMicroseconds()
    private let budget: Int

    init(_ milliseconds: Int) { budget = milliseconds }

    var elapsed: Int { Int((Clock.monotonicMicroseconds() - start) / 1_000) }
    var left: Int { budget - elapsed }
}

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
