// Threads and the values that they own.

import Posix
import Testing

struct ThreadTests {
    private final class Signals: Sendable {
        private let ran: WakeUp
        private let ended: WakeUp

        init() throws {
            ran = try WakeUp()
            ended = try WakeUp()
        }

        func noteRun() { ran.wake() }
        func noteEnd() { ended.wake() }
        var hasRun: Bool { ran.wait(milliseconds: 0) }
        var hasEnded: Bool { ended.wait(milliseconds: 0) }
    }

    /// Records its work and its release.
    private struct Owner: ~Copyable {
        let signals: Signals
        private var count = 0

        init(_ signals: Signals) { self.signals = signals }

        mutating func run() {
            count += 1
            if count == 1, !signals.hasEnded { signals.noteRun() }
        }

        deinit { signals.noteEnd() }
    }

    @Test func `a thread can change its name`() throws {
        let isNamed = try WakeUp()
        try Thread(name: "before") {
            Thread.nameCurrent("after")
            let name = try? File.read("/proc/thread-self/comm", bytesMax: 64).bytes
            if name == Array("after\n".utf8) { isNamed.wake() }
        }.join()
        let wasNamed = isNamed.wait(milliseconds: 0)
        #expect(wasNamed)
    }

    @Test func `a value belongs to its thread, and is released when the work ends`() throws {
        let signals = try Signals()
        let thread = try Thread(name: "owner", owning: Owner(signals)) { $0.run() }
        thread.join()
        #expect(signals.hasRun)
        #expect(signals.hasEnded)
    }
}
