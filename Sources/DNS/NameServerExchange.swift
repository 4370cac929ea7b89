// One question to one name server: a datagram, and a connection where the answer does not fit into one. The C library's own
// exchange is not used: it reports SERVFAIL as a time-out, and waits for a TCP server without any limit.

import Posix

/// A question to a name server, to be answered in time.
struct NameServerExchange {
    let server: SocketAddress
    let question: DNSQuestion
    /// For the datagram, and once more for the connection.
    let phaseMilliseconds: Int
    /// When everything ends, by the monotonic clock.
    let endMilliseconds: Int64

    /// Asks with EDNS, and once more without it where the server does not understand that (RFC 6891 §7).
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
        // Whoever forges an answer has to guess this number and the port, which the kernel chooses for each socket.
        let id = UInt16.random(in: .min ... .max)
        guard let query = state.query(question, id: id, withEDNS: withEDNS) else {
            throw .malformed(server: "\(server)", reason: "it leads to a name that cannot be asked for")
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
        case .truncated: throw .truncated(server: "\(server)", reason: "it is cut there too")
        case nil: throw .truncated(server: "\(server)", reason: "the connection ended before the answer did")
        }
    }

    private func askByDatagram(_ query: [UInt8], _ id: UInt16) throws(SystemError) -> DNSMessage.Reading {
        let end = phaseEnd
        let socket = try ClientSocket(to: server, isDatagram: true, timeoutMilliseconds: phaseMilliseconds)
        try socket.send(query)
        while true {
            try limit(socket, until: end)
            let reading = DNSMessage.read(try socket.receive(), id: id, question: question)
            // What others send is no reason to stop waiting.
            if case .unrelated = reading { continue }
            return reading
        }
    }

    /// Nil when the connection ends too early. Each message has its length in front of it (RFC 7766 §8).
    private func askByStream(_ query: [UInt8], _ id: UInt16) throws(SystemError) -> DNSMessage.Reading? {
        let end = phaseEnd
        let left = end - Clock.monotonicMilliseconds()
        let socket = try ClientSocket(to: server, timeoutMilliseconds: Int(left))
        try socket.send(ResolverState.bytes(UInt16(query.count)) + query)
        var bytes: [UInt8] = []
        while bytes.count < 2 || bytes.count < 2 + Int(DNSMessage.number(bytes, 0)) {
            try limit(socket, until: end)
            let more = try socket.receive()
            if more.isEmpty { return nil }
            bytes += more
        }
        let message = bytes[2..<2 + Int(DNSMessage.number(bytes, 0))]
        return DNSMessage.read(Array(message), id: id, question: question)
    }

    private var phaseEnd: Int64 { min(endMilliseconds, Clock.monotonicMilliseconds() + Int64(phaseMilliseconds)) }

    /// Of the whole time, because a server that sends a byte now and then would never be given up otherwise.
    private func limit(_ socket: borrowing ClientSocket, until end: Int64) throws(SystemError) {
        let left = end - Clock.monotonicMilliseconds()
        guard left > 0 else { throw .timedOut("recv") }
        try socket.limit(timeoutMilliseconds: Int(left))
    }
}
