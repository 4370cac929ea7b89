// One worker without a thread: a test runs a round when it wants, at the time that it sets, and inspects the worker's tables
// between rounds.

import Catalogue
import Certificates
import Foundation
import HTTP
import Posix
import TLS
import Telemetry
import Testing

@testable import Engine

/// A worker with a plain and a TLS listener and the test's clock; on request with two more, on which a trusted proxy
/// sends a header first.
final class WorkerRig {
    var worker: Worker
    /// The model that every round is compared with, if any.
    var model: ConnectionModel?
    let control: WorkerMailboxes
    let published: PublishedCatalogue
    /// Those of the worker, which it duplicates.
    let sockets: [ListeningSocket]
    private let addresses: [SocketAddress]
    var plainAddress: SocketAddress { addresses[0] }
    var secureAddress: SocketAddress { addresses[addresses.count / 2] }
    var proxiedPlainAddress: SocketAddress { addresses[1] }
    var proxiedSecureAddress: SocketAddress { addresses[3] }
    let metrics = WorkerMetrics(workerCount: 1)
    private let queue: CertificateQueue
    private let challenges: ChallengeQueue
    private(set) var now: Int64

    init(
        _ sites: [PreparedSite] = TestEngine.sites, limits: Limits = Limits(),
        certificates: CertificateStore = CertificateStore(hostsPath: "/nonexistent"), hasFronts: Bool = false
    ) throws {
        let wanted = try ["127.0.0.1:0", "127.0.0.2:0"].prefix(hasFronts ? 2 : 1).map {
            try #require(SocketAddress($0))
        }
        var settings = EngineSettings(listeners: [], workerCount: 1)
        settings.limits = limits
        for isSecure in [false, true] {
            for (index, address) in wanted.enumerated() {
                try settings.listen(at: address, isSecure: isSecure, expectsProxyHeader: index == 1)
            }
        }
        settings.secure = SecureSettings(certificates: certificates, tickets: try TicketKeys())
        if hasFronts { settings.trustedProxies.networks = networks("127.0.0.0/8") }
        sockets = settings.listeners.flatMap(\.sockets)
        addresses = settings.listeners.map { $0.sockets[0].address }
        published = PublishedCatalogue(TestEngine.catalogue(sites))
        control = try WorkerMailboxes(number: 0)
        queue = try certificates.source.makeQueue()
        try queue.start()
        challenges = try ChallengeQuestion.queue { _, token in token + Array(".print".utf8) }
        try challenges.start()
        // The worker of a rig runs on the thread of its test.
        signal(SIGPIPE, SIG_IGN)
        worker = try Worker(
            settings, control: control, published: published, queue: queue, addressCounts: nil,
            recorder: metrics.recorder(0), challenges: challenges)
        now = worker.now
        // The kernel's clock is not the test's, so silent clients are accepted at once.
        worker.acceptor.stopDeferring()
    }

    deinit {
        queue.end()
        challenges.end()
    }

    var isListening: Bool { worker.acceptor.areListenersOpen }
    var connectionCount: Int { worker.table.count }
    var isFinished: Bool { worker.isFinished }

    /// Advances the time and runs a round of the worker. True when something happened.
    @discardableResult func turn(after milliseconds: Int64 = 0, seesEvents: Bool = true) -> Bool {
        now += milliseconds
        let count = seesEvents ? worker.poller.wait(milliseconds: 0) : 0
        model?.begin(worker, count, now: now)
        worker.serve(count, at: now)
        model?.end(worker)
        return count > 0
    }

    /// Makes the buffer for a client's bytes tiny, so that it sends little at a time.
    func pinch(_ client: RandomClient) {
        guard let slot = slot(of: client) else { return }
        var bytes: Int32 = 1
        setsockopt(worker.table.slot(slot).connection.fd, SOL_SOCKET, SO_SNDBUF, &bytes, 4)
    }

    private func slot(of client: RandomClient) -> Int? { slot(ofPort: client.port) }

    /// The place of the connection from one of the test's ports; nil when it has ended.
    func slot(ofPort port: UInt16) -> Int? {
        (0..<worker.table.slotCount).first {
            worker.table.slot($0).connection.fd >= 0 && worker.table.slot($0).connection.remote.port == port
        }
    }

    /// Runs rounds until nothing more happens.
    func runUntilIdle() { for _ in 0..<10_000 where !turn() { return } }

    /// A contradiction in the worker's tables or between them and the kernel; nil if there is none.
    var contradiction: String? {
        if let problem = model?.problem { return problem }
        if !worker.layer.context.output.isEmpty { return "records of one connection are left to the next" }
        if !worker.layer.context.unreadRecords.isEmpty {
            return "records of one connection are left for the next to read"
        }
        if !worker.writer.output.bytes.isEmpty { return "answers of one connection are left to the next" }
        var (open, handshakes, held) = (0, 0, 0)
        var kinds: [DeadlineKind: Int] = [:]
        var descriptors: Set<Int32> = []
        for index in 0..<worker.table.slotCount where worker.table.slot(index).connection.fd >= 0 {
            let connection = worker.table.slot(index).connection
            open += 1
            held += connection.heldBytes
            if let kind = connection.deadline.kind { kinds[kind, default: 0] += 1 }
            if connection.heldBytes != connection.countedBytes {
                return "slot \(index) holds \(connection.heldBytes) bytes, reckoned were \(connection.countedBytes)"
            }
            var isWaitedFor = true
            switch connection.phase {
            case .handshake: handshakes += 1
            case .certificate:
                handshakes += 1
                if connection.interest != .end { return "slot \(index) does not notice the end of its client" }
            case .challenge: isWaitedFor = false
            case .proxyHeader, .idle, .head, .body, .lingering: break
            }
            if connection.deadline.kind == nil { return "slot \(index) waits for ever" }
            if (connection.interest == nil) == isWaitedFor {
                return "slot \(index) is not waited for, or waited for without need"
            }
            if fcntl(connection.fd, F_GETFD) < 0 {
                return "slot \(index) has descriptor \(connection.fd), which is closed"
            }
            if !descriptors.insert(connection.fd).inserted { return "two slots have descriptor \(connection.fd)" }
            var isYielding = false
            if case .idle = connection.phase { isYielding = connection.held.count > 0 }
            let isSending = connection.outgoing != nil || isYielding
            if isSending != (connection.interest == .writable) { return "slot \(index) waits for the wrong thing" }
            if isSending, connection.deadline.kind != .write { return "slot \(index) may send for ever" }
        }
        if held != worker.table.heldBytes {
            return "connections hold \(held) bytes, \(worker.table.heldBytes) are counted"
        }
        if held > worker.table.heldBytesMax { return "connections hold \(held) bytes, which is too much" }
        for kind in DeadlineKind.allCases where kinds[kind, default: 0] != worker.table.deadlines.count(kind) {
            return "\(kinds[kind, default: 0]) wait for \(kind), \(worker.table.deadlines.count(kind)) are counted"
        }
        if open != worker.table.count { return "\(open) slots are in use, \(worker.table.count) are counted" }
        if handshakes != worker.acceptor.handshakeCount {
            return "\(handshakes) handshakes, \(worker.acceptor.handshakeCount) are counted"
        }
        return nil
    }

    /// What is wrong with the connection of a client whose bytes were all read; nil if nothing is.
    func contradiction(with client: RandomClient) -> String? {
        guard let expected = client.expectedPhases, let slot = slot(of: client) else { return nil }
        let connection = worker.table.slot(slot).connection
        let phase = ConnectionModel.Phase(connection.phase)
        let isHeard = connection.receivedBytes == client.sentBytes && connection.outgoing == nil
        if !isHeard || connection.ending != .none || phase == .lingering || expected.contains(phase) { return nil }
        if phase == .challenge { return nil }
        return "slot \(slot) is in \(phase), what its client has sent ends in \(expected)"
    }

    /// The open sockets, pipes and files of this process. Timers and the like belong to the
    /// runtime, which opens them at any time.
    static func descriptors() throws -> Set<String> {
        let folder = "/proc/self/fd"
        // The descriptor that lists them is closed by now.
        return Set(
            try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { name in
                guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)"),
                    !target.hasPrefix("anon_inode:"), !target.hasPrefix("/proc/")
                else { return nil }
                // A sanitizer runs another program for the names of functions.
                if target.hasPrefix("pipe:"), ProcessInfo.processInfo.environment["ASSOCIATED_SANITIZER"] != nil {
                    return nil
                }
                // A file that another test had open when this process started may lose its name meanwhile.
                let deleted = " (deleted)"
                return "\(name) \(target.hasSuffix(deleted) ? String(target.dropLast(deleted.count)) : target)"
            })
    }
}

extension Worker { mutating func runOutOfDescriptors() { acceptor.pause(poller, now: now) } }
