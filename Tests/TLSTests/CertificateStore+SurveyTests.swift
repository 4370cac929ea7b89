// How the certificates in memory stand, without a look at those that nobody asked for.

import Synchronization
import Testing

@testable import TLS

struct CertificateStoreSurveyTests {
    @Test func `only what was asked for is told, the first to end first`() throws {
        let bench = try StoreBench()
        try bench.install("late.example", names: ["late.example"], days: 90)
        try bench.install("_wildcard.soon.example", names: ["*.soon.example"], days: 10)
        try bench.install("_default", names: ["fallback.example"], days: 40)
        try bench.install("unasked.example", names: ["unasked.example"], days: 1)
        try bench.hosts.write("broken.example/fullchain.pem", "no certificate")
        let store = bench.store()
        #expect(store.survey(soonestMax: 5) == CertificateSurvey())
        for host in ["late.example", "a.soon.example", "other.example", "broken.example"] {
            _ = store.identity(for: host)
        }
        let survey = store.survey(soonestMax: 5)
        #expect((survey.usableCount, survey.brokenCount) == (3, 1))
        #expect(survey.soonest.map(\.folder) == ["_wildcard.soon.example", "_default", "late.example"])
        let days = survey.soonest.map { ($0.notAfter - survey.soonest[0].notAfter + 43_200) / 86_400 }
        #expect(days == [0, 30, 80])
        #expect(store.survey(soonestMax: 2).soonest == Array(survey.soonest.prefix(2)))
        #expect(store.survey(soonestMax: 0).soonest.isEmpty)
    }

    @Test func `many are gone through step by step`() throws {
        let bench = try StoreBench()
        try bench.install("_default", names: ["fallback.example"])
        let store = bench.store()
        guard case .identity(let identity) = store.identity(for: "") else {
            Issue.record("no certificate")
            return
        }
        for count in 0..<1_000 {
            let name = Array("h\(count).example".utf8)
            let record = CertificateRecord(.identity(identity), stamp: 0)
            store.cache.withLock { $0.folders.insert(name.span, hash: HostKey.hash(name.span), record) }
        }
        #expect(store.survey(soonestMax: 1).usableCount == 1_001)
    }
}
