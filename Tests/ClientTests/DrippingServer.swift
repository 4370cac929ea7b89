// A server that says what it has to say one byte at a time, and never all of it.

import Foundation
import Posix
import Synchronization

/// One thread that takes one connection after the other, until its owner lets go of it.
final class DrippingServer: Sendable {
    private let loop: DrippingLoop
    var address: SocketAddress { loop.address }

    /// - Parameter bytes: they go at once, as they are; the last one then drips for as long as somebody listens.
    init(_ bytes: [UInt8]) throws {
        let loop = try DrippingLoop(bytes)
        self.loop = loop
        Foundation.Thread { loop.run() }.start()
    }

    deinit { loop.stop() }
}

/// The work of the thread, which outlives the server's owner by a moment.
private final class DrippingLoop: Sendable {
    let address: SocketAddress
    private let listener: Listener
    private let bytes: [UInt8]
    private let isStopping = Atomic<Bool>(false)

    /// Nobody listens for that many; a client that does is not to be waited for.
    private static let dripsMax = 1_000

    init(_ bytes: [UInt8]) throws {
        self.bytes = bytes
        listener = try Listener(SocketAddress("127.0.0.1:0")!, sharesPort: false)
        address = listener.address
    }

    func run() {
        while !isStopping.load(ordering: .relaxed) { takeOne() }
    }

    func stop() { isStopping.store(true, ordering: .relaxed) }

    private func takeOne() {
        var peer = SocketAddress("127.0.0.1:0")!
        guard isReadable(listener.descriptor.number, milliseconds: 20) else { return }
        guard case .accepted(let fd) = listener.accept(peer: &peer) else { return }
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 8)
        defer {
            room.deallocate()
            close(fd)
        }
        _ = bytes.withUnsafeBytes { transmit(fd, $0) }
        for _ in 0..<DrippingLoop.dripsMax where !isStopping.load(ordering: .relaxed) {
            // Whoever has had enough closes the connection; what else comes is a request, and is not looked at.
            if isReadable(fd, milliseconds: 10) {
                guard case .moved = receive(fd, into: room) else { return }
            }
            _ = bytes.suffix(1).withUnsafeBytes { transmit(fd, $0) }
        }
    }

    private func isReadable(_ fd: Int32, milliseconds: Int32) -> Bool {
        var event = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
        return poll(&event, 1, milliseconds) > 0
    }
}
