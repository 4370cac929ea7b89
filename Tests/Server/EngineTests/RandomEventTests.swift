// Random events on connections in every state: bytes come and go in pieces of any size, clients
// close, half-close, reset, stay silent, change their keys, send nonsense; time passes; the catalogue changes. The
// worker's tables always agree with each other and with the kernel, every complete answer is right, and at the end no
// connection and no descriptor is left.

import COpenSSL
import Catalogue
import Certificates
import Foundation
import HTTP
import Posix
import TLS
import Telemetry
import Testing

@testable import Engine

struct RandomEventTests {
    /// The same series of runs each time, and as many new ones as ASSOCIATED_PLAYS says.
    private static let seeds: [UInt64] = {
        let count = ProcessInfo.processInfo.environment["ASSOCIATED_PLAYS"].flatMap { Int($0) } ?? 0
        return [1, 100, 200] + (0..<count).map { _ in UInt64.random(in: 300 ... .max / 2) }
    }()

    @Test(arguments: seeds)
    func `random events leave no descriptor and no memory behind`(seed: UInt64) async {
        // In a separate process, so that its descriptors can be counted. It reports failures on standard error.
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent], "seed \(seed)") {
            [seed = seed as UInt64] in RandomPlay.perform(seed: seed)
        }
        let complaints = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(complaints.isEmpty, "seed \(seed)")
    }
}

/// Writes a failure where the test reads it.
func complain(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

/// The clients, the worker, and the dice.
private final class RandomPlay {
    private static let host = "play.example"
    private static let clientsMax = 24
    private static let steps = 4_000
    private static let (playsMin, playsMax) = (2, 80)
    private static let answersMin = 100

    private var dice: SplitMix
    private let folder: TemporaryFolder
    private let rig: WorkerRig
    private let bodies: [(path: String, bytes: [UInt8])]
    private let contexts: [OpaquePointer]
    private let site: PreparedSite
    private var clients: [RandomClient] = []
    private(set) var answers = 0
    private(set) var hasFailed = false

    init(seed: UInt64, _ coverage: ConnectionModel.Coverage) throws {
        dice = SplitMix(seed: seed)
        folder = try TemporaryFolder()
        let authority = try DevelopmentAuthority(directory: folder.path)
        let large = Array(TestEngine.largeBody.prefix(600_000))
        try Data(large.reversed()).write(to: URL(fileURLWithPath: "\(folder.path)/file"))
        bodies = [
            ("/small", Array(TestEngine.document.utf8)), ("/copied", Array(large.prefix(16_000))),
            ("/medium", Array(large.prefix(30_000))), ("/large", large), ("/file", large.reversed()), ("/empty", []),
        ]
        let file = try Posix.Folder(folder.path).open("file")
        site = PreparedSite(
            host: RandomPlay.host,
            answers: bodies.map { path, bytes in
                (path, TestEngine.answer(path == "/file" ? .file(file) : .bytes(bytes)))
            })
        var limits = Limits()
        limits.connectionsMax = 20
        limits.requestsPerConnectionMax = 100
        rig = try WorkerRig(
            [site], limits: limits,
            certificates: CertificateStore(hostsPath: "\(folder.path)/hosts", development: authority), hasFronts: true)
        rig.model = ConnectionModel(coverage: coverage)
        contexts = [TLS1_2_VERSION, TLS1_3_VERSION].map { RandomClient.makeContext(version: $0) }
    }

    deinit { for context in contexts { RandomClient.free(context) } }

    /// Runs until every transition has happened, and a check of the process's descriptors afterwards.
    static func perform(seed: UInt64) {
        // The clients' OpenSSL writes to sockets that may be closed; the server always uses MSG_NOSIGNAL.
        signal(SIGPIPE, SIG_IGN)
        // A thread may be in the middle of reading a certificate when the process ends.
        Library.disableExitCleanup()
        do {
            let before = try WorkerRig.descriptors()
            var (coverage, answers, plays) = (ConnectionModel.Coverage(), 0, 0)
            while plays < playsMin || plays < playsMax && (answers < answersMin || !coverage.unseen.isEmpty) {
                let play = try RandomPlay(seed: seed &+ UInt64(plays), coverage)
                play.run()
                coverage = play.end()
                answers += play.answers
                plays += 1
                if play.hasFailed { return }
            }
            let difference = before.symmetricDifference(try WorkerRig.descriptors())
            if !difference.isEmpty { complain("opened and not closed, or the reverse: \(difference.sorted())") }
            if answers < answersMin { complain("only \(answers) answers were checked in \(plays) plays") }
            let unseen = coverage.unseen
            if !unseen.isEmpty { complain("in \(plays) plays: \(unseen.joined(separator: "; "))") }
        } catch {
            complain("\(error)")
        }
    }

    func run() {
        for step in 0..<RandomPlay.steps where !hasFailed {
            act()
            if pick(3) > 0 { rig.turn(after: Int64(pick(10))) }
            if let problem = rig.contradiction { fail("step \(step): \(problem)") }
            for client in clients { if let problem = client.problem { fail("step \(step): \(problem)") } }
            guard !clients.isEmpty, let problem = rig.contradiction(with: clients[pick(clients.count)]) else {
                continue
            }
            fail("step \(step): \(problem)")
        }
    }

    /// All clients leave, time passes, and the worker stops. Returns what has happened so far.
    func end() -> ConnectionModel.Coverage {
        for client in clients { leave(client) }
        clients = []
        rig.runUntilIdle()
        for _ in 0..<40 { rig.turn(after: 2_000) }
        if rig.worker.table.count != 0 { fail("\(rig.worker.table.count) connections are left") }
        if rig.worker.acceptor.handshakeCount != 0 { fail("\(rig.worker.acceptor.handshakeCount) handshakes are left") }
        let accepted = rig.metrics.total(.connectionsAccepted)
        let closed = CloseReason.allCases.reduce(0) { $0 + rig.metrics.total(.connectionsClosed($1)) }
        if accepted != closed { fail("\(accepted) connections came, \(closed) were closed") }
        var model = rig.model
        rig.model = nil
        model?.finish()
        if let problem = model?.problem { fail(problem) }
        rig.control.drain(.stop)
        for _ in 0..<3 { rig.turn(after: 2_000) }
        if !rig.worker.isFinished { fail("the worker does not end") }
        return model?.coverage ?? ConnectionModel.Coverage()
    }

    private func fail(_ text: String) {
        hasFailed = true
        complain(text)
    }

    private func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &dice) }

    private func act() {
        if clients.count < RandomPlay.clientsMax, clients.isEmpty || pick(6) == 0 { return come() }
        let index = pick(clients.count)
        let client = clients[index]
        if client.isNarrow { rig.pinch(client) }
        switch pick(60) {
        case 0..<18: client.send(pick(4) == 0 ? 1 + pick(5) : 1 + pick(3_000))
        case 18..<44: client.read(pick(4) == 0 ? 1 + pick(100) : 1 + pick(200_000))
        case 44: return interrupt()
        case 45...46: client.finishSending()
        case 47...49: client.reset()
        case 50: client.close()
        case 51: client.sendUnexpected((0..<1 + pick(40)).map { _ in UInt8(pick(256)) })
        case 52...53: client.changeKeys()
        case 54: rig.published.publish(TestEngine.catalogue([site]))
        case 55: if pick(4) == 0 { rig.turn(after: Int64(pick(30_000))) }
        case 56: rig.pinch(client)
        case 57...58: return crowd()
        default: rig.runUntilIdle()
        }
        if !client.isOpen {
            leave(client)
            clients.remove(at: index)
        }
    }

    /// A client that does not read its answer, and sends something more that there is no room to answer: nonsense over
    /// TLS, or requests with an incomplete last one without TLS.
    private func crowd() {
        let context = pick(2) == 0 ? contexts[pick(2)] : nil
        let medium = RandomClient.Exchange(request: request("/medium"), body: bodies[2].bytes)
        let client = RandomClient(
            context == nil ? rig.plainAddress : rig.secureAddress, context, host: RandomPlay.host, [medium],
            bufferBytes: 4_096, isNarrow: true)
        for _ in 0..<8 {
            client.send(3_000)
            rig.runUntilIdle()
        }
        rig.pinch(client)
        // One large answer after the other, or small ones that are sent together.
        let whole =
            pick(4) == 0
            ? (0..<1 + pick(5)).flatMap { _ in request("/copied") }
            : (0..<14 + pick(16)).flatMap { _ in request("/small") }
        let last = pick(3) > 0 ? request("/", "GET", "Content-Length: 9\r\n", "abc") : request("/").dropLast(1)
        client.sendUnexpected(context == nil ? whole + last : [0, 0, 0, 0, 0])
        rig.turn()
        switch pick(5) {
        case 0: client.read(200_000)
        case 1: client.sendUnexpected([0])
        case 2: client.reset()
        case 3: client.finishSending()
        default: rig.turn(after: 30_000)
        }
        if client.isOpen { clients.append(client) }
    }

    /// A client that sends a part of something and then stops.
    private func interrupt() {
        let isTrustedProxy = pick(2) == 0
        let body = String(repeating: "a", count: 2_000)
        let exchange = RandomClient.Exchange(
            request: request("/small", "GET", "Content-Length: 2000\r\n", body), body: bodies[0].bytes)
        let client = RandomClient(
            isTrustedProxy ? rig.proxiedPlainAddress : rig.plainAddress, nil, host: RandomPlay.host, [exchange],
            isTrustedProxy: isTrustedProxy, bufferBytes: nil)
        client.send([10, 70, 500][pick(3)])
        rig.runUntilIdle()
        switch pick(8) {
        case 0...2: client.finishSending()
        case 3...5: client.reset()
        case 6: rig.turn(after: 30_000)
        default: break
        }
        rig.turn()
        if client.isOpen { clients.append(client) }
    }

    private func leave(_ client: RandomClient) {
        answers += client.answers
        client.close()
    }

    private func come() {
        let (isSecure, isTrustedProxy) = (pick(2) == 0, pick(4) == 0)
        // Sometimes more than one turn answers.
        var exchanges = (0..<1 + pick(pick(8) == 0 ? 90 : 12)).map { _ in makeExchange() }
        var host = RandomPlay.host
        if isSecure, pick(4) == 0 {
            // A name that has no certificate yet, and no document.
            host = "p\(pick(.max)).example"
            exchanges = exchanges.map { .init(request: $0.request, body: nil, isHead: $0.isHead) }
        }
        let addresses =
            isTrustedProxy ? (rig.proxiedPlainAddress, rig.proxiedSecureAddress) : (rig.plainAddress, rig.secureAddress)
        let client = RandomClient(
            isSecure ? addresses.1 : addresses.0, isSecure ? contexts[pick(2)] : nil, host: host, exchanges,
            isTrustedProxy: isTrustedProxy, bufferBytes: pick(3) == 0 ? 4_096 : nil, isNarrow: pick(4) == 0)
        if client.isOpen { clients.append(client) }
    }

    private func makeExchange() -> RandomClient.Exchange {
        let (path, body) = bodies[pick(bodies.count)]
        let much = String(repeating: "a", count: 2_000)
        func request(_ method: String, _ lines: String = "", _ more: String = "") -> [UInt8] {
            self.request(path, method, lines, more)
        }
        switch pick(13) {
        case 12:
            return .init(
                request: self.request("/.well-known/acme-challenge/a123456789abcdef"),
                body: Array("a123456789abcdef.print".utf8))
        case 0: return .init(request: request("HEAD"), body: body, isHead: true)
        case 1: return .init(request: request("GET", "Content-Length: 2000\r\n", much), body: body)
        case 2:
            let chunks = "3;a=b\r\nabc\r\n0\r\nTrailer: x\r\n\r\n"
            return .init(request: request("GET", "Transfer-Encoding: chunked\r\n", chunks), body: body)
        case 3: return .init(request: request("GET", "Range: bytes=5-9\r\n"), body: nil)
        case 4: return .init(request: request("GET", "If-None-Match: \"t\"\r\n"), body: nil)
        case 5: return .init(request: request("OPTIONS"), body: nil)
        case 6: return .init(request: request("GET", "Comment: \(much)\r\n"), body: body)
        case 7: return .init(request: request("POST", "Content-Length: 5\r\n", "hello"), body: nil)
        default: return .init(request: request("GET"), body: body)
        }
    }

    private func request(
        _ path: String, _ method: String = "GET", _ lines: String = "", _ more: String = ""
    ) -> [UInt8] {
        Array("\(method) \(path) HTTP/1.1\r\nHost: \(RandomPlay.host)\r\n\(lines)\r\n\(more)".utf8)
    }
}
