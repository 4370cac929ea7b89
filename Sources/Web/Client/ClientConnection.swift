// One connection to a server, for several requests in sequence, directly or through a proxy's tunnel. Every step that a server can
// delay has a time limit, and every part that it can make long has a size limit.

import Posix
import TLS

/// A connection over TCP or a Unix-domain socket, with TLS or without.
struct ClientConnection: ~Copyable {
    private let channel: Channel
    /// The facts about the server from the handshake. Nil in plain HTTP.
    let peer: PeerFacts?
    private let handshakeMilliseconds: Int
    /// Whether the server accepts another request on this connection.
    private var isKept = true
    /// Whether any part of the answer to the last request has arrived.
    private(set) var hasAnswered = false

    /// Connects for the request, without sending it.
    /// - Parameter context: nil if all requests use plain HTTP.
    init(for request: FetchRequest, _ context: ClientContext?, _ stopwatch: Stopwatch) throws(FetchError) {
        let connecting = stopwatch.limited(to: request.limits.connectMilliseconds)
        var socket: ClientSocket
        do throws(SystemError) {
            socket = try ClientSocket(to: request.address, timeoutMilliseconds: connecting.left)
        } catch {
            throw .cannotConnect(error)
        }
        if let tunnel = request.tunnel { socket = try tunnel.open(over: socket, request, connecting) }
        guard request.isSecure else {
            channel = .plain(socket)
            peer = nil
            handshakeMilliseconds = 0
            return
        }
        guard let context else { throw .failed("no trusted CA certificates are loaded") }
        let session: ClientSession
        do throws(HandshakeError) {
            session = try context.connect(socket, host: request.host, within: connecting.left)
        } catch {
            throw .handshake(error)
        }
        let facts = session.facts(host: request.host, now: Clock.wallSeconds())
        if request.requiresTrust, let problem = facts.distrust { throw .untrusted(problem) }
        handshakeMilliseconds = stopwatch.elapsed
        peer = facts
        channel = .secure(session)
    }

    /// Whether another request can be sent. False if the server has closed the connection since the last one.
    var isReusable: Bool { isKept && !channel.hasInput }

    /// Sends a request and reads the answer.
    mutating func send(_ request: FetchRequest, _ stopwatch: Stopwatch) throws(FetchError) -> FetchedResponse {
        isKept = false
        hasAnswered = false
        let bytes = try request.bytes()
        try channel.send(bytes, within: stopwatch)
        var reader = ResponseReader(limits: request.limits, hasBody: request.readsBody && request.method != "HEAD")
        let head = stopwatch.limited(to: request.limits.headMilliseconds)
        var firstByte: Int?
        while !reader.isComplete {
            let left = reader.isReadingHead ? head.left : stopwatch.left
            if left <= 0 { throw .timedOut(reader.part) }
            switch try channel.receive(within: left, for: reader.part) {
            case .bytes(let bytes):
                hasAnswered = true
                if firstByte == nil { firstByte = stopwatch.elapsed }
                try reader.take(bytes)
            case .ended: try reader.end()
            }
        }
        // A body that was not read is still to come.
        isKept = request.keepsConnection && request.readsBody && reader.leavesConnection
        var response = reader.response(firstByte: firstByte ?? stopwatch.elapsed, total: stopwatch.elapsed)
        response.peer = peer
        response.handshakeMilliseconds = handshakeMilliseconds
        return response
    }
}

/// A tunnel to a host through a proxy (RFC 9110 §9.3.6).
public struct Tunnel: Hashable, Sendable {
    /// The host and port to connect to.
    var target: String
    /// The value of `Proxy-Authorization`, if the proxy needs one.
    var authorization: String?

    public init(to host: CheckedHost, authorization: String? = nil) {
        target = "\(host.name):\(host.port)"
        self.authorization = authorization
    }

    /// Requests the tunnel from the proxy; returns the socket once it is connected to the host.
    fileprivate func open(
        over socket: consuming ClientSocket, _ request: FetchRequest, _ stopwatch: Stopwatch
    ) throws(FetchError) -> ClientSocket {
        var asking = FetchRequest(host: "", hostField: target, address: request.address, path: target, userAgent: nil)
        asking.method = "CONNECT"
        asking.keepsConnection = true
        if let authorization { asking.fields = [.init(name: "Proxy-Authorization", value: authorization)] }
        let channel = Channel.plain(socket)
        try channel.send(try asking.bytes(), within: stopwatch)
        var reader = ResponseReader(limits: request.limits, hasBody: false)
        while !reader.isComplete {
            if stopwatch.left <= 0 { throw .timedOut("the proxy's answer") }
            switch try channel.receive(within: stopwatch.left, for: "the proxy's answer") {
            case .bytes(let bytes): try reader.take(bytes)
            case .ended: try reader.end()
            }
        }
        let status = reader.response(firstByte: 0, total: 0).status
        guard (200..<300).contains(status) else {
            throw .failed("the proxy \(request.address) did not connect to \(target): it answered \(status)")
        }
        switch consume channel {
        case .plain(let socket): return socket
        case .secure: preconditionFailure("a tunnel is requested over plain HTTP")
        }
    }
}

/// The milliseconds since an operation began, and until it must end.
public struct Stopwatch {
    private let start = Clock.monotonicMicroseconds()
    private let budget: Int

    public init(_ milliseconds: Int) { budget = milliseconds }

    var elapsed: Int { Int((Clock.monotonicMicroseconds() - start) / 1_000) }
    public var left: Int { budget - elapsed }

    /// A stopwatch for a part of the operation, from now on.
    func limited(to milliseconds: Int?) -> Stopwatch { Stopwatch(min(left, milliseconds ?? left)) }
}

/// One of the two kinds of connection.
enum Channel: ~Copyable {
    case plain(ClientSocket)
    case secure(ClientSession)

    /// The result of waiting for data.
    enum Received {
        case bytes([UInt8])
        case ended
    }

    /// Data is sent in pieces of this size, and the time limit is checked between them.
    private static let pieceBytes = 16_384

    /// Sends bytes. Only a time-out is an error, because a server that has already closed the connection may have sent an answer.
    borrowing func send(_ bytes: [UInt8], within stopwatch: Stopwatch) throws(FetchError) {
        for start in stride(from: 0, to: bytes.count, by: Channel.pieceBytes) {
            if stopwatch.left <= 0 { throw .timedOut("the request") }
            let piece = Array(bytes[start..<min(bytes.count, start + Channel.pieceBytes)])
            switch self {
            case .plain(let socket):
                do throws(SystemError) {
                    try socket.send(piece, within: stopwatch.left)
                } catch {
                    if error.isTimeOut { throw .timedOut("the request") }
                    return
                }
            case .secure(let session):
                if !session.send(piece, within: stopwatch.left) { return }
            }
        }
    }

    /// Waits for data.
    /// - Parameter part: the expected part of the answer, for the message.
    borrowing func receive(within milliseconds: Int, for part: String) throws(FetchError) -> Received {
        switch self {
        case .plain(let socket):
            do throws(SystemError) {
                let bytes = try socket.receive(within: milliseconds)
                return bytes.isEmpty ? .ended : .bytes(bytes)
            } catch {
                throw error.isTimeOut ? .timedOut(part) : .connectionFailed(part, error)
            }
        case .secure(let session):
            switch session.receive(within: milliseconds) {
            case .bytes(let bytes): return .bytes(bytes)
            // Many servers close without a close_notify alert. The length of the body shows whether something is missing.
            case .ended, .truncated: return .ended
            case .timedOut: throw .timedOut(part)
            case .failed(let reason): throw .failed("the connection failed during \(part): \(reason)")
            }
        }
    }

    /// Whether data can be read. Between two requests, that is the end of the connection or an unexpected answer.
    var hasInput: Bool {
        switch self {
        case .plain(let socket): socket.hasInput
        case .secure(let session): session.hasInput
        }
    }
}
