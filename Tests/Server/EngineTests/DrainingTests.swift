// The clients that are served while a worker drains, with the test's own clock.

import Glibc
import HTTP
import Posix
import TLS
import Testing

@testable import Engine

struct DrainingTests {
    private let rig: WorkerRig

    init() throws { rig = try WorkerRig() }

    @Test(arguments: [false, true])
    func `gives a client that connects just before draining the normal time for its request`(isSecure: Bool) throws {
        let address = isSecure ? rig.secureAddress : rig.plainAddress
        var early = try TestClient(address)
        rig.runUntilIdle()
        rig.control.drain(.stop)
        rig.turn()
        rig.turn(after: 1_400)
        var late = try TestClient(address)
        rig.runUntilIdle()
        rig.turn(after: 200)
        #expect(!rig.isListening)
        #expect(try early.rest().isEmpty)
        #expect(rig.connectionCount == 1)
        try late.send(get("/doc", "Connection: keep-alive\r\n"))
        rig.runUntilIdle()
        let answer = try #require(try late.response())
        // Over TLS this is not a handshake and gets an alert, which shows that it was read.
        #expect(answer.status == (isSecure ? 400 : 200))
        #expect(answer["connection"] == "close")
        late.finishSending()
        rig.runUntilIdle()
        #expect(rig.isFinished)
    }

    @Test func `serves waiting clients while draining, though descriptors had run out`() throws {
        rig.worker.runOutOfDescriptors()
        rig.control.drain(.stop)
        rig.turn()
        var late = try TestClient(rig.plainAddress)
        try late.send(get("/doc"))
        rig.runUntilIdle()
        #expect(try late.response()?.status == 200)
    }

    @Test func `accepts what waits at a takeover, closes the listeners at once and finishes open requests`() throws {
        var busy = try TestClient(rig.plainAddress)
        try busy.send("GET /doc HTTP/1.1\r\nHost: shop.exa")
        rig.runUntilIdle()
        // It waits in the queue, and the kernel may have told only this worker, which has not looked yet.
        var waiting = try TestClient(rig.plainAddress)
        rig.control.drain(.takenOver)
        rig.turn(seesEvents: false)
        #expect(!rig.isListening)
        #expect(rig.connectionCount == 2)
        try waiting.send(get("/doc"))
        try busy.send("mple\r\n\r\n")
        rig.runUntilIdle()
        for answer in [try busy.response(), try waiting.response()] {
            #expect(answer?.status == 200 && answer?["connection"] == "close")
        }
        busy.finishSending()
        waiting.finishSending()
        rig.runUntilIdle()
        #expect(rig.isFinished)
    }

    @Test func `does not change the options of its sockets after a takeover`() throws {
        let rig = try WorkerRig()
        let socket = rig.sockets[0]
        func deferSeconds() -> Int32 {
            var (value, size) = (Int32(0), socklen_t(4))
            getsockopt(socket.number, Int32(IPPROTO_TCP), TCP_DEFER_ACCEPT, &value, &size)
            return value
        }
        socket.listener.deferAccept(seconds: 1)
        rig.control.drain(.takenOver)
        rig.turn()
        #expect(deferSeconds() > 0)
    }

    @Test func `closes a silent connection that was opened just before draining`() throws {
        rig.control.drain(.stop)
        rig.turn()
        rig.turn(after: 1_400)
        var late = try TestClient(rig.plainAddress)
        rig.runUntilIdle()
        rig.turn(after: 200)
        #expect(!rig.isFinished)
        rig.turn(after: 1_500)
        #expect(try late.rest().isEmpty)
        rig.runUntilIdle()
        #expect(rig.isFinished)
    }
}
