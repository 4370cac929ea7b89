// Waking a poller from another thread.

import Posix
import Testing

struct WakeUpTests {
    @Test func `a thread wakes a poller`() throws {
        let control = Control(try WakeUp())
        let poller = try Poller()
        poller.add(control.wakeUp.descriptor.number, .readable, token: 1)
        #expect(poller.wait(milliseconds: 0) == 0)
        let thread = try Thread(name: "waker") { control.wakeUp.wake() }
        #expect(poller.wait(milliseconds: 10_000) == 1)
        thread.join()
        control.wakeUp.clear()
        #expect(poller.wait(milliseconds: 0) == 0)
    }

    private final class Control: Sendable {
        let wakeUp: WakeUp
        init(_ wakeUp: consuming WakeUp) { self.wakeUp = wakeUp }
    }
}
