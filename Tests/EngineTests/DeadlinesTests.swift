// What a connection is waited for, and since when, on a clock of the test's own.

import Catalogue
import HTTP
import TLS
import Testing

@testable import Engine

struct DeadlinesTests {
    private let rig: WorkerRig

    init() throws {
        rig = try WorkerRig(
            TestEngine.sites, limits: Limits(), certificates: CertificateStore(hostsPath: "/nonexistent"))
    }

    @Test func `a client that is always in the middle of another request is not late`() throws {
        let request = get("/doc")
        let middle = request.index(request.startIndex, offsetBy: 20)
        var client = try TestClient(rig.plainAddress)
        try client.send(String(request[..<middle]))
        for _ in 0..<5 {
            rig.settle()
            rig.turn(after: 6_000)
            try client.send(String(request[middle...] + request[..<middle]))
            rig.settle()
            #expect(try client.response()?.status == 200)
        }
        // Ten seconds after the last one began it is.
        rig.turn(after: 10_001)
        #expect(try client.response()?.status == 408)
    }

    @Test func `bytes of a head do not prolong the wait for its end`() throws {
        var client = try TestClient(rig.plainAddress)
        for byte in get("/doc").prefix(11) {
            try client.send(String(byte))
            rig.settle()
            rig.turn(after: 1_000)
        }
        #expect(try client.response()?.status == 408)
    }
}
