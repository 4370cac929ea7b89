// A server that answers whatever a test wants, over TLS or without: as wrong as servers can be.

import Foundation
import Posix
import Synchronization

@testable import TLS

/// One thread that takes one connection after the other, until its owner lets go of it.
final class ScriptedServer: Sendable {
    private let loop: ScriptedLoop
    private let running: Joined
    var address: SocketAddress { loop.address }

    /// What is done with a request.
    enum Answer: Sendable {
        case bytes([UInt8])
        /// The bytes, and then nothing until the client has had enough.
        case stall([UInt8])
        /// The bytes, and then the next request of the same client.
        case keep([UInt8])

        static func text(_ text: String) -> Answer { .bytes(Array(text.utf8)) }
    }

    /// An owner in a place where a class can have it.
    private final class Joined: @unchecked Sendable {
        private var thread: Posix.Thread?

        func set(_ thread: consuming Posix.Thread) { self.thread = consume thread }

        func join() { if let thread = thread.take() { thread.join() } }
    }

    /// - Parameters:
    ///   - certificates: nil for plain HTTP.
    ///   - firstHandshakeMilliseconds: how long the first client waits before anything is done about it.
    ///   - respond: is given a request: the head, and the body that `Content-Length` counts.
    init(
        certificates: CertificateStore?, firstHandshakeMilliseconds: Int32 = 0,
        respond: @escaping @Sendable (String) -> Answer
    ) throws {
        let loop = try ScriptedLoop(certificates, firstHandshakeMilliseconds, respond)
        self.loop = loop
        running = Joined()
        running.set(try Posix.Thread(name: "scripted") { loop.run() })
    }

    deinit {
        loop.stop()
        running.join()
    }
}

/// The work of the thread, which outlives the server's owner by a moment.
private final class ScriptedLoop: Sendable {
    typealias Answer = ScriptedServer.Answer

    let address: SocketAddress
    private let listener: Listener
    private let isStopping = Atomic<Bool>(false)
    /// Taken by the first client.
    private let delay: Atomic<Int32>
    private let box: Mutex<SecureBox>
    private let respond: @Sendable (String) -> Answer

    init(
        _ certificates: CertificateStore?, _ delay: Int32, _ respond: @escaping @Sendable (String) -> Answer
    ) throws {
        self.delay = Atomic(delay)
        listener = try Listener(SocketAddress("127.0.0.1:0")!, sharesPort: false)
        address = listener.address
        box = Mutex(try SecureBox(certificates))
        self.respond = respond
    }

    func run() {
        box.withLock { box in
            while !isStopping.load(ordering: .relaxed) { takeOne(box) }
        }
    }

    func stop() { isStopping.store(true, ordering: .relaxed) }

    /// TLS for one thread.
    private final class SecureBox {
        let context: SecureContext
        let queue: LoadingQueue?
        let ready: ReadyHandshakes
        let isSecure: Bool

        init(_ certificates: CertificateStore?) throws {
            isSecure = certificates != nil
            let settings = try certificates.map { SecureSettings(certificates: $0, tickets: try TicketKeys()) }
            queue = try certificates.map { try LoadingQueue($0) }
            ready = try ReadyHandshakes()
            context = try SecureContext(settings, queue: queue, ready: ready)
        }
    }

    private func takeOne(_ box: SecureBox) {
        guard isReadable(listener.descriptor.number, milliseconds: 20) else { return }
        var peer = SocketAddress("127.0.0.1:0")!
        guard case .accepted(let fd) = listener.accept(peer: &peer) else { return }
        defer { close(fd) }
        let delay = delay.exchange(0, ordering: .relaxed)
        if delay > 0 { poll(nil, 0, delay) }
        let session = box.isSecure ? box.context.makeSession() : nil
        defer { session?.end() }
        while let request = readRequest(fd, box, session) {
            switch respond(request) {
            case .bytes(let bytes): return write(bytes, fd, box, session, finishes: true)
            case .stall(let bytes):
                write(bytes, fd, box, session, finishes: false)
                while !isStopping.load(ordering: .relaxed), isReadable(fd, milliseconds: 20) == false {}
                return
            case .keep(let bytes): write(bytes, fd, box, session, finishes: false)
            }
        }
    }

    private static func isWhole(_ request: String) -> Bool {
        guard let end = request.range(of: "\r\n\r\n") else { return false }
        let lines = request[..<end.lowerBound].components(separatedBy: "\r\n")
        let field = "Content-Length: "
        let length = lines.first { $0.hasPrefix(field) }.flatMap { Int($0.dropFirst(field.count)) } ?? 0
        return request[end.upperBound...].utf8.count >= length
    }

    private func readRequest(_ fd: Int32, _ box: SecureBox, _ session: SecureSession?) -> String? {
        var text = ""
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 49_152, alignment: 8)
        let plain = UnsafeMutableRawBufferPointer.allocate(byteCount: 49_152, alignment: 8)
        defer {
            room.deallocate()
            plain.deallocate()
        }
        while !ScriptedLoop.isWhole(text) {
            guard waitsForMore(fd), case .moved(let count) = receive(fd, into: room) else {
                return nil
            }
            let received = UnsafeRawBufferPointer(rebasing: room[..<count])
            guard let session else {
                text += String(decoding: received, as: UTF8.self)
                continue
            }
            if session.isEstablished {
                session.feed(box.context, received)
            } else {
                var outcome = session.handshake(box.context, received, token: 0)
                while outcome == .wantsCertificate {
                    box.queue?.readAll()
                    outcome = session.handshake(
                        box.context, box.context.unreadRecords, token: 0,
                        certificate: box.ready.take().first?.certificate)
                }
                flush(fd, box)
                guard case .done = outcome else {
                    if outcome == .wantsInput { continue }
                    return nil
                }
            }
            while case .done(let count) = session.receive(box.context, into: plain) {
                text += String(decoding: plain[..<count], as: UTF8.self)
            }
            flush(fd, box)
        }
        return text
    }

    private func write(_ bytes: [UInt8], _ fd: Int32, _ box: SecureBox, _ session: SecureSession?, finishes: Bool) {
        guard let session else { return send(bytes, fd) }
        for start in stride(from: 0, to: bytes.count, by: 16_384) {
            bytes[start..<min(bytes.count, start + 16_384)].withUnsafeBytes { _ = session.send(box.context, $0) }
            flush(fd, box)
        }
        if finishes { session.finish(box.context) }
        flush(fd, box)
    }

    private func flush(_ fd: Int32, _ box: SecureBox) {
        send(Array(box.context.output), fd)
        box.context.clearOutput()
    }

    private func send(_ bytes: [UInt8], _ fd: Int32) {
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

    /// Until something comes, or nobody wants to know any more.
    private func waitsForMore(_ fd: Int32) -> Bool {
        for _ in 0..<500 where !isStopping.load(ordering: .relaxed) {
            if isReadable(fd, milliseconds: 20) { return true }
        }
        return false
    }

    private func isReadable(_ fd: Int32, milliseconds: Int32) -> Bool {
        var event = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
        return poll(&event, 1, milliseconds) > 0
    }
}

/// The heads of requests, in the order in which they came.
final class HeardHeads: Sendable {
    private let heads = Mutex<[String]>([])

    func add(_ head: String) { heads.withLock { $0.append(head) } }

    var all: [String] { heads.withLock { $0 } }
}
