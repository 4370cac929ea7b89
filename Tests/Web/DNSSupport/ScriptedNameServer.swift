// A name server that sends any answer that a test needs, over UDP and TCP on one local port.

import Foundation
import Synchronization
import TestSupport

@testable import DNS
@testable import Posix

/// A thread that answers until its owner is released.
final class ScriptedNameServer: Sendable {
    /// A received query.
    struct Query: Sendable {
        var id: UInt16
        var question: DNSQuestion
        var hasEDNS: Bool
        var isStream: Bool
        var bytes: [UInt8]
    }

    /// What is sent back: datagrams, or bytes of a stream.
    enum Answer: Sendable {
        case packets([[UInt8]])
        /// Over TCP, without a length; then the connection is closed.
        case bytes([UInt8])
        case silence
    }

    private let loop: ScriptedNameLoop
    var address: SocketAddress { loop.address }
    var heard: [Query] { loop.heard.withLock { $0 } }

    /// - Parameter hasStream: whether anything listens for TCP.
    init(hasStream: Bool = true, _ respond: @escaping @Sendable (Query) -> Answer) throws {
        let loop = try ScriptedNameLoop(hasStream, respond)
        self.loop = loop
        Foundation.Thread { loop.run() }.start()
    }

    deinit { loop.stop() }

    /// A server that answers each query with one packet.
    static func answering(_ packet: @escaping @Sendable (Query) -> DNSPacket) throws -> ScriptedNameServer {
        try ScriptedNameServer { query in
            var answer = packet(query)
            answer.id = query.id
            return .packets([answer.bytes])
        }
    }
}

/// The work of the thread, which ends a moment after the server's owner.
private final class ScriptedNameLoop: Sendable {
    let address: SocketAddress
    let heard = Mutex<[ScriptedNameServer.Query]>([])
    private let datagrams: Descriptor
    private let streams: Listener
    private let respond: @Sendable (ScriptedNameServer.Query) -> ScriptedNameServer.Answer
    private let isStopping = StopFlag()

    init(
        _ hasStream: Bool, _ respond: @escaping @Sendable (ScriptedNameServer.Query) -> ScriptedNameServer.Answer
    ) throws {
        self.respond = respond
        var attempts = 0
        while true {
            let descriptor = Descriptor(
                takingOwnershipOf: socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
            _ = SocketAddress("127.0.0.1:0")!.withPointer { bind(descriptor.number, $0, $1) }
            var found = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let address = withUnsafeMutablePointer(to: &found) { place in
                place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    _ = getsockname(descriptor.number, $0, &length)
                }
                return SocketAddress(copying: place)!
            }
            attempts += 1
            do {
                // The port may be in use for TCP. Without TCP, the listener is on another port.
                streams = try Listener(hasStream ? address : SocketAddress("127.0.0.1:0")!, sharesPort: false)
            } catch {
                if attempts < 20 { continue }
                throw error
            }
            self.address = address
            datagrams = descriptor
            return
        }
    }

    func stop() { isStopping.set() }

    func run() {
        while !isStopping.value {
            var events = [datagrams.number, streams.descriptor.number].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            guard poll(&events, nfds_t(events.count), 20) > 0 else { continue }
            if events[0].revents != 0 { answerDatagram() }
            if events[1].revents != 0 { answerStream() }
        }
    }

    private func answerDatagram() {
        var (peer, room) = (sockaddr_in(), [UInt8](repeating: 0, count: 4_096))
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &peer) { place in
            place.withMemoryRebound(to: sockaddr.self, capacity: 1) { peer in
                let count = recvfrom(datagrams.number, &room, room.count, 0, peer, &length)
                guard case .packets(let packets) = answer(Array(room.prefix(max(0, count))), isStream: false) else {
                    return
                }
                for packet in packets { _ = sendto(datagrams.number, packet, packet.count, 0, peer, length) }
            }
        }
    }

    private func answerStream() {
        var peer = SocketAddress("127.0.0.1:0")!
        guard case .accepted(let fd) = streams.accept(peer: &peer) else { return }
        let client = ServerConnection(takingOwnershipOf: fd, until: isStopping)
        let bytes = client.receive()
        if bytes.isEmpty { return }
        switch answer(Array(bytes.dropFirst(2)), isStream: true) {
        case .packets(let packets):
            for packet in packets { client.send(ResolverState.bytes(UInt16(packet.count)) + packet) }
        case .bytes(let bytes): client.send(bytes)
        case .silence: client.stall()
        }
    }

    private func answer(_ bytes: [UInt8], isStream: Bool) -> ScriptedNameServer.Answer {
        guard let query = ScriptedNameLoop.query(bytes, isStream) else { return .silence }
        heard.withLock { $0.append(query) }
        return respond(query)
    }

    private static func query(_ bytes: [UInt8], _ isStream: Bool) -> ScriptedNameServer.Query? {
        guard bytes.count > 12 else { return nil }
        var (labels, offset) = ([String](), 12)
        while offset < bytes.count, bytes[offset] > 0 {
            let end = min(bytes.count, offset + 1 + Int(bytes[offset]))
            labels.append(String(decoding: bytes[offset + 1..<end], as: UTF8.self))
            offset = end
        }
        guard offset + 4 < bytes.count, let name = DomainName(labels.joined(separator: ".")),
            let type = DNSRecordType(rawValue: DNSMessage.number(bytes, offset + 1))
        else { return nil }
        return ScriptedNameServer.Query(
            id: DNSMessage.number(bytes, 0), question: DNSQuestion(type: type, name: name), hasEDNS: bytes[11] == 1,
            isStream: isStream, bytes: bytes)
    }
}
