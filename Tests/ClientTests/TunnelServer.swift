// A proxy that leads every tunnel to the same server, or none.

import Foundation
import Posix
import Synchronization

/// One thread that takes one connection after the other, until its owner lets go of it.
final class TunnelServer: Sendable {
    private let loop: TunnelLoop
    var address: SocketAddress { loop.address }
    /// The heads of the requests for a tunnel.
    var heard: HeardHeads { loop.heard }

    /// - Parameter answer: what a request for a tunnel is answered; bytes pass when it is a success.
    init(to target: SocketAddress, answering answer: String = "HTTP/1.1 200 Connected\r\n\r\n") throws {
        let loop = try TunnelLoop(target, answer)
        self.loop = loop
        Foundation.Thread { loop.run() }.start()
    }

    deinit { loop.stop() }
}

/// The work of the thread, which outlives the server's owner by a moment.
private final class TunnelLoop: Sendable {
    let address: SocketAddress
    let heard = HeardHeads()
    private let listener: Listener
    private let target: SocketAddress
    private let answer: String
    private let isStopping = Atomic<Bool>(false)

    init(_ target: SocketAddress, _ answer: String) throws {
        self.target = target
        self.answer = answer
        listener = try Listener(SocketAddress("127.0.0.1:0")!, sharesPort: false)
        address = listener.address
    }

    func stop() { isStopping.store(true, ordering: .relaxed) }

    func run() {
        while !isStopping.load(ordering: .relaxed) {
            var peer = SocketAddress.unknown
            guard isReadable([listener.descriptor.number]) != nil,
                case .accepted(let fd) = listener.accept(peer: &peer)
            else { continue }
            let client = Descriptor(takingOwnershipOf: fd)
            heard.add(String(decoding: take(client.number), as: UTF8.self))
            put(Array(answer.utf8), client.number)
            guard answer.hasPrefix("HTTP/1.1 2"), let server = try? ClientSocket(to: target, timeoutMilliseconds: 5_000)
            else { continue }
            while let readable = isReadable([client.number, server.number]) {
                let bytes = take(readable)
                if bytes.isEmpty { break }
                put(bytes, readable == client.number ? server.number : client.number)
            }
        }
    }

    /// The first of them with something to read; nil when there is none soon, or the time has come to stop.
    private func isReadable(_ numbers: [Int32]) -> Int32? {
        for _ in 0..<500 where !isStopping.load(ordering: .relaxed) {
            var events = numbers.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            if poll(&events, nfds_t(events.count), 20) > 0 { return events.first { $0.revents != 0 }?.fd }
        }
        return nil
    }

    private func take(_ fd: Int32) -> [UInt8] {
        guard isReadable([fd]) != nil else { return [] }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        guard case .moved(let count) = bytes.withUnsafeMutableBytes({ receive(fd, into: $0) }) else { return [] }
        return Array(bytes.prefix(count))
    }

    private func put(_ bytes: [UInt8], _ fd: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            switch rest.withUnsafeBytes({ transmit(fd, $0) }) {
            case .moved(let count): rest = rest.dropFirst(count)
            case .wouldBlock:
                var event = pollfd(fd: fd, events: Int16(POLLOUT), revents: 0)
                if poll(&event, 1, 2_000) <= 0 { return }
            case .ended, .failed: return
            }
        }
    }
}
