// A host with more pages than one round compresses: all are served at once, and their gzip forms follow in later rounds.

import Catalogue
import Testing

@testable import Hosting

struct CompressionBudgetTests {
    @Test func `pages beyond the budget are served uncompressed, and compressed in later rounds`() throws {
        let site = try TenantTree()
        try site.shop("a.json", hosts: ["a.example.com"])
        let text = String(repeating: "page ", count: 50_000)
        let names = (10..<44).map { "/\($0).txt" }
        for name in names { try site.write("public/a.example.com\(name)", text) }
        try site.waitUntilSettled("public/a.example.com/43.txt")
        var report = try site.round()
        var roundCount = 1
        var packedCounts = [packedCount(site, names)]
        while !report.later.isEmpty, roundCount < 10 {
            #expect(report.later.hosts == ["a.example.com"])
            #expect(names.allSatisfy { site.answer("a.example.com", $0) == text })
            report = try site.round(report.later)
            #expect(report.changes.isEmpty, "the answer is the same one")
            packedCounts.append(packedCount(site, names))
            roundCount += 1
        }
        // The first round of a process does not remember files.
        #expect(packedCounts == [16, 16, 32, 34])
        #expect(try site.round(.allAgain).hostFilesRead == 0)
    }

    private func packedCount(_ site: TenantTree, _ paths: [String]) -> Int {
        let view = site.tenants.catalogue.view
        guard let found = view.site(host: Array("a.example.com".utf8).span) else { return 0 }
        return paths.count { path in Array(path.utf8).withUnsafeBytes { view.answer(found, path: $0) }?.hasGzip == true
        }
    }
}
