// Messages to receivers that fail.

import Client
import Database
import Posix
import Store
import TestSupport
import Testing

@testable import DatabaseSupport
@testable import Delivery

struct WebhooksTests {
    private static func addMessages(
        _ count: Int, of tenant: String = "a/", about host: String = DeliveryWorkerTests.host,
        to targets: [WebhookTarget], _ store: inout Store
    ) throws {
        let record = DeliveryRecord(
            name: host, verifier: .apple, tag: "", digest: nil, registered: 0, published: 0,
            fetched: nil, equalAt: nil, wasEqual: false, versions: [])
        for _ in 0..<count {
            try store.write { transaction throws(DatabaseError) in
                let event = DeliveryEvent(
                    record, DeliveryVerdict(state: .equal), before: nil, at: try transaction.now())
                if let event { try WebhookWork.add(event, of: tenant, to: targets, in: transaction) }
            }
        }
    }

    @Test func `a message that no receiver accepts is given up after a day`() throws {
        let rig = try DeliveryWorkerTests.Rig([:], ["/hook": DeliveryWorkerTests.Rig.reply(500, "")])
        var sender = try WebhookWorker(1, rig.rules, rig.control, holder: "n/1", store: try rig.database.store())
        var store = try rig.database.store()
        // One is to a receiver that is not in the settings.
        let gone = WebhookTarget(try #require(WebLocation("https://example.com/")), secret: [])
        try Self.addMessages(2, to: rig.rules.webhooks + [gone], &store)
        while try sender.step() {}
        #expect(try rig.figures().waitingMessages == 4)
        try store.write { transaction throws(DatabaseError) in
            try transaction.execute("update work set since = since - 86402000 where key = (select min(key) from work)")
        }
        while try sender.step(now: Clock.monotonicMilliseconds() + 3_600_000) {}
        #expect(try rig.figures().waitingMessages == 2)
        #expect(rig.log.value.count { $0.contains("gave up 2 messages") } == 1)
    }

    @Test func `a receiver that fails is reported once and delays no other`() throws {
        let rig = try DeliveryWorkerTests.Rig(
            [:], ["/hook": DeliveryWorkerTests.Rig.reply(500, ""), "/other": DeliveryWorkerTests.Rig.reply(204, "")])
        var rules = rig.rules
        rules.webhooks.append(
            WebhookTarget(try #require(WebLocation("http://\(rig.server.address)/other")), secret: [1]))
        var sender = try WebhookWorker(1, rules, rig.control, holder: "n/1", store: try rig.database.store())
        var store = try rig.database.store()
        try Self.addMessages(5, to: rules.webhooks, &store)
        while try sender.step(now: 0) {}
        #expect(rig.requests.value.count { $0.hasPrefix("POST /hook") } == 3)
        #expect(rig.requests.value.count { $0.hasPrefix("POST /other") } == 5)
        #expect(rig.log.value.count { $0.hasPrefix("warning: cannot send messages to the webhook at ") } == 1)
        #expect(try rig.figures().waitingMessages == 5)

        rig.replies.change { $0["/hook"] = DeliveryWorkerTests.Rig.reply(204, "") }
        try store.write { transaction throws(DatabaseError) in try transaction.execute("update work set due = 1") }
        while try sender.step(now: 100_000) {}
        #expect(try rig.figures().waitingMessages == 0)
        #expect(rig.log.value.count { $0.contains("accepts messages again") } == 1)
    }

    @Test func `the messages of a tenant with many events delay no other's`() throws {
        let rig = try DeliveryWorkerTests.Rig([:], ["/hook": DeliveryWorkerTests.Rig.reply(204, "")])
        var sender = try WebhookWorker(1, rig.rules, rig.control, holder: "n/1", store: try rig.database.store())
        var store = try rig.database.store()
        try Self.addMessages(60, to: rig.rules.webhooks, &store)
        try Self.addMessages(2, of: "b/", about: "b.example.com", to: rig.rules.webhooks, &store)
        for _ in 0..<8 { _ = try sender.step(now: 0) }
        #expect(rig.requests.value.count { $0.contains("\"host\":\"b.example.com\"") } == 2)
        while try sender.step(now: 0) {}
        #expect(try rig.figures().waitingMessages == 0)
    }

    /// Each row: the failed attempts, and the seconds until the next one.
    @Test(
        arguments: [(-1, 10), (0, 10), (1, 60), (2, 300), (3, 1_800), (4, 3_600), (5, 3_600), (.max, 3_600)]
            as [(Int64, Int64)])
    func `waits longer after each failure`(tries: Int64, seconds: Int64) {
        #expect(WebhookWork.waitMilliseconds(tries: tries) == seconds * 1_000)
    }

    @Test func `a process that is killed before it sends leaves the message to the next one`() throws {
        let rig = try DeliveryWorkerTests.Rig([:], ["/hook": DeliveryWorkerTests.Rig.reply(204, "")])
        var store = try rig.database.store()
        try Self.addMessages(1, to: rig.rules.webhooks, &store)
        let kind = try #require(rig.rules.webhooks.first).workKind
        try store.write { transaction throws(DatabaseError) in
            _ = try Work.claim(kind, by: "n/1/1", in: transaction)
        }
        var sender = try WebhookWorker(1, rig.rules, rig.control, holder: "n/2", store: try rig.database.store())
        let isEarly = try sender.step(now: 0)
        #expect(!isEarly && rig.requests.value.isEmpty)
        // All connections end with the process, and the next one opens the database again.
        _ = consume sender
        _ = consume store
        var reopened = try rig.database.store()
        try reopened.write { transaction throws(DatabaseError) in
            try Work.freeClaims(ofHolders: "n/", in: transaction)
        }
        var next = try WebhookWorker(1, rig.rules, rig.control, holder: "n/3", store: try rig.database.store())
        while try next.step(now: 0) {}
        #expect(rig.requests.value.count == 1)
        #expect(try rig.figures().waitingMessages == 0)
    }
}
