// A sign of life, from servers that give one and from others.

import Administration
import Posix
import Testing

struct PingTests {
    /// Answers one connection with fixed bytes.
    private func serve(_ answer: String?, _ body: (SocketAddress) throws -> Void) throws {
        let address = try #require(SocketAddress("127.0.0.1:0"))
        let server = Server(try Listener(address, sharesPort: false))
        let thread = try Thread(name: "server") { server.answerOnce(answer) }
        try body(server.listener.address)
        thread.join()
    }

    private final class Server: Sendable {
        let listener: Listener
        init(_ listener: consuming Listener) { self.listener = listener }

        func answerOnce(_ answer: String?) {
            guard let poller = try? Poller() else { return }
            poller.add(listener.descriptor.number, .readable, token: 0)
            guard poller.wait(milliseconds: 10_000) == 1 else { return }
            var peer = SocketAddress.unknown
            guard case .accepted(let fd) = listener.accept(peer: &peer) else { return }
            let client = Descriptor(takingOwnershipOf: fd)
            poller.add(client.number, .readable, token: 1)
            _ = poller.wait(milliseconds: 10_000)
            if let answer { _ = Array(answer.utf8).withUnsafeBytes { transmit(client.number, $0) } }
        }
    }

    @Test func `any success is a sign of life`() throws {
        try serve("HTTP/1.1 204 No Content\r\n\r\n") { try AdminClient.ping($0, timeoutMilliseconds: 5_000) }
    }

    @Test(arguments: ["HTTP/1.1 503 Service Unavailable\r\n\r\n", "SSH-2.0-x\r\n", "", nil])
    func `anything else is none`(answer: String?) throws {
        try serve(answer) { address in
            #expect(throws: AdminClient.Failure.self) { try AdminClient.ping(address, timeoutMilliseconds: 5_000) }
        }
    }

    @Test func `says that nobody listens`() throws {
        let address: SocketAddress
        do {
            let listener = try Listener(try #require(SocketAddress("127.0.0.1:0")), sharesPort: false)
            address = listener.address
        }
        #expect {
            try AdminClient.ping(address, timeoutMilliseconds: 5_000)
        } throws: {
            "\($0)" == "no answer from \(address): connect: connection refused"
        }
    }
}
