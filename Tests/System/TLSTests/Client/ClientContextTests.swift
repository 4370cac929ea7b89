// Which servers a client connects to at all: those of `openssl s_server` with one version of TLS.

import Foundation
import Posix
import TestSupport
import Testing

@testable import TLS
@testable import TLSSupport

struct ClientContextTests {
    @Test(arguments: [("-tls1_1", false), ("-tls1_2", true), ("-tls1_3", true)])
    func `only a check connects to a server with an old version`(version: String, isModern: Bool) throws {
        let folder = try TemporaryFolder()
        let pair = try TestAuthority.shared.issueSelfSigned(["a.example"])
        let (certificate, key) = (try folder.write("cert.pem", pair.certificate), try folder.write("key.pem", pair.key))
        // OpenSSL writes to a server that may have closed the connection.
        signal(SIGPIPE, SIG_IGN)
        // It ends at the end of its input.
        let (server, input, output) = (Process(), Pipe(), Pipe())
        server.standardInput = input
        server.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        server.arguments = [
            "openssl", "s_server", "-accept", "127.0.0.1:0", version, "-cipher", "DEFAULT@SECLEVEL=0", "-key", key,
            "-cert", certificate,
        ]
        (server.standardOutput, server.standardError) = (output, FileHandle.nullDevice)
        try server.run()
        // The thread of a test may block other signals, which a child inherits.
        defer {
            kill(server.processIdentifier, SIGKILL)
            server.waitUntilExit()
        }
        var text = ""
        while !text.contains("ACCEPT 127.0.0.1:") || !text.hasSuffix("\n") {
            let bytes = output.fileHandleForReading.availableData
            try #require(!bytes.isEmpty, "\(text)")
            text += String(decoding: bytes, as: UTF8.self)
        }
        let line = try #require(text.split(separator: "\n").last { $0.hasPrefix("ACCEPT ") })
        let address = try #require(SocketAddress(String(line.dropFirst("ACCEPT ".count))))
        for isCheck in [true, false] {
            let context = try ClientContext(authorityFile: nil, acceptsWeakServers: isCheck)
            let socket = try ClientSocket(to: address, timeoutMilliseconds: 10_000)
            var isConnected = true
            do throws(HandshakeError) { _ = try context.connect(socket, host: "a.example", within: 10_000) } catch {
                isConnected = false
            }
            #expect(isConnected == (isModern || isCheck))
        }
    }
}
