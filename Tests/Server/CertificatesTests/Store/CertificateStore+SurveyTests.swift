// Surveys of the certificates of all served hosts, whether clients need them or not.

import TestSupport
import Testing

@testable import Certificates
@testable import TLS
@testable import TLSSupport

struct CertificateStoreSurveyTests {
    private let bench: StoreBench

    init() throws { bench = try StoreBench() }

    private func states(_ store: CertificateStore) -> [CertificateState: Int] { store.register.survey(now: 0).counts }

    /// The rules of new problems, and the folders of closed problems and renewals.
    private func news(_ store: CertificateStore) -> [String] {
        let news = store.register.drain()
        return news.found.map(\.id) + news.ended.map { "ended \($0.file.dropFirst(bench.hosts.path.count + 1))" }
            + news.renewed.map { "renewed \($0.folder)" }
    }

    private func isSettled(_ outcome: SurveyOutcome) -> Bool { outcome.unsettled.isEmpty }

    private func store(_ serves: @escaping @Sendable (String) -> Bool = { _ in true }) -> CertificateStore {
        bench.store(recheckMilliseconds: 0, serves: serves)
    }

    @Test func `checks every served host, and keeps each problem open`() throws {
        try bench.install("good.test", names: ["good.test"])
        try bench.install("late.test", names: ["late.test"], days: -1)
        try bench.install("_wildcard.example.com", names: ["*.example.com"])
        try bench.install("wrong.test", names: ["other.test"])
        try bench.hosts.write("broken.test/fullchain.pem", "no certificate")
        try bench.install("unserved.test", names: ["other.test"])
        let hosts = [
            "good.test", "late.test", "a.example.com", "x.y.example.com", "broken.test", "none.test", "*.none.test",
            "wrong.test",
        ]
        let store = store { hosts.contains($0) }
        #expect(!store.register.survey(now: 0).isComplete)
        #expect(isSettled(store.survey(hosts)))
        #expect(store.register.survey(now: 0).isComplete)
        #expect(states(store) == [.usable: 2, .broken: 4, .missing: 2])
        #expect(news(store).sorted() == ["CERT-002", "CERT-009", "CERT-011", "CERT-011", "CERT-025", "CERT-025"])
        #expect(store.register.survey(now: 0).soonest.first?.folder == "late.test")
        #expect(store.identityCount == 0, "none of it is kept")
        // Names that a client invents are not findings.
        for index in 0..<20 { _ = store.identity(for: "g\(index).y.example.com") }
        #expect(isSettled(store.survey(hosts)))
        #expect(news(store).isEmpty)
        // Another request gets the problems again.
        _ = store.survey(hosts, repeats: true)
        #expect(news(store).count == 6)
    }

    /// Each row: a host, the folder of the certificate that answers, its state, the rules, and whether there is a certificate.
    @Test func `lists the certificate that answers for each host`() throws {
        try bench.install("good.test", names: ["good.test"])
        try bench.install("_wildcard.example.com", names: ["*.example.com"])
        let hosts = ["good.test", "a.example.com", "x.y.example.com", "none.test"]
        let store = store { hosts.contains($0) }
        #expect(store.certificate(of: "good.test") == nil)
        _ = store.survey(hosts)
        for (host, folder, state, rules, isThere) in [
            ("good.test", "good.test", .usable, [], true),
            ("a.example.com", "_wildcard.example.com", .usable, [], true),
            ("x.y.example.com", "_wildcard.example.com", .broken, ["CERT-011"], true),
            ("none.test", "none.test", .missing, ["CERT-025"], false),
        ] as [(String, String, CertificateState, [String], Bool)] {
            let found = try #require(store.certificate(of: host))
            #expect(found.folder == folder)
            #expect(found.state == state, "\(host)")
            #expect(found.problems.map(\.problem.id) == rules)
            #expect((found.summary?.issuer == "CN=Test Intermediate") == isThere)
            #expect(found.summary.map { $0.serial.isEmpty } == (isThere ? false : nil))
        }
    }

    @Test func `closes a problem when it is fixed, and reports a renewal`() throws {
        let store = store()
        let hosts = ["a.test"]
        _ = store.survey(hosts)
        #expect(news(store) == ["CERT-025"])
        _ = store.survey(hosts)
        #expect(store.register.problems(9).map(\.wasThereAtFirst) == [true])
        try bench.install("a.test", names: ["a.test"])
        _ = store.survey(hosts)
        #expect(news(store) == ["ended a.test/fullchain.pem"])
        #expect(states(store) == [.usable: 1])
        try bench.install("a.test", names: ["a.test"])
        _ = store.survey(hosts)
        #expect(news(store) == ["renewed a.test"])
        // Half-replaced files are checked once more before they count.
        try bench.hosts.write("a.test/privkey.pem", try bench.authority.issue(["a.test"]).key)
        #expect(store.survey(hosts).unsettled == ["a.test"])
        #expect(news(store).isEmpty)
        #expect(states(store) == [.usable: 1])
        #expect(isSettled(store.survey(only: hosts) { _ in true }))
        #expect(news(store) == ["CERT-006"])
        #expect(states(store) == [.broken: 1])
        // The same with a folder that is moved away.
        try bench.hosts.remove("a.test")
        #expect(store.survey(hosts).unsettled == ["a.test"])
        #expect(states(store) == [.broken: 1])
        #expect(isSettled(store.survey(hosts)))
        #expect(states(store) == [.missing: 1])
        #expect(news(store) == ["CERT-025"])
        #expect(store.register.problems(9).map(\.wasThereAtFirst) == [false])
    }

    @Test func `does not judge half a pair while the other half may follow`() throws {
        let store = store()
        _ = store.survey(["a.test"])
        let pair = try bench.authority.issue(["a.test"])
        try bench.hosts.write("a.test/fullchain.pem", pair.certificate + bench.authority.intermediate)
        #expect(store.survey(["a.test"]).unsettled == ["a.test"])
        try bench.hosts.write("a.test/privkey.pem", pair.key)
        #expect(isSettled(store.survey(["a.test"])))
        #expect(news(store) == ["CERT-025", "ended a.test/fullchain.pem"])
    }

    @Test func `gives half-replaced files as long as handshakes do, however often it checks`() throws {
        let store = bench.store(recheckMilliseconds: 3_600_000)
        for host in ["asked.test", "unasked.test"] { try bench.install(host, names: [host]) }
        let hosts = ["asked.test", "unasked.test"]
        #expect(bench.answer(store, "asked.test") == "asked.test")
        _ = store.survey(hosts)
        for host in hosts { try bench.hosts.write("\(host)/privkey.pem", try bench.authority.issue(["x.test"]).key) }
        for _ in 0..<3 { #expect(store.survey(only: hosts) { _ in true }.unsettled.sorted() == hosts) }
        #expect(news(store).isEmpty)
        // The other half of a pair is loaded without that.
        let pair = try bench.authority.issue(["new.test", "asked.test"])
        try bench.hosts.write("asked.test/fullchain.pem", pair.certificate + bench.authority.intermediate)
        #expect(store.survey(only: ["asked.test"]) { _ in true }.unsettled == ["asked.test"])
        try bench.hosts.write("asked.test/privkey.pem", pair.key)
        #expect(store.survey(only: ["asked.test"]) { _ in true }.unsettled.isEmpty)
        #expect(news(store) == ["renewed asked.test"])
        try bench.hosts.write("asked.test/privkey.pem", try bench.authority.issue(["x.test"]).key)
        #expect(store.survey(only: ["asked.test"]) { _ in true }.unsettled == ["asked.test"])
        // An operator's request reports the present problems.
        store.invalidateAll()
        _ = store.survey(hosts)
        #expect(news(store) == ["CERT-006"])
    }

    @Test func `reads files again that could not be opened, though they are the same`() throws {
        let store = store()
        try bench.install("a.test", names: ["a.test"])
        let key = try bench.hosts.bytes("a.test/privkey.pem")
        try bench.hosts.remove("a.test/privkey.pem")
        try bench.hosts.write("a.test/privkey.pem/in-the-way", "")
        _ = store.survey(["a.test"])
        #expect(news(store) == ["CERT-001"])
        _ = store.survey(["a.test"])
        #expect(news(store).isEmpty)
        try bench.hosts.remove("a.test/privkey.pem")
        try bench.hosts.write("a.test/privkey.pem", key)
        _ = store.survey(["a.test"])
        #expect(news(store) == ["ended a.test/privkey.pem"])
    }

    @Test func `keeps the last good version in service, and the problem open`() throws {
        try bench.install("a.test", names: ["a.test"])
        let store = store { $0 == "a.test" }
        #expect(bench.answer(store, "a.test") == "a.test")
        try bench.hosts.write("a.test/fullchain.pem", "half a certificate")
        #expect(!isSettled(store.survey(["a.test"])))
        #expect(isSettled(store.survey(["a.test"])))
        #expect(states(store) == [.lastGood: 1])
        #expect(news(store) == ["CERT-003"])
        let message = store.register.problems(of: "a.test").first?.problem.message ?? ""
        #expect(message.hasSuffix("; the server keeps serving the last good certificate"), "\(message)")
        try bench.hosts.remove("a.test")
        #expect(!isSettled(store.survey(["a.test"])))
        #expect(isSettled(store.survey(["a.test"])))
        #expect(states(store) == [.lastGood: 1])
        #expect(news(store).contains("CERT-024"))
        #expect(bench.answer(store, "a.test") == "a.test")
        // Repaired files come into service without a handshake.
        try bench.install("a.test", names: ["a.test", "new.test"])
        #expect(isSettled(store.survey(["a.test"])))
        #expect(states(store) == [.usable: 1])
        #expect(news(store) == ["ended a.test/fullchain.pem", "renewed a.test"])
    }

    enum Fault: CaseIterable { case wrongKey, expired, otherNames, gone }

    /// The host's own folder and a shared one; files that are just being replaced, and complete ones.
    @Test(arguments: Fault.allCases, ["a.example.com", "_wildcard.example.com"])
    func `keeps the last good certificate of a host`(fault: Fault, folder: String) throws {
        for recheckMilliseconds in [0, 3_600_000] as [Int64] {
            try bench.install(folder, names: ["*.example.com"])
            let store = bench.store(recheckMilliseconds: recheckMilliseconds) { $0 == "a.example.com" }
            #expect(bench.answer(store, "a.example.com") == "*.example.com")
            _ = store.survey(["a.example.com"])
            switch fault {
            case .wrongKey: try bench.hosts.write("\(folder)/privkey.pem", try bench.authority.issue(["x.test"]).key)
            case .expired: try bench.install(folder, names: ["a.example.com"], days: -1)
            case .otherNames: try bench.install(folder, names: ["other.test"])
            case .gone: try bench.hosts.remove(folder)
            }
            for _ in 0..<3 {
                _ = store.survey(only: [folder]) { $0 == "a.example.com" }
                _ = store.survey(["a.example.com"])
                #expect(bench.answer(store, "a.example.com") == "*.example.com", "\(recheckMilliseconds)")
            }
            if recheckMilliseconds == 0 { #expect(states(store) == [.lastGood: 1]) }
        }
    }

    @Test func `keeps the certificates of the first hosts in memory before a client needs them`() throws {
        for host in ["a.test", "b.test"] { try bench.install(host, names: [host]) }
        var limits = StoreBench.limits(recheckMilliseconds: 0)
        limits.surveyedMax = 1
        let store = CertificateStore(hostsPath: bench.hosts.path, limits: limits, serves: { _ in true })
        _ = store.survey(["a.test", "b.test"])
        #expect(store.identityCount == 1)
        for host in ["a.test", "b.test"] { try bench.hosts.remove("\(host)/privkey.pem") }
        for _ in 0..<2 { _ = store.survey(["a.test", "b.test"]) }
        #expect(states(store) == [.lastGood: 1, .broken: 1])
        #expect(bench.answer(store, "a.test") == "a.test")
    }

    @Test func `a tenant with many hosts leaves others their place in memory`() throws {
        let hosts = (1...5).map { "\($0).a.test" } + ["1.b.test"]
        for host in hosts { try bench.install(host, names: [host]) }
        var limits = StoreBench.limits(recheckMilliseconds: 0)
        limits.surveyedMax = 3
        let store = CertificateStore(
            hostsPath: bench.hosts.path, limits: limits, serves: { _ in true }, tenant: StoreBench.tenant)
        _ = store.survey(hosts)
        #expect(store.identityCount == 3)
        for host in hosts { try bench.hosts.remove("\(host)/privkey.pem") }
        for _ in 0..<2 { _ = store.survey(hosts) }
        let served = hosts.filter { bench.answer(store, $0) == $0 }
        #expect(served == ["1.a.test", "2.a.test", "1.b.test"], "its newest has made room")
    }

    @Test func `drops certificates that no served host needs, in a survey and at once`() throws {
        for host in ["a.test", "b.test", "c.test"] {
            try bench.install(host, names: [host], days: host == "a.test" ? 90 : -1)
        }
        let served = Shared(["a.test", "b.test", "c.test"])
        let store = store { served.value.contains($0) }
        for host in ["a.test", "b.test", "c.test"] { #expect(bench.answer(store, host) == host) }
        _ = store.survey(served.value)
        #expect(news(store) == ["CERT-009", "CERT-009"])
        served.change { $0 = ["a.test", "c.test"] }
        #expect(!store.survey(only: ["b.test"]) { _ in false }.wantsEverything)
        #expect(store.identityCount == 2)
        served.change { $0 = ["a.test"] }
        _ = store.survey(["a.test"])
        #expect(news(store).isEmpty)
        #expect(store.identityCount == 1)
        #expect(states(store) == [.usable: 1])
        #expect(store.register.survey(now: 0).soonest.map(\.folder) == ["a.test"])
        #expect(store.register.openProblemCounts == ProblemCounts())
    }

    @Test func `drops a shared certificate with its last host`() throws {
        try bench.install("_wildcard.example.com", names: ["*.example.com"])
        let served = Shared(["a.example.com", "b.example.com"])
        let store = store { served.value.contains($0) }
        _ = store.survey(served.value)
        for left in [["b.example.com"], []] {
            served.change { $0 = left }
            #expect(store.survey(only: ["a.example.com"]) { left.contains($0) }.wantsEverything)
            _ = store.survey(left)
            #expect(states(store) == (left.isEmpty ? [:] : [.usable: 1]))
        }
    }

    @Test func `checks a folder below a served wildcard, though no app file names it`() throws {
        try bench.install("_wildcard.example.com", names: ["*.example.com"])
        try bench.install("own.example.com", names: ["own.example.com"])
        let store = store { $0.hasSuffix(".example.com") }
        #expect(bench.answer(store, "own.example.com") == "own.example.com")
        for _ in 0..<2 {
            _ = store.survey(["*.example.com"])
            #expect(states(store) == [.usable: 2])
        }
        try bench.hosts.remove("own.example.com")
        for _ in 0..<2 { _ = store.survey(only: ["own.example.com"]) { $0 == "*.example.com" } }
        #expect(states(store) == [.usable: 1])
        #expect(news(store).isEmpty)
    }

    @Test func `more urgent work comes between two hosts`() throws {
        let store = store()
        var counts: [Int] = []
        _ = store.survey(["a.test", "b.test", "c.test"]) { counts.append(states(store)[.missing] ?? 0) }
        #expect(counts == [0, 1, 2])
        #expect(states(store) == [.missing: 3])
    }

    @Test func `checks the default certificate if there is one`() throws {
        let store = store { _ in false }
        _ = store.survey([])
        #expect(states(store) == [:])
        try bench.hosts.write("_default/fullchain.pem", "no certificate")
        _ = store.survey([])
        #expect(states(store) == [.broken: 1])
        #expect(news(store) == ["CERT-002"])
    }

    @Test func `reports once which certificates take precedence over the manager's`() throws {
        let managed = try TemporaryFolder(permissions: 0o600)
        let names = (0..<6).map { "h\($0).test" } + ["managed.test", "unserved.test", ".h0.test"]
        let pair = try bench.authority.issue(["h0.test"])
        for name in names { try bench.authority.install(pair, name, in: managed) }
        for name in names where name != "managed.test" { try bench.install(pair, name) }
        try bench.hosts.write("managed.test/well-known/security.txt", "")
        let store = bench.store(recheckMilliseconds: 0, managedPath: managed.path) { $0 != "unserved.test" }
        func overriding(repeats: Bool = false) -> CertificateNews.Overriding? {
            _ = store.survey(names.prefix(7), repeats: repeats)
            return store.register.drain().overriding
        }
        let all = CertificateNews.Overriding(count: 6, first: ["h0.test", "h1.test", "h2.test", "h3.test", "h4.test"])
        #expect(overriding() == all)
        #expect(overriding() == nil)
        #expect(overriding(repeats: true) == all)
        try bench.hosts.remove("h0.test")
        #expect(overriding()?.count == 5)
        for number in 1..<6 { try bench.hosts.remove("h\(number).test") }
        #expect(overriding() == nil)
    }

    @Test func `with a development authority every host has a certificate`() throws {
        let folder = try TemporaryFolder(permissions: 0o600)
        let store = CertificateStore(
            hostsPath: bench.hosts.path, development: try DevelopmentAuthority(directory: folder.path),
            serves: { $0 != "other.test" })
        _ = store.survey(["shop.localhost", "other.test"])
        #expect(news(store) == ["CERT-025"])
    }
}
