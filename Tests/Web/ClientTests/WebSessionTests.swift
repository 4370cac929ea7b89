// Requests by name: kept connections, redirects and untrusted servers.

import Certificates
import Foundation
import Posix
import TLS
import TestSupport
import Testing

@testable import Client

struct WebSessionTests {
    private func settings(_ address: SocketAddress, _ change: (inout WebSessionSettings) -> Void = { _ in })
        -> WebSessionSettings
    {
        var settings = WebSessionSettings()
        settings.overrides = ["a.example", "b.example"].map { AddressOverride("\($0):80:\(address)")! }
        settings.limits.milliseconds = 20_000
        change(&settings)
        return settings
    }

    private static func place(_ text: String) -> WebLocation { WebLocation(text)! }

    /// A new connection sends its first request; their number is the number of connections.
    @Test func `keeps the connection for the same host only`() throws {
        let heads = Shared<[String]>([])
        let server = try ScriptedServer(certificates: nil) { head in
            heads.change { $0.append(head) }
            return .keep(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8))
        }
        var session = WebSession(nil, settings(server.address))
        for path in ["/1", "/2", "/3"] {
            #expect(try session.send(Self.place("http://a.example\(path)")).status == 200)
        }
        #expect(heads.value.count == 3)
        // The server handles one connection at a time, so this request needs the end of the first.
        #expect(try session.send(Self.place("http://b.example/")).status == 200)
        #expect(heads.value.last?.contains("Host: b.example\r\n") == true)
    }

    @Test func `repeats a request when a kept connection ends without an answer, unless it has side effects`() throws {
        let count = Shared(0)
        let server = try ScriptedServer(certificates: nil) { _ in
            count.change { $0 += 1 }
            return count.value % 2 == 1 ? .keep(Array("HTTP/1.1 204 No\r\n\r\n".utf8)) : .bytes([])
        }
        var session = WebSession(nil, settings(server.address))
        #expect(try session.send(Self.place("http://a.example/")).status == 204)
        #expect(try session.send(Self.place("http://a.example/")).status == 204)
        #expect(count.value == 3)
        #expect(throws: FetchError.self) {
            try session.send(Self.place("http://a.example/"), method: "POST", body: [1])
        }
        #expect(count.value == 4)
    }

    @Test func `follows redirects up to the limit, without sending fields to other hosts`() throws {
        let heads = Shared<[String]>([])
        let server = try ScriptedServer(certificates: nil) { head in
            heads.change { $0.append(head) }
            let isLast = head.hasPrefix("GET /2 ")
            return .text(
                isLast
                    ? "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
                    : "HTTP/1.1 302 Found\r\nLocation: http://b.example/2\r\nContent-Length: 0\r\n\r\n")
        }
        let fields = [FetchedResponse.Field(name: "Authorization", value: "secret")]
        var plain = WebSession(nil, settings(server.address))
        #expect(try plain.send(Self.place("http://a.example/1"), fields: fields).status == 302)
        var following = WebSession(nil, settings(server.address) { $0.redirectsMax = 1 })
        #expect(try following.send(Self.place("http://a.example/1"), fields: fields).status == 200)
        #expect(heads.value.map { $0.contains("secret") } == [true, true, false])
        #expect(try following.send(Self.place("http://a.example/1"), method: "POST", body: []).status == 302)
    }

    @Test func `stops at a redirect loop`() throws {
        let server = try ScriptedServer(certificates: nil) { _ in
            .text("HTTP/1.1 301 Moved\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n")
        }
        var session = WebSession(nil, settings(server.address) { $0.redirectsMax = 3 })
        #expect(throws: FetchError.self) { try session.send(Self.place("http://a.example/")) }
    }

    @Test func `reports a refused connection`() throws {
        let address: SocketAddress
        do { address = try Listener(SocketAddress("127.0.0.1:0")!, sharesPort: false).address }
        var session = WebSession(nil, settings(address))
        let error = #expect(throws: FetchError.self) { try session.send(Self.place("http://a.example/")) }
        #expect(error?.description == "cannot connect: connection refused")
    }

    /// A development authority that has issued a certificate for a host, and the store with that certificate.
    private static func issue(for host: String) throws -> (DevelopmentAuthority, CertificateStore, TemporaryFolder) {
        let folder = try TemporaryFolder()
        let authority = try DevelopmentAuthority(directory: folder.path)
        let place = "\(folder.path)/hosts/_default"
        try authority.write(for: host, certificateFile: "\(place)/fullchain.pem", keyFile: "\(place)/privkey.pem")
        return (authority, CertificateStore(hostsPath: "\(folder.path)/hosts"), folder)
    }

    @Test(arguments: ["", "SSH-2.0-x\r\n", nil])
    func `an address that accepts connections and makes no handshake does not keep it from the next one`(
        answer: String?
    ) throws {
        let (authority, store, folder) = try Self.issue(for: "a.example")
        defer { withExtendedLifetime(folder) {} }
        let dead = try LoopbackServer { client in
            if let answer { client.send(Array(answer.utf8)) } else { client.stall() }
        }
        let silent = try LoopbackServer { client in while !client.isStopping, !client.receive().isEmpty {} }
        let server = try ScriptedServer(certificates: store) { _ in .text("HTTP/1.1 204 No\r\n\r\n") }
        let addresses = [answer == nil ? silent.address : dead.address, server.address]
        var session = WebSession(
            try ClientContext(authorityFile: authority.certificatePath),
            settings(server.address) { settings in
                settings.limits.milliseconds = answer == nil ? 3_000 : 20_000
                settings.overrides = addresses.map { AddressOverride("a.example:443:\($0)")! }
            })
        #expect(try session.send(Self.place("https://a.example/")).status == 204)
    }

    @Test func `reports the failure of the first address`() throws {
        let closed: SocketAddress
        do { closed = try Listener(SocketAddress("127.0.0.1:0")!, sharesPort: false).address }
        let server = try LoopbackServer { $0.send(Array("SSH-2.0-x\r\n".utf8)) }
        var session = WebSession(
            try ClientContext(authorityFile: nil),
            settings(closed) { settings in
                settings.overrides = [closed, server.address].map { AddressOverride("a.example:443:\($0)")! }
            })
        let error = #expect(throws: FetchError.self) { try session.send(Self.place("https://a.example/")) }
        #expect(error?.description == "cannot connect: connection refused")
    }

    @Test func `has a limit for each part of an exchange`() {
        let limits = WebSessionSettings().limits
        #expect(limits.connectMilliseconds == 10_000 && limits.headMilliseconds == 20_000)
        #expect(limits.milliseconds == 30_000)
    }

    /// Through a proxy, so that the certificate's name and the address differ.
    @Test(arguments: [("a.example", true), ("other.example", false), ("a.example", false)])
    func `sends no request to an untrusted server`(certificate: String, trusts: Bool) throws {
        let (authority, store, folder) = try Self.issue(for: certificate)
        defer { withExtendedLifetime(folder) {} }
        let heads = Shared<[String]>([])
        let server = try ScriptedServer(certificates: store) { head in
            heads.change { $0.append(head) }
            return .keep(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8))
        }
        let proxy = try TunnelServer(to: server.address)
        let context = try ClientContext(
            authorityFile: trusts || certificate != "a.example" ? authority.certificatePath : nil)
        var session = WebSession(
            context, settings(server.address) { $0.proxy = ProxySettings("http://\(proxy.address)") })
        if trusts {
            for _ in 0..<2 { #expect(try session.send(Self.place("https://a.example/")).status == 200) }
            #expect(heads.value.count == 2)
            #expect(proxy.heard.value.count == 1)
        } else {
            #expect(throws: FetchError.self) { try session.send(Self.place("https://a.example/")) }
            #expect(heads.value.isEmpty)
        }
    }
}
