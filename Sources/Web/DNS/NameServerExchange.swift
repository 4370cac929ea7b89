// Sends one question to one name server: over UDP, and again over TCP if the answer is truncated. The C library's own
// exchange is not used, because it reports SERVFAIL as a time-out and has no time limit for TCP.

import Posix

/// A question to a name server, with time limits.
struct NameServerExchange {
    let server: SocketAddress
    let question: DNSQuestion
    /// The time limit for UDP, and again for TCP.
    let phaseMilliseconds: Int
    /// When the whole exchange must end, by the monotonic clock.
    let endMilliseconds: Int64

    /// Sends the question with EDNS, and again without it if the server does not support EDNS (RFC 6891 §7).
    func answer(_ state: borrowing ResolverState) throws(DNSFailure.Kind) -> DNSMessage {
        var message = try ask(state, withEDNS: true)
        if [DNSCode.formatError, DNSCode.notImplemented, DNSCode.badVersion].contains(message.code) {
            message = try ask(state, withEDNS: false)
        }
        switch message.code {
        case DNSCode.noError where message.isReferral: throw .refused(server: "\(server)")
        case DNSCode.noError, DNSCode.noSuchName: return message
        case DNSCode.serverFailure: throw .serverFailure(server: "\(server)")
        case DNSCode.refused: throw .refused(server: "\(server)")
        default: throw .code(message.code, server: "\(server)")
        }
    }

    private func ask(_ state: borrowing ResolverState, withEDNS: Bool) throws(DNSFailure.Kind) -> DNSMessage {
        // To forge an answer, an attacker must guess this id and the port, which the kernel chooses for each socket.
        let id = UInt16.random(in: .min ... .max)
        guard let query = state.query(question, id: id, withEDNS: withEDNS) else {
            throw .malformed(server: "\(server)", reason: "it names a host that cannot be looked up")
        }
        var reading: DNSMessage.Reading?
        do throws(SystemError) { reading = try askByDatagram(query, id) } catch {
            throw error.isTimeOut ? .timedOut : .unreachable(server: "\(server)", error)
        }
        if case .truncated = reading {
            do throws(SystemError) { reading = try askByStream(query, id) } catch {
                throw .truncated(server: "\(server)", reason: error.reason)
            }
        }
        switch reading {
        case .message(let message): return message
        case .malformed(let reason): throw .malformed(server: "\(server)", reason: reason)
        case .unrelated: throw .malformed(server: "\(server)", reason: "it answers another question")
        case .truncated: throw .truncated(server: "\(server)", reason: "it is truncated there too")
        case nil: throw .truncated(server: "\(server)", reason: "the connection ended before the answer did")
        }
    }

    private func askByDatagram(_ query: [UInt8], _ id: UInt16) throws(SystemError) -> DNSMessage.Reading {
        let end = phaseEnd
        let socket = try ClientSocket(to: server, isDatagram: true, timeoutMilliseconds: phaseMilliseconds)
        try socket.send(query)
        while true {
            let reading = DNSMessage.read(try socket.receive(until: end), id: id, question: question)
            // Packets that do not belong to the question are ignored.
            if case .unrelated = reading { continue }
            return reading
        }
    }

    /// Nil if the connection ends too early.
    private func askByStream(_ query: [UInt8], _ id: UInt16) throws(SystemError) -> DNSMessage.Reading? {
        let stream = NameServerStream(server: server, endMilliseconds: phaseEnd)
        return try stream.answer(query).map { DNSMessage.read($0, id: id, question: question) }
    }

    private var phaseEnd: Int64 { min(endMilliseconds, Clock.monotonicMilliseconds() + Int64(phaseMilliseconds)) }
}

/// One message and its answer over TCP, for a question or an update. Each is preceded by its length (RFC 7766 §8).
struct NameServerStream {
    let server: SocketAddress
    /// When the exchange must end, by the monotonic clock.
    let endMilliseconds: Int64

    /// Nil if the connection ends before the answer does.
    func answer(_ message: [UInt8]) throws(SystemError) -> [UInt8]? {
        let left = endMilliseconds - Clock.monotonicMilliseconds()
        let socket = try ClientSocket(to: server, timeoutMilliseconds: Int(left))
        try socket.send(ResolverState.bytes(UInt16(message.count)) + message)
        var bytes: [UInt8] = []
        while bytes.count < 2 || bytes.count < 2 + Int(DNSMessage.number(bytes, 0)) {
            let more = try socket.receive(until: endMilliseconds)
            if more.isEmpty { return nil }
            bytes += more
        }
        return Array(bytes[2..<2 + Int(DNSMessage.number(bytes, 0))])
    }
}

extension ClientSocket {
    /// In the time left in total; otherwise a server could keep it waiting by sending single bytes.
    fileprivate func receive(until end: Int64) throws(SystemError) -> [UInt8] {
        let left = end - Clock.monotonicMilliseconds()
        guard left > 0 else { throw .timedOut("recv") }
        return try receive(within: Int(left))
    }
}
