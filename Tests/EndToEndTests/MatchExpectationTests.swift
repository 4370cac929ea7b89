// `associated match` in a workflow: several URLs, and a status that says whether they open what they should.

import Foundation
import Testing

struct MatchExpectationTests {
    /// Arguments behind `match --config config`, the status, and how many answers there are.
    @Test(arguments: [
        (["shop.acme.test/a/1"], 0, 1), (["shop.acme.test:8443/a/1"], 0, 1),
        (["https://shop.acme.test/a/1", "https://shop.acme.test/b"], 0, 2), (["https://other.test/"], 1, 1),
        (["shop.acme.test/a/1", "other.test/"], 1, 2), (["--expect", "app", "shop.acme.test/a/1"], 0, 1),
        (["--expect", "app", "shop.acme.test/b"], 1, 1), (["--expect", "web", "shop.acme.test/b"], 0, 1),
        (["--expect", "web", "shop.acme.test/a/1"], 1, 1), (["--expect", "web", "other.test/"], 0, 1),
        (["--expect", "app", "other.test/"], 1, 1),
        (["--expect", "app", "shop.acme.test/a/1", "shop.acme.test/b"], 1, 2),
        (["--expect", "none", "shop.acme.test/b"], 2, 0), (["ftp://shop.acme.test/a/1"], 2, 0),
        (["mailto:a@shop.acme.test"], 2, 0),
    ])
    func `takes several URLs, and says in its status whether they open what they should`(
        arguments: [String], status: Int, answers: Int
    ) throws {
        let folder = try Folder()
        try folder.write("config/apps/shop.json", MatchCommandTests.app)
        let run = try Subject.run(["match", "--config", "\(folder.path)/config"] + arguments)
        #expect(run.status == status, "\(run.output)\(run.errors)")
        #expect(run.output.split(separator: "\n").filter { $0.hasPrefix("https://") }.count == answers)
        #expect(run.errors.contains("expected to") == (status == 1 && arguments.contains("--expect")))
    }
}
