// Certificates that change while clients come and go, as every sixty days on every host.

import Catalogue
import Engine
import Foundation
import Posix
import Synchronization
import TLS
import Testing

struct RotationTests {
    /// An engine with one host whose certificate is in files, and pairs that replace them.
    private final class RotatingServer: Sendable {
        let engine: Engine
        let store: CertificateStore
        private let folder: TemporaryFolder
        private let authority: DevelopmentAuthority
        var port: UInt16 { engine.secureAddresses[0].port }

        init() throws {
            folder = try TemporaryFolder()
            authority = try DevelopmentAuthority(directory: folder.path)
            var limits = CertificateLimits()
            limits.recheckMilliseconds = 10
            store = CertificateStore(hostsPath: folder.path + "/hosts", limits: limits)
            var settings = try EngineSettings(plainAddresses: [], workerCount: 2)
            try settings.listen(at: SocketAddress("127.0.0.1:0")!, isSecure: true)
            settings.secure = SecureSettings(certificates: store, tickets: try TicketKeys())
            settings.limits = TestEngine.limits
            engine = try Engine(settings, published: PublishedCatalogue(TestEngine.catalogue(TestEngine.sites)))
        }

        deinit { engine.stop() }

        /// Replaces both files, one after the other as renewals do, and returns the new certificate's text.
        func rotate() throws -> String {
            let (live, new) = ("\(folder.path)/hosts/shop.example", "\(folder.path)/\(UUID().uuidString)")
            try FileManager.default.createDirectory(atPath: live, withIntermediateDirectories: true)
            try authority.write(
                for: "shop.example", certificateFile: "\(new)/fullchain.pem", keyFile: "\(new)/privkey.pem")
            let text = try String(contentsOfFile: "\(new)/fullchain.pem", encoding: .utf8)
            for name in ["privkey.pem", "fullchain.pem"] { #expect(rename("\(new)/\(name)", "\(live)/\(name)") == 0) }
            return text
        }

        /// Twenty requests, each on its own connection. Returns the statuses, or curl's error.
        func fetch() throws -> String {
            try Command([
                "curl", "--silent", "--show-error", "--max-time", "20", "--cacert", authority.certificatePath,
                "--resolve", "shop.example:\(port):127.0.0.1", "--header", "connection: close", "--no-sessionid",
                "--output", "/dev/null", "--write-out", "%{http_code} ", "https://shop.example:\(port)/doc?[1-20]",
            ]).run().text
        }

        /// The certificate that clients get.
        func shown() throws -> String {
            try Command(["openssl", "s_client", "-connect", "127.0.0.1:\(port)", "-servername", "shop.example"]).run()
                .text
        }
    }

    /// Clients, one after the other, until the test stops them.
    private final class Load: Sendable {
        private let server: RotatingServer
        private let isDone = Mutex(false)
        private let answers = Mutex<[String]>([])

        init(_ server: RotatingServer) { self.server = server }

        var results: [String] { answers.withLock { $0 } }

        func run() {
            repeat {
                let answer = (try? server.fetch()) ?? "curl does not run"
                answers.withLock { $0.append(answer) }
            } while !isDone.withLock { $0 }
        }

        func finish() { isDone.withLock { $0 = true } }
    }

    @Test func `certificates are replaced under load, and no request fails`() throws {
        let server = try RotatingServer()
        _ = try server.rotate()
        let load = Load(server)
        let thread = try Posix.Thread(name: "load") { load.run() }
        for _ in 0..<5 {
            let certificate = try server.rotate()
            // Within the interval at which files are checked; a slow machine needs longer.
            let deadline = Clock.monotonicMilliseconds() + 20_000
            while try !server.shown().contains(certificate) {
                guard Clock.monotonicMilliseconds() < deadline else {
                    Issue.record("the new certificate is not shown")
                    break
                }
            }
        }
        load.finish()
        thread.join()
        let all = load.results
        #expect(!all.isEmpty)
        let expected = String(repeating: "200 ", count: 20)
        #expect(all.allSatisfy { $0 == expected }, "\(all.filter { $0 != expected })")
    }
}
