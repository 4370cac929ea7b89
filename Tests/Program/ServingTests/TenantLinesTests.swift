// How many lines of the log a tenant's changes may have.

import Tenancy
import Testing

@testable import Serving

struct TenantLinesTests {
    private let shop = TenantID(folder: "shop")
    private let other = TenantID(folder: "other")

    @Test func `a tenant has so many lines an hour, and the rest is counted`() {
        var lines = TenantLines()
        let written = (0..<TenantLines.linesMax).count { _ in lines.admits(shop, 1_000) }
        #expect(written == TenantLines.linesMax)
        #expect(lines.takeFull().isEmpty)
        let more = (0..<3).count { _ in lines.admits(shop, 2_000) }
        #expect(more == 0)
        #expect(lines.takeFull() == [shop], "said once")
        #expect(lines.takeFull().isEmpty)
        let isOtherWritten = lines.admits(other, 2_000)
        #expect(isOtherWritten)
        let end = 1_000 + TenantLines.hourMilliseconds
        #expect(lines.takeEnded(end - 1).isEmpty)
        let ended = lines.takeEnded(end)
        #expect(ended.map(\.tenant) == [shop] && ended.map(\.omitted) == [3])
        let isWrittenAgain = lines.admits(shop, end)
        #expect(isWrittenAgain)
        // An hour in which nothing was left out is not mentioned.
        #expect(lines.takeEnded(.max).isEmpty)
    }

    @Test func `the operator's lines are all written`() {
        var lines = TenantLines()
        for _ in 0...TenantLines.linesMax {
            let isWritten = lines.admits(.operator, 0)
            #expect(isWritten)
        }
    }
}
