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
                let event = DeliveryEvent(record, DeliveryVerdict(state: .equal), before: nil)
                if let event { try WebhookQueue(targets).add(event.type, of: tenant, event.data, in: transaction) }
            }
        }
    }

    @Test func `a message that no receiver accepts is given up after a day`() throws {
        let rig = try DeliveryWorkerTests.Rig([:], ["/hook": DeliveryWorkerTests.Rig.reply(500, "")])
        var sender = try rig.sender()
        var store = try rig.database.store()
        // One is to a receiver that is not in the settings.
        let gone = try DeliveryWorkerTests.Rig.target("https://example.com/")
        try Self.addMessages(2, to: rig.targets + [gone], &store)
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
        rig.targets.append(try DeliveryWorkerTests.Rig.target("http://\(rig.server.address)/other"))
        var sender = try rig.sender()
        var store = try rig.database.store()
        try Self.addMessages(5, to: rig.targets, &store)
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
        var sender = try rig.sender()
        var store = try rig.database.store()
        try Self.addMessages(60, to: rig.targets, &store)
        try Self.addMessages(2, of: "b/", about: "b.example.com", to: rig.targets, &store)
        for _ in 0..<8 { _ = try sender.step(now: 0) }
        #expect(rig.requests.value.count { $0.contains("\"host\":\"b.example.com\"") } == 2)
        while try sender.step(now: 0) {}
        #expect(try rig.figures().waitingMessages == 0)
    }

    /// The key of the example of Standard Webhooks, in Base64 and as text.
    @Test(
        arguments: [
            ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="),
            ("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "v1,ELhqG0Ku1gwOc1f4jyKdp3SFGFLAOdJ9bvpWLciCakI="),
            ("0123456789abcdef", "v1,r94XOxQw8v+vLaVrXIUkFWnEmqNekP5mdIZf2e/Me5o="), ("0123456789abcde", nil),
            ("whsec_MfKQ9r8GKYqrTwjU", nil),
            ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2La*", nil), ("", nil),
        ] as [(String, String?)])
    func `signs as Standard Webhooks say, if there is a key of 16 bytes`(secret: String, signature: String?) throws {
        let target = WebhookTarget(try #require(WebLocation("https://example.com/")), secret: secret)
        let fields = target?.fields(
            of: Array("{\"test\": 2432232314}".utf8), id: "msg_p5jXN8AQM9LWM0D4loKWxJek", seconds: 1_614_265_330)
        #expect(fields?.map(\.value) == signature.map { ["msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", $0] })
    }

    /// Each row: the failed attempts, and the seconds until the next one.
    @Test(
        arguments: [(-1, 10), (0, 10), (1, 60), (2, 300), (3, 1_800), (4, 3_600), (5, 3_600), (.max, 3_600)]
            as [(Int64, Int64)])
    func `waits longer after each failure`(tries: Int64, seconds: Int64) {
        #expect(WebhookWorker.waitMilliseconds(tries: tries) == seconds * 1_000)
    }

    @Test func `a process that is killed before it sends leaves the message to the next one`() throws {
        let rig = try DeliveryWorkerTests.Rig([:], ["/hook": DeliveryWorkerTests.Rig.reply(204, "")])
        var store = try rig.database.store()
        try Self.addMessages(1, to: rig.targets, &store)
        let kind = try #require(rig.targets.first).workKind
        try store.write { transaction throws(DatabaseError) in
            _ = try Work.claim(kind, by: "n/1/1", in: transaction)
        }
        var sender = try rig.sender(holder: "n/2")
        let isEarly = try sender.step(now: 0)
        #expect(!isEarly && rig.requests.value.isEmpty)
        // All connections end with the process, and the next one opens the database again.
        _ = consume sender
        _ = consume store
        var reopened = try rig.database.store()
        try reopened.write { transaction throws(DatabaseError) in
            try Work.freeClaims(ofHolders: "n/", in: transaction)
        }
        var next = try rig.sender(holder: "n/3")
        while try next.step(now: 0) {}
        #expect(rig.requests.value.count == 1)
        #expect(try rig.figures().waitingMessages == 0)
    }
}
