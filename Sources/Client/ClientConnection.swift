// One connection to a server, for one request after the other: directly, or through a proxy that is asked for a tunnel. What
// a server can delay has a time limit, and what it can make long has a bound.

import Posix
public import TLS

/// A connection over TCP or a Unix-domain socket, with TLS or without.
public struct ClientConnection: ~Copyable {
    private let channel: Channel
    /// What the server showed of itself. Nil in plain HTTP.
    public let peer: PeerFacts?
    private let handshakeMilliseconds: Int
    /// Whether the server said that it takes another request.
    private var isKept = true
    /// Whether anything has come of the answer to the last request.
    private(set) var hasAnswered = false

    /// Connects as the request says, and sends nothing yet.
    /// - Parameter context: nil where all requests are plain.
    public init(for request: FetchRequest, _ context: ClientContext?) throws(FetchError) {
        try self.init(for: request, context, Stopwatch(request.limits.milliseconds))
    }

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
        guard let context else { throw .failed("there are no certificates to trust") }
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

    /// Whether another request can be sent. A server may have closed the connection since the last one.
    public var isReusable: Bool { isKept && !channel.hasInput }

    /// Sends a request and reads the answer.
    public mutating func send(_ request: FetchRequest) throws(FetchError) -> FetchedResponse {
        try send(request, Stopwatch(request.limits.milliseconds))
    }

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
        isKept = request.keepsConnection && reader.leavesConnection
        var response = reader.response(firstByte: firstByte ?? stopwatch.elapsed, total: stopwatch.elapsed)
        response.peer = peer
        response.handshakeMilliseconds = handshakeMilliseconds
        return response
    }
}

/// A connection to a host that a proxy is asked for (RFC 9110 §9.3.6).
public struct Tunnel: Hashable, Sendable {
    /// The host and port in question.
    var target: String
    /// What the proxy wants to be told, if anything.
    var authorization: String?

    public init(to host: CheckedHost, authorization: String? = nil) {
        target = "\(host.name):\(host.port)"
        self.authorization = authorization
    }

    /// Asks the proxy at the other end, and gives the socket back when it leads to the host.
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
            if stopwatch.left <= 0 { throw .timedOut("the answer of the proxy") }
            switch try channel.receive(within: stopwatch.left, for: "the answer of the proxy") {
            case .bytes(let bytes): try reader.take(bytes)
            case .ended: try reader.end()
            }
        }
        let status = reader.response(firstByte: 0, total: 0).status
        guard (200..<300).contains(status) else {
            throw .failed("the proxy \(request.address) does not connect to \(target): it answers \(status)")
        }
        switch consume channel {
        case .plain(let socket): return socket
        case .secure: preconditionFailure("a tunnel is asked for in plain HTTP")
        }
    }
}

/// Milliseconds since something began, and until it has to end.
public struct Stopwatch {
    private let start = Clock.monotonicMicroseconds()
    private let budget: Int

    public init(_ milliseconds: Int) { budget = milliseconds }

    var elapsed: Int { Int((Clock.monotonicMicroseconds() - start) / 1_000) }
    public var left: Int { budget - elapsed }

    /// For a part of it, from now on: what is left, or less.
    func limited(to milliseconds: Int?) -> Stopwatch { Stopwatch(min(left, milliseconds ?? left)) }
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

    /// What is sent at once, so that the time is looked at in between.
    private static let pieceBytes = 16_384

    /// A server that has closed already may still have left an answer to be read, so only a time-out ends it here.
    borrowing func send(_ bytes: [UInt8], within stopwatch: Stopwatch) throws(FetchError) {
        for start in stride(from: 0, to: bytes.count, by: Channel.pieceBytes) {
            if stopwatch.left <= 0 { throw .timedOut("the request") }
            let piece = Array(bytes[start..<min(bytes.count, start + Channel.pieceBytes)])
            switch self {
            case .plain(let socket):
                do throws(SystemError) {
                    try socket.limit(timeoutMilliseconds: stopwatch.left)
                    try socket.send(piece)
                } catch {
                    if error.isTimeOut { throw .timedOut("the request") }
                    return
                }
            case .secure(let session):
                if !session.send(piece, within: stopwatch.left) { return }
            }
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
                throw error.isTimeOut ? .timedOut(part) : .brokenOff(part, error)
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

    /// Whether something is there to be read: between two requests that is the end, or nothing that was asked for.
    var hasInput: Bool {
        switch self {
        case .plain(let socket): socket.hasInput
        case .secure(let session): session.hasInput
        }
    }
}
