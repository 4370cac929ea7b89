import Issuance
import SourceJSON
import Testing

@testable import Console

struct CausesTests {
    private func causes(of status: String?) -> Causes {
        var causes = Causes()
        causes.addServer(status.flatMap { SourceReader.read(Array($0.utf8), as: .json).value })
        return causes
    }

    @Test func `hosts with one reason are one cause`() {
        let kept = (0..<7).map { #"{"host":"h\#($0).test","reason":"error: apps/x.json:1:2: error[AFF-001]: no"}"# }
        let causes = causes(
            of:
                #"{"waits":[],"lastGood":[\#(kept.joined(separator: ","))],"hosting":{"hostsOnLastGoodVersion":40},"findings":[{"finding":"error: apps/x.json:1:2: error[AFF-001]: no"},{"finding":"apps/x.json:1:2: warning[DAL-013]: hm"}]}"#
        )
        #expect(causes.all.count == 1)
        #expect(causes.all.first?.title == "40 hosts keep their last good version" && causes.all.first?.count == 40)
        #expect(causes.hostCount() == 40 && !causes.isFine)
    }

    @Test(
        arguments: [
            (#"{"waits":[],"hosting":{}}"#, true), (nil, false),
            (#"{"waits":["the disk is full"],"hosting":{}}"#, false),
            (#"{"waits":[],"hosting":{},"findings":[{"finding":"x"}]}"#, false),
            (#"{"waits":[],"hosting":{},"changedSettings":{"finding":"restart"}}"#, false),
            (#"{"waits":[],"hosting":{},"certificates":{"complete":false}}"#, false),
            (
                #"{"waits":[],"hosting":{},"certificates":{"complete":true,"causes":[{"folder":"a.test","severity":"error","finding":"x","alike":["b.test"],"count":9}]}}"#,
                false
            ),
            (
                #"{"waits":[],"hosting":{},"certificates":{"complete":true,"causes":[{"folder":"a.test","severity":"note","finding":"x"}]}}"#,
                true
            ),
        ] as [(String?, Bool)])
    func `is fine only if the server has nothing to say`(status: String?, isFine: Bool) {
        #expect(causes(of: status).isFine == isFine)
    }

    @Test func `the manager's own problem is one`() {
        var causes = causes(of: #"{"waits":[],"hosting":{}}"#)
        causes.addManager(problem: "the disk is full", sources: [])
        #expect(!causes.isFine && causes.sorted.first?.detail == "the disk is full")
    }

    @Test func `counts that are missing are not good news`() {
        var causes = causes(of: #"{"waits":[],"hosting":{}}"#)
        causes.addIssuance(nil) { _ in true }
        #expect(!causes.isFine && !causes.all.contains(where: \.needsPerson))
    }

    @Test func `the worst come first`() {
        var causes = Causes()
        causes.add(Cause(tone: .wait, title: "c"))
        causes.add(Cause(tone: .warn, title: "b", count: 2))
        causes.add(Cause(tone: .warn, title: "a", count: 9))
        causes.add(Cause(tone: .bad, title: "z"))
        #expect(causes.sorted.map(\.title) == ["z", "a", "b", "c"])
    }
}
