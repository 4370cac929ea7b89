// What the threads of a manager share.

import Store
import TestSupport
import Testing

struct WorkControlTests {
    @Test func `the log names some hosts with a problem, and counts the others`() throws {
        let lines = Shared<[String]>([])
        let control = try WorkControl(workerCount: 0) { _, text in lines.change { $0.append(text) } }
        for number in 1...25 { control.logHost("h\(number)") }
        #expect(lines.value == (1...10).map { "h\($0)" })
        #expect(control.takeOmittedHosts(now: 1) == 15)
        lines.change { $0 = [] }
        control.logHost("next")
        #expect(control.takeOmittedHosts(now: 60_000) == 0)
        #expect(control.takeOmittedHosts(now: 60_001) == 0)
        #expect(lines.value == ["next"])
    }
}
