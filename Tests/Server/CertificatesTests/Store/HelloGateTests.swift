// Handshakes that wait for a certificate, between a real client and the context of a worker, through memory.

import COpenSSL
import Glibc
import Posix
import TestSupport
import Testing

@testable import Certificates
@testable import TLS
@testable import TLSSupport

struct HelloGateTests {
    private let bench: StoreBench

    init() throws { bench = try StoreBench() }

    /// A worker's side of TLS and the queue behind it.
    private final class Server {
        let store: CertificateStore
        let queue: CertificateQueue
        let ready: CertificateQueue.Replies
        let context: SecureContext
        /// What the signatures of handshakes cost that waited for their turn.
        private(set) var turns: [Int] = []
        /// Whether nothing was signed because the client has gone.
        private(set) var hasEnded = false
        /// What the certificate takes that a session keeps, after each step of its handshake.
        private(set) var keptBytes: [Int] = []

        init(_ store: CertificateStore) throws {
            self.store = store
            queue = try store.source.makeQueue()
            ready = try CertificateQueue.Replies([])
            context = try SecureContext(
                SecureSettings(certificates: store, tickets: try TicketKeys()), queue: queue, replies: ready)
        }

        /// One handshake for a name; returns how often it waited, and the first name of the client's certificate.
        func shake(_ name: String, fd: Int32 = -1, whileWaiting act: () -> Void = {}) throws -> (
            pauses: Int, name: String?
        ) {
            let clientContext = SSL_CTX_new(TLS_client_method())!
            let peer = SSL_new(clientContext)!
            let (incoming, outgoing) = (BIO_new(BIO_s_mem())!, BIO_new(BIO_s_mem())!)
            SSL_set_bio(peer, incoming, outgoing)
            SSL_set_connect_state(peer)
            _ = name.withCString {
                SSL_ctrl(
                    peer, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name),
                    UnsafeMutableRawPointer(mutating: $0))
            }
            guard let session = context.makeSession() else { throw OpenSSLCommand.Failure(description: "no session") }
            defer {
                session.end()
                SSL_free(peer)
                SSL_CTX_free(clientContext)
                OpenSSLFailure.forget()
            }
            let client = HandshakeClient(token: 7, fd: fd)
            var pauses = 0
            for _ in 0..<4 {
                let isDone = SSL_do_handshake(peer) == 1
                OpenSSLFailure.forget()
                var bytes = [UInt8](repeating: 0, count: 65_536)
                let count = Int(max(0, BIO_read(outgoing, &bytes, Int32(bytes.count))))
                if count == 0 { break }
                bytes.withUnsafeBytes { records in
                    let received = UnsafeRawBufferPointer(rebasing: records[..<count])
                    var outcome = session.handshake(context, received, for: client)
                    while outcome == .wantsCertificate, pauses < 10 {
                        pauses += 1
                        queue.answerAll()
                        act()
                        let handed = ready.take()
                        #expect(handed.map(\.token) == [7])
                        outcome = session.handshake(
                            context, context.unreadRecords, for: client, certificate: handed.first?.answer)
                    }
                    if outcome == .wantsTurn, let turn = context.turn {
                        turns.append(turn.cost)
                        outcome = session.handshake(
                            context, context.unreadRecords, for: client, certificate: turn.certificate, hasTurn: true)
                    }
                    if outcome == .ended { hasEnded = true }
                    keptBytes.append(SSL_get_certificate(session.ssl) == nil ? 0 : context.certificateBytes)
                }
                context.clearInput()
                let output = context.output
                if !output.isEmpty { BIO_write(incoming, output.baseAddress, Int32(output.count)) }
                context.clearOutput()
                if isDone { break }
            }
            let certificate = SSL_get1_peer_certificate(peer).map { Certificate(takingOwnershipOf: $0) }
            switch certificate {
            case .some(let certificate): return (pauses, certificate.names.first)
            case .none: return (pauses, nil)
            }
        }
    }

    @Test(arguments: ["x.example.com", "other.test", "shop.test"])
    func `a flood of names does not evict the certificate of a handshake under way`(name: String) throws {
        try bench.install("_wildcard.example.com", names: ["*.example.com"])
        try bench.install("_default", names: ["fallback.test"])
        try bench.install("shop.test", names: ["shop.test"])
        let store = CertificateStore(
            hostsPath: bench.hosts.path, limits: StoreBench.limits(identitiesMax: 1, othersMax: 1))
        let server = try Server(store)
        let shown = try server.shake(name) {
            for index in 0..<10 {
                _ = store.identity(for: "flood\(index).test")
                _ = store.identity(for: "flood\(index).example.com")
            }
        }
        #expect(shown.pauses == 1)
        #expect(
            shown.name == ["x.example.com": "*.example.com", "shop.test": "shop.test"][name, default: "fallback.test"])
    }

    @Test func `a name waits for one reading, and not at all while it is remembered`() throws {
        try bench.install("_wildcard.com", names: ["*.b.example.com"])
        let store = bench.store()
        let server = try Server(store)
        #expect(try server.shake("a.b.example.com") == (1, "*.b.example.com"))
        #expect(try server.shake("A.b.example.COM") == (0, "*.b.example.com"))
        #expect(try server.shake("unknown.test") == (0, nil))
        #expect(store.identityCount == 1)
    }

    @Test func `a session keeps its certificate no longer than its handshake`() throws {
        try bench.install("shop.test", names: ["shop.test"])
        let store = bench.store()
        let server = try Server(store)
        #expect(try server.shake("shop.test").name == "shop.test")
        #expect(server.keptBytes == [try bench.identity("shop.test").byteCount, 0])
    }

    @Test(arguments: [
        (TestAuthority.Key.ecdsa, [Int]()), (.ed25519, []), (.rsa, []), (.largeRSA, [3]),
    ])
    func `a handshake with a slow key waits for its turn`(key: TestAuthority.Key, costs: [Int]) throws {
        try bench.install("shop.test", names: ["shop.test"], key: key)
        let server = try Server(bench.store())
        #expect(try server.shake("shop.test").name == "shop.test")
        #expect(server.turns == costs)
    }

    @Test(arguments: [false, true])
    func `nothing is signed for a client that has gone`(hasGone: Bool) throws {
        try bench.install("shop.test", names: ["shop.test"])
        let server = try Server(bench.store())
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { close(ends[0]) }
        if hasGone { close(ends[1]) }
        #expect(try server.shake("shop.test", fd: ends[0]).name == (hasGone ? nil : "shop.test"))
        #expect(server.hasEnded == hasGone)
        if !hasGone { close(ends[1]) }
    }

    @Test func `ignores case and one final dot of a name, and nothing else`() {
        let every = (0...UInt8.max).map { $0 }
        func canonical(_ name: [UInt8]) -> [UInt8] {
            name.withUnsafeBytes { withCanonicalName($0) { $0.withUnsafeBytes { Array($0) } } }
        }
        let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
        #expect(canonical(every) == every.map { letters.contains($0) ? $0 + 0x20 : $0 })
        for (name, expected) in [("a.", "a"), ("a..", "a."), (".", "."), ("", ""), ("a", "a")] {
            #expect(canonical(Array(name.utf8)) == Array(expected.utf8))
        }
    }

    @Test func `answers from memory whether a handshake will succeed, and starts reading if unknown`() throws {
        try bench.install("shop.test", names: ["shop.test"])
        try bench.hosts.write("broken.test/fullchain.pem", "no certificate")
        let server = try Server(bench.store())
        func expects(_ name: String) -> Bool {
            let bytes = Array(name.utf8)
            return server.context.expectsCertificate(for: bytes.span)
        }
        for name in ["SHOP.test", "broken.test", "none.test", "../shop.test"] { #expect(!expects(name)) }
        #expect(server.store.identityCount == 0, "nothing is read here")
        server.queue.answerAll()
        #expect(expects("SHOP.test"))
        for name in ["broken.test", "none.test", "../shop.test"] { #expect(!expects(name)) }
    }
}
