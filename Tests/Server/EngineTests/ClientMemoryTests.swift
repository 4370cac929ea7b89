// The memory that one client can occupy, for each kind of client: measured as resident memory, and compared with the
// server's own figure.

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

struct ClientMemoryTests {
    /// A kind of client that occupies memory.
    struct Kind: Sendable {
        let name: String
        var isSecure = false
        /// What it sends; nil for a part of a first message of TLS.
        var request: String?
        /// Bytes of memory for each client.
        let bytesMax: Int

        static func get(_ path: String, _ lines: String = "") -> String {
            "GET \(path) HTTP/1.1\r\nHost: memory.example\r\n\(lines)\r\n"
        }

        /// Room for a slot in the table, for partly used pages, and for the test's own clients.
        private static let slack = 3_072

        static let all = [
            Kind(name: "silent", request: "", bytesMax: slack),
            Kind(name: "idle", request: get("/small"), bytesMax: slack),
            Kind(
                name: "half a head",
                request: String(get("/", "X: " + String(repeating: "x", count: 15_000)).dropLast(2)),
                bytesMax: 15_360 + slack),
            Kind(name: "slow body", request: get("/small", "Content-Length: 60000\r\n") + "a", bytesMax: slack),
            Kind(name: "large page not read", request: get("/large"), bytesMax: slack),
            Kind(name: "range not read", request: get("/large", "Range: bytes=0-3999998\r\n"), bytesMax: slack),
            Kind(
                name: "pages of 16 KB not read", request: String(repeating: get("/copied"), count: 400),
                bytesMax: 12_288 + slack),
            Kind(
                name: "small pages not read", request: String(repeating: get("/small"), count: 2_000),
                bytesMax: 32_768 + slack),
            Kind(name: "silent", isSecure: true, request: "", bytesMax: 24_576 + slack),
            Kind(name: "half a handshake", isSecure: true, bytesMax: Limits.handshakeBytes + slack),
            Kind(name: "idle", isSecure: true, request: get("/small"), bytesMax: 16_384 + slack),
            Kind(
                name: "slow body", isSecure: true, request: get("/small", "Content-Length: 60000\r\n") + "a",
                bytesMax: 16_384 + slack),
            Kind(name: "large page not read", isSecure: true, request: get("/large"), bytesMax: 57_344 + slack),
            Kind(
                name: "pages of 16 KB not read", isSecure: true, request: String(repeating: get("/copied"), count: 400),
                bytesMax: 57_344 + slack),
        ]
    }

    @Test(
        .enabled(
            if: ProcessInfo.processInfo.environment["ASSOCIATED_SANITIZER"] == nil,
            "sanitizers have an allocator of their own"), arguments: Kind.all.indices)
    func `a client costs no more memory than its kind may`(kind: Int) async {
        // In a separate process, because the test measures all of the process's memory.
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent], "\(Kind.all[kind])"
        ) { [kind = kind as Int] in
            signal(SIGPIPE, SIG_IGN)
            Library.disableExitCleanup()
            do { try Crowd(Kind.all[kind]).measure() } catch { complain("\(error)") }
        }
        let complaints = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(complaints.isEmpty, "\(Kind.all[kind].name)")
    }
}

/// Many clients of one kind.
private final class Crowd {
    private static let count = 200

    private let kind: ClientMemoryTests.Kind
    private let folder: TemporaryFolder
    private let rig: WorkerRig
    private let context: OpaquePointer?
    private let usage = ProcessUsage()
    private var clients: [RandomClient] = []

    init(_ kind: ClientMemoryTests.Kind) throws {
        self.kind = kind
        folder = try TemporaryFolder()
        let store = CertificateStore(
            hostsPath: "\(folder.path)/hosts", development: try DevelopmentAuthority(directory: folder.path))
        let bodies = [("/small", 2_000), ("/copied", 16_000), ("/large", 4_000_000)]
        let site = PreparedSite(
            host: "memory.example",
            answers: bodies.map { ($0.0, TestEngine.answer(.bytes(Array(TestEngine.largeBody.prefix($0.1))))) })
        rig = try WorkerRig([site], limits: Limits(), certificates: store)
        context = kind.isSecure ? RandomClient.makeContext() : nil
    }

    deinit { RandomClient.free(context) }

    func measure() throws {
        // Memory that is allocated once, and the growth of tables.
        for _ in 0..<3 { come() }
        clients.reserveCapacity(Crowd.count + 3)
        let (before, reckoned) = (try residentBytes(), rig.worker.table.heldBytes)
        for _ in 0..<Crowd.count { come() }
        let each = (try residentBytes() - before) / Crowd.count
        let reckonedEach = (rig.worker.table.heldBytes - reckoned) / Crowd.count
        if rig.connectionCount != Crowd.count + 3 { complain("\(rig.connectionCount) clients are here") }
        if each > kind.bytesMax { complain("\(each) bytes are kept for each") }
        if each > reckonedEach { complain("\(each) bytes are kept for each, \(reckonedEach) are reckoned") }
        if let problem = rig.contradiction { complain(problem) }
    }

    private func come() {
        let exchange = RandomClient.Exchange(request: Array((kind.request ?? "x").utf8), body: nil)
        let client = RandomClient(
            kind.isSecure ? rig.secureAddress : rig.plainAddress, context, host: "memory.example", [exchange],
            bufferBytes: 4_096, isNarrow: true)
        clients.append(client)
        rig.runUntilIdle()
        rig.pinch(client)
        if kind.request == nil {
            // Its first message; it never reads the reply.
            client.send(.max)
            runUntilIdle()
        } else if kind.request != "" {
            for _ in 0..<40 {
                client.send(.max)
                runUntilIdle()
                if kind.isSecure, !client.isEstablished { client.read(65_536) }
            }
        }
        client.forgetSession()
        runUntilIdle()
    }

    /// Until a certificate has been read, too.
    private func runUntilIdle() {
        for _ in 0..<2 {
            rig.runUntilIdle()
            if rig.worker.acceptor.handshakeCount > 0 { usleep(200) }
        }
    }

    /// The resident memory of this process, after unused memory was returned.
    private func residentBytes() throws -> Int {
        Memory.returnFreed()
        return try #require(usage.memoryBytes).resident
    }
}
