// The delivery monitor with a stand-in for Google's registration API: what it asks, how often, and what an outage changes.

import Client
import Database
import DatabaseSupport
import Store
import TestSupport
import Testing

@testable import Delivery
@testable import Verifier

struct RegistrationWatchTests {
    typealias Rig = DeliveryWorkerTests.Rig

    private static let prints = ["C1", "5F", "0A", "0B", "0C", "0D", "0E"].map { first in
        first + ":7A:C2:9D:1E:84:B3:60:4A:DD:F1:27:8C:39:E6:05:BA:91:73:2E:C8:46:0F:A5:D4:18:6B:E2:97:3C:50:FA"
    }

    private static func file(_ count: Int) -> String {
        """
        [{"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"android_app",
        "package_name":"com.acme.shop","sha256_cert_fingerprints":[\(prints.prefix(count).map { "\"\($0)\"" }.joined(separator: ","))]}}]
        """
    }

    private static func list(_ count: Int) -> String {
        let statements = prints.prefix(count).map {
            #"{"relation":"delegate_permission/common.handle_all_urls","target":{"androidApp":{"packageName":"com.acme.shop","#
                + #""certificate":{"sha256Fingerprint":"\#($0)"}}}}"#
        }
        return Rig.reply(200, "{\"statements\":[\(statements.joined(separator: ","))],\"maxAge\":\"60s\"}")
    }

    private static let api = "/v1/packages/com.acme.shop/packageRegistrationStatus:check?certificateFingerprint="

    private static func state(_ state: String) -> String { Rig.reply(200, "{\"state\":\"\(state)\"}") }

    private static func rig(of count: Int = 1, _ answer: String, isOn: Bool = true) throws -> Rig {
        let host = DeliveryWorkerTests.host
        let rig = try Rig([host: [.google: file(count)]], ["/v1/statements:list": list(count), api: answer])
        if isOn { rig.rules.registration = RegistrationAPI(key: "AIza-key", base: "http://\(rig.server.address)/") }
        return rig
    }

    private static func questions(_ rig: Rig) -> [String] {
        rig.requests.value.filter { $0.hasPrefix("GET \(api)") }
    }

    private static func age(_ rig: Rig, days: Int64) throws {
        var store = try rig.database.store()
        try store.write { transaction throws(DatabaseError) in
            try transaction.execute("update registration set looked = looked - ?", days * DeliveryPlan.dayMilliseconds)
        }
    }

    private static let other = "REGISTERED_WITH_ANOTHER_CERTIFICATE_FINGERPRINT"

    @Test func `tells of an upload key, asks weekly, and sees that it is gone`() throws {
        let rig = try Self.rig(Self.state(Self.other))
        var worker = try rig.worker()
        try rig.work(&worker)
        var timeline = try #require(try rig.timelines().first)
        #expect(timeline.state == .equal)
        #expect(
            timeline.detail.hasPrefix(
                "com.acme.shop is registered with another certificate: the fingerprint C1:7A:C2:9D… is"))
        #expect(
            rig.log.value.count { $0.hasPrefix("warning: shop.example.com: com.acme.shop is registered with another") }
                == 1)
        let question = try #require(Self.questions(rig).first)
        #expect(
            question.contains("certificateFingerprint=c17ac29d")
                && question.contains("\r\nX-Goog-Api-Key: AIza-key\r\n"))
        #expect(Self.questions(rig).count == 1)
        // The key goes to no other service, and into no message.
        #expect(rig.requests.value.count { $0.contains("AIza-key") } == 1)
        #expect(rig.log.value.allSatisfy { !$0.contains("AIza-key") })

        try Self.age(rig, days: 6)
        try rig.work(&worker)
        #expect(Self.questions(rig).count == 1)
        try Self.age(rig, days: 1)
        rig.replies.change { $0[Self.api] = Self.state("REGISTERED") }
        try rig.work(&worker)
        #expect(Self.questions(rig).count == 2)
        timeline = try #require(try rig.timelines().first)
        #expect(timeline.detail.isEmpty)
    }

    @Test(
        arguments: [
            (Rig.reply(429, "{}", "Retry-After: 3600\r\n"), "it answers 429: the day's requests"),
            (Rig.reply(403, "{}"), "it answers 403: check the API key"), (Rig.reply(503, ""), "it answers 503"),
        ])
    func `an outage keeps what is known, and costs one question`(answer: String, reason: String) throws {
        let rig = try Self.rig(of: 3, Self.state(Self.other))
        var worker = try rig.worker()
        try rig.work(&worker)
        try rig.work(&worker)
        #expect(try rig.timelines().first?.detail.contains("its 3 fingerprints here are") == true)
        let before = Self.questions(rig).count
        #expect(before == 3)

        try Self.age(rig, days: 8)
        rig.replies.change { $0[Self.api] = answer }
        try rig.work(&worker, rounds: 8)
        #expect(Self.questions(rig).count == before + 1)
        #expect(try rig.timelines().first?.detail.contains("its 3 fingerprints here are") == true)
        #expect(try rig.timelines().first?.state == .equal)
        #expect(rig.log.value.filter { $0.contains("cannot ask Google whether apps are registered") }.count == 1)
        #expect(rig.log.value.contains { $0.contains(reason) })
    }

    @Test func `a service that is slow or answers nonsense is left alone after three questions`() throws {
        for answer in [Rig.stall, Rig.reply(200, "<html>")] {
            let rig = try Self.rig(of: 5, answer)
            rig.timeoutMilliseconds = 200
            var worker = try rig.worker()
            try rig.work(&worker, rounds: 8)
            #expect(Self.questions(rig).count == 3)
            #expect(try rig.timelines().first?.detail == "")
        }
    }

    @Test func `a look asks five questions, and those beyond the quota wait for a look within the week`() throws {
        let rig = try Self.rig(of: 7, Self.state(Self.other))
        var worker = try rig.worker()
        var store = try rig.database.store()
        func dueMilliseconds() throws -> Int64 {
            try store.read { transaction throws(DatabaseError) in
                let due: Int64 = try transaction.query("select due from work where kind = 'delivery/google'")[0][0]
                return due - (try transaction.now())
            }
        }
        rig.status.noteServed(rig.source.digest)
        for _ in 0..<4 {
            rig.now += 60_000
            _ = try worker.round(now: rig.now)
        }
        #expect(Self.questions(rig).count == 5)
        #expect(try rig.timelines().first?.detail == "", "two answers are missing")
        // The copy is equal, so its next look would be in a week.
        #expect(try dueMilliseconds() < DeliveryPlan.weekMilliseconds)

        try store.write { transaction throws(DatabaseError) in
            try transaction.execute("update bucket set tokens = 0 where scope = 'registration'")
            try transaction.execute("update work set due = 1 where holder is null")
        }
        for _ in 0..<4 {
            rig.now += 60_000
            _ = try worker.round(now: rig.now)
        }
        #expect(Self.questions(rig).count == 5)
        try rig.work(&worker)
        #expect(Self.questions(rig).count >= 6)
    }

    @Test func `nothing is asked without a key`() throws {
        let rig = try Self.rig(Self.state(Self.other), isOn: false)
        var worker = try rig.worker()
        try rig.work(&worker)
        #expect(Self.questions(rig).isEmpty)
        #expect(try rig.timelines().first?.detail == "")
    }

    @Test func `the quota of any day is below the API's`() {
        let quota = RegistrationWatch.quota
        #expect(quota.capacity + quota.capacity * 86_400_000 / Double(quota.fillMilliseconds) <= 800)
    }
}
