// Connections in every state, and in each of them anything may happen: bytes come and go in pieces of any size, clients
// close, half-close, reset, keep silent, change their keys, send nonsense; time passes; the catalogue changes. Whatever
// comes of it, the worker's tables agree with each other and with the kernel, every whole answer is the right one, and in
// the end nothing is left: no connection and no descriptor.

import COpenSSL
import Catalogue
import Foundation
import HTTP
import Posix
import TLS
import Testing

@testable import Engine

/// The same numbers for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

struct RandomEventTests {
    /// Three seeds for everybody, and one that is new each time.
    @Test(arguments: [1, 2, 3, UInt64.random(in: 4 ... .max)])
    func `whatever happens, nothing is left behind`(seed: UInt64) async {
        // In a process of its own, so that its descriptors can be counted. It says on standard error what went wrong.
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent], "seed \(seed)"
        ) { [seed = seed as UInt64] in
            RandomPlay.perform(seed: seed)
        }
        let complaints = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(complaints.isEmpty, "seed \(seed)")
    }
}

/// Says what went wrong where the test looks for it.
func complain(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

/// The clients, the worker, and the dice.
private final class RandomPlay {
    private static let host = "play.example"
    private static let clientsMax = 24

    private var dice: SeededGenerator
    private let folder: TestFolder
    private let rig: WorkerRig
    private let bodies: [(path: String, bytes: [UInt8])]
    private let contexts: [OpaquePointer]
    private let site: PreparedSite
    private var clients: [RandomClient] = []
    /// Descriptors of our own that take the numbers which others give back: whoever closes twice closes one of these.
    private var canaries: [Int32] = []
    private(set) var answers = 0
    private var hasFailed = false

    init(seed: UInt64) throws {
        dice = SeededGenerator(seed: seed)
        folder = try TestFolder()
        let authority = try DevelopmentAuthority(directory: folder.path)
        let large = Array(TestEngine.largeBody.prefix(600_000))
        try Data(large.reversed()).write(to: URL(fileURLWithPath: "\(folder.path)/file"))
        bodies = [
            ("/small", Array(TestEngine.document.utf8)), ("/medium", Array(large.prefix(30_000))), ("/large", large),
            ("/file", large.reversed()), ("/empty", []),
        ]
        let file = try Posix.Folder(folder.path).open("file")
        site = PreparedSite(
            host: RandomPlay.host,
            answers: bodies.map { path, bytes in
                (path, TestEngine.answer(path == "/file" ? .file(file) : .bytes(bytes)))
            })
        var limits = Limits()
        limits.connectionsMax = 20
        limits.requestsPerConnectionMax = 50
        rig = try WorkerRig(
            [site], limits: limits,
            certificates: CertificateStore(hostsPath: "\(folder.path)/hosts", development: authority))
        contexts = [TLS1_2_VERSION, TLS1_3_VERSION].map { RandomClient.makeContext(version: $0) }
    }

    deinit {
        for canary in canaries { close(canary) }
        for context in contexts { RandomClient.free(context) }
    }

    /// A whole play, and what it leaves of the process's descriptors.
    static func perform(seed: UInt64) {
        // The clients' OpenSSL writes to sockets that may be closed; the server never does without saying MSG_NOSIGNAL.
        signal(SIGPIPE, SIG_IGN)
        do {
            let before = try WorkerRig.descriptors()
            let answers = try answers(seed: seed)
            let after = try WorkerRig.descriptors()
            let difference = before.symmetricDifference(after)
            if !difference.isEmpty { complain("opened and not closed, or the reverse: \(difference.sorted())") }
            if answers < 100 { complain("only \(answers) answers were checked") }
        } catch {
            complain("\(error)")
        }
    }

    private static func answers(seed: UInt64) throws -> Int {
        let play = try RandomPlay(seed: seed)
        play.run(steps: 6_000)
        play.end()
        return play.answers
    }

    func run(steps: Int) {
        for step in 0..<steps where !hasFailed {
            act()
            if pick(3) > 0 { rig.turn(after: Int64(pick(10))) }
            if let problem = rig.contradiction { fail("step \(step): \(problem)") }
            for client in clients { if let problem = client.problem { fail("step \(step): \(problem)") } }
        }
    }

    /// Everybody goes, time passes, and the worker is told to stop.
    func end() {
        for client in clients { leave(client) }
        clients = []
        rig.settle()
        for _ in 0..<40 { rig.turn(after: 2_000) }
        if rig.worker.table.count != 0 { fail("\(rig.worker.table.count) connections are left") }
        if rig.worker.handshakeCount != 0 { fail("\(rig.worker.handshakeCount) handshakes are left") }
        for canary in canaries where fcntl(canary, F_GETFD) < 0 { fail("a descriptor was closed twice") }
        rig.control.drain()
        for _ in 0..<3 { rig.turn(after: 2_000) }
        if !rig.worker.isFinished { fail("the worker does not end") }
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
        switch pick(60) {
        case 0..<20: client.send(pick(4) == 0 ? 1 + pick(5) : 1 + pick(3_000))
        case 20..<48: client.read(pick(4) == 0 ? 1 + pick(100) : 1 + pick(200_000))
        case 48: client.finishSending()
        case 49: client.reset()
        case 50: client.close()
        case 51: client.spoil((0..<1 + pick(40)).map { _ in UInt8(pick(256)) })
        case 52...53: client.changeKeys()
        case 54: rig.published.publish(TestEngine.catalogue([site]))
        case 55: if pick(4) == 0 { rig.turn(after: Int64(pick(30_000))) }
        case 56...57:
            canaries.append(open("/dev/null", O_RDONLY | O_CLOEXEC))
            if canaries.count > 40 { close(canaries.remove(at: pick(canaries.count))) }
        default: rig.settle()
        }
        if !client.isOpen {
            leave(client)
            clients.remove(at: index)
        }
    }

    private func leave(_ client: RandomClient) {
        answers += client.answers
        client.close()
    }

    private func come() {
        let isSecure = pick(2) == 0
        let exchanges = (0..<1 + pick(12)).map { _ in makeExchange() }
        let client = RandomClient(
            isSecure ? rig.secureAddress : rig.plainAddress, isSecure ? contexts[pick(2)] : nil, host: RandomPlay.host,
            exchanges, bufferBytes: pick(3) == 0 ? 4_096 : nil)
        if client.isOpen { clients.append(client) }
    }

    private func makeExchange() -> RandomClient.Exchange {
        let (path, body) = bodies[pick(bodies.count)]
        func request(_ method: String, _ lines: String = "", _ more: String = "") -> [UInt8] {
            Array("\(method) \(path) HTTP/1.1\r\nHost: \(RandomPlay.host)\r\n\(lines)\r\n\(more)".utf8)
        }
        switch pick(12) {
        case 0: return .init(request: request("HEAD"), body: body, isHead: true)
        case 1: return .init(request: request("POST", "Content-Length: 5\r\n", "hello"), body: nil)
        case 2:
            let chunks = "3;a=b\r\nabc\r\n0\r\nTrailer: x\r\n\r\n"
            return .init(request: request("GET", "Transfer-Encoding: chunked\r\n", chunks), body: body)
        case 3: return .init(request: request("GET", "Range: bytes=0-0,5-9\r\n"), body: nil)
        case 4: return .init(request: request("GET", "If-None-Match: \"t\"\r\n"), body: nil)
        case 5: return .init(request: request("OPTIONS"), body: nil)
        default: return .init(request: request("GET"), body: body)
        }
    }
}
