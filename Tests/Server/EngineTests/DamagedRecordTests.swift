// A damaged record after valid requests, all in one receive.

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

struct DamagedRecordTests {
    private static let host = "play.example"

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func `a damaged record after requests ends its session and does not affect the next one`(version: Int32) throws {
        let folder = try TemporaryFolder()
        let large = Array(TestEngine.largeBody.prefix(600_000))
        try Data(large).write(to: URL(fileURLWithPath: "\(folder.path)/file"))
        let file = try Posix.Folder(folder.path).open("file")
        let site = PreparedSite(
            host: DamagedRecordTests.host,
            answers: [
                ("/copied", TestEngine.answer(.bytes(Array(large.prefix(16_000))))),
                ("/file", TestEngine.answer(.file(file))),
            ])
        let authority = try DevelopmentAuthority(directory: folder.path)
        let rig = try WorkerRig(
            [site], limits: Limits(),
            certificates: CertificateStore(hostsPath: "\(folder.path)/hosts", development: authority))
        let context = RandomClient.makeContext(version: version)
        defer { RandomClient.free(context) }

        let copied = exchange("/copied", large.prefix(16_000))
        let damaging = RandomClient(
            rig.secureAddress, context, host: DamagedRecordTests.host, Array(repeating: copied, count: 6),
            bufferBytes: nil)
        let isEstablished = eventually {
            step(damaging, rig, sends: 200)
            return rig.connectionCount == 1 && rig.worker.acceptor.handshakeCount == 0
        }
        try #require(isEstablished)
        rig.runUntilIdle()
        let answered = rig.metrics.total(.requests(.success, .page))
        // First the rest of the records, then everything else.
        for _ in 0..<2 { damaging.send(.max) }
        damaging.sendUnexpected([23, 3, 3, 0, 40] + [UInt8](repeating: 7, count: 40))
        rig.turn()
        #expect(rig.contradiction == nil)
        #expect(rig.metrics.total(.requests(.success, .page)) == answered, "a broken session gets no answer")

        let next = RandomClient(
            rig.secureAddress, context, host: DamagedRecordTests.host, [exchange("/file", large[...])],
            bufferBytes: 4_096, isNarrow: true)
        let isAnswered = eventually {
            step(next, rig, sends: .max)
            return next.answers == 1
        }
        #expect(isAnswered && next.problem == nil)
        #expect(rig.contradiction == nil)
    }

    private func exchange(_ path: String, _ body: ArraySlice<UInt8>) -> RandomClient.Exchange {
        // Long, so that the handshake is over before they are sent.
        let padding = "X-Padding: \(String(repeating: "a", count: 3_000))\r\n"
        let request = "GET \(path) HTTP/1.1\r\nHost: \(DamagedRecordTests.host)\r\n\(padding)\r\n"
        return RandomClient.Exchange(request: Array(request.utf8), body: Array(body))
    }

    private func step(_ client: RandomClient, _ rig: WorkerRig, sends count: Int) {
        client.send(count)
        rig.turn()
        client.read(200_000)
    }
}
