// From the record of an app file to what the manager is told about it.

import Association
import Testing

@testable import Hosting

struct PublishedFileTests {
    private static let text = Array("{}".utf8)
    private static let finding = Finding(
        rule: .app042, severity: .error, file: "acme/a.json", range: nil, message: "held", fix: nil)

    @Test(
        arguments: [
            (.current, true, .served, false), (.held, true, .held, true), (.gone, true, .held, true),
            (.broken, true, .broken, true), (.broken, false, .broken, false), (.refused, true, .broken, true),
            (.refused, false, .broken, false),
        ] as [(AppRecord.State, Bool, PublishedFile.State, Bool)])
    func `each state of a record is one that the manager knows`(
        state: AppRecord.State, hasGood: Bool, expected: PublishedFile.State, servesOlder: Bool
    ) {
        let good = AppRecord.GoodVersion(text: .memory(Self.text), modified: 0, hosts: [], otherHosts: [])
        var open = OpenFindings()
        if state != .current { open.files["acme/a.json"] = [Self.finding] }
        open.publishedDigests["acme/a.json"] = state == .gone ? nil : "of the new version"
        let file = PublishedFile(
            "acme/a.json", AppRecord(mark: nil, state: state, good: hasGood ? good : nil), open)
        #expect(file.state == expected && file.servesOlder == servesOlder)
        #expect(file.findings == (state == .current ? [] : [Self.finding]))
        switch state {
        // `printf '{}' | sha256sum`
        case .current: #expect(file.digest == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a")
        case .gone: #expect(file.digest == nil)
        default: #expect(file.digest == "of the new version")
        }
    }

    @Test func `a round tells about the published files that it has read, a start about all`() throws {
        let site = try TenantTree()
        try site.shop("own/o.json", hosts: ["o.example.com"])
        try site.publish("acme", ["a.example.com", "b.example.com"])
        func told(_ report: RoundReport) -> [String: PublishedFile.State?] {
            let ofTenant = report.published.filter { $0.path.hasPrefix("acme/") }
            return Dictionary(uniqueKeysWithValues: ofTenant.map { ($0.path, $0.file?.state) })
        }
        #expect(told(try site.restart()) == ["acme/a.json": .served, "acme/b.json": .served])
        try site.shop("a.json", hosts: ["x.example.com"], below: "state/published/apps/acme")
        #expect(told(try site.round(.apps("acme/a.json"))) == ["acme/a.json": .held])
        try site.write("state/published/apps/acme/a.json", "{}")
        let report = try site.round(.apps("acme/a.json"))
        #expect(report.published.map(\.file?.digest) == [PublishedFile.digest(Self.text)])
        #expect(report.published.first?.file?.state == .broken)
        #expect(told(try site.restart()) == ["acme/a.json": .broken, "acme/b.json": .served])
        // In the operator's folder, they are none of the manager's business any more.
        try site.move("state/published/apps/acme", to: "config/apps/acme")
        let moved = told(try site.round())
        #expect(moved == ["acme/a.json": nil, "acme/b.json": nil])
        try site.move("config/apps/acme", to: "state/published/apps/acme")
        #expect(told(try site.round()) == ["acme/a.json": .broken, "acme/b.json": .served])
        try site.move("state/published/apps/acme", to: "config/apps/acme")
        #expect(try site.restart().published.isEmpty)
    }
}
