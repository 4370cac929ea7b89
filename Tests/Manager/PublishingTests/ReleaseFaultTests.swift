// What a clock, a database and another version may do to releases.

import Database
import HTTP
import Posix
import SourceJSON
import Store
import Synchronization
import TestSupport
import Testing

@testable import DatabaseSupport
@testable import Publishing
@testable import Service

struct ReleaseFaultTests {
    @Test func `a clock that was set back loses nothing`() throws {
        let rig = try PublishingRig()
        try rig.own("shop.acme.test")
        let token = try rig.token(["publish", "read"], tenant: "acme")
        for (base, name) in ["shop", "cart"].enumerated() {
            let body = PublishingRig.release(
                base: base, [("\(name).json", PublishingRig.app("dev.acme.\(name)", path: "/\(name)"))])
            #expect(try rig.post("acme/releases", token, body).status == 201)
        }
        let time = ", \"publishAt\": \"2199-01-01T00:00:00Z\""
        let later = PublishingRig.release(base: 2, [("shop.json", PublishingRig.app(path: "/later"))], time)
        #expect(try rig.post("acme/releases", token, later)["state"] == "scheduled")
        // Everything so far was long after what the clock says now.
        let year: Int64 = 365 * 86_400_000
        for column in ["created", "live_at", "ended_at", "publish_at"] {
            try rig.execute("update release set \(column) = \(column) + \(year)")
        }
        try rig.execute("update token set created = created + \(year)")
        try rig.publisher.tick { _ in }
        #expect(try rig.ask(.get, "/api/v1/tenants/acme/releases/3", token)["state"] == "scheduled")
        // What was live a day ago is not known now, so everything is guarded.
        let rollback = try rig.ask(.post, "/api/v1/tenants/acme/releases/1:rollback", token, "{}")
        #expect(rollback.status == 423)
        let more = PublishingRig.release(base: 2, [("more.json", PublishingRig.app("dev.acme.more", path: "/more"))])
        let answer = try rig.post("acme/releases", token, more)
        #expect(answer.status == 201 && answer.number == 4)
        #expect(try rig.query("select 1 from release").count == 4)
    }

    /// A release of a later version, say.
    @Test func `a live release that cannot be read is replaced like any other`() throws {
        let rig = try PublishingRig()
        try rig.own("shop.acme.test")
        let token = try rig.token(["publish", "read", "check"], tenant: "acme")
        #expect(
            try rig.post("acme/releases", token, PublishingRig.release(base: 0, [("shop.json", PublishingRig.app())]))
                .status == 201)
        try rig.execute("update blob set body = cast('what is this?' as blob)")
        let folder = try TemporaryFolder()
        let published = try PublishedFolder(folder.path)
        #expect(try rig.publisher.apply(to: published) == ["acme"])
        #expect(try rig.ask(.get, "/api/v1/tenants/acme/releases/1", token)["state"] == "live")
        let second = PublishingRig.release(base: 1, [("shop.json", PublishingRig.app(path: "/b"))])
        #expect(try rig.post("acme/releases:check", token, second).status == 200)
        #expect(try rig.post("acme/releases", token, second).status == 201)
        #expect(try rig.publisher.apply(to: published) == ["acme"])
        // It cannot be published again, and says why.
        let again = try rig.ask(.post, "/api/v1/tenants/acme/releases/1:rollback", token, "{}")
        #expect(again.status == 422 && again.value.member(named: "findings")?.asArray?.isEmpty == false)
    }

    @Test(.enabled(if: TestEngine.available.contains(.postgreSQL)))
    func `a database whose connections end in the middle leaves nothing half done`() async throws {
        let rig = try PublishingRig(.postgreSQL)
        try rig.own("shop.acme.test")
        let token = try rig.token(["publish", "retire"], tenant: "acme")
        var (statuses, base, kills) = ([Int: Int](), 0, Int64(0))
        // Every other publication loses its connection while it uses it.
        for number in 0..<24 {
            let body = PublishingRig.release(
                base: base, [("shop.json", PublishingRig.app(path: "/\(number)"))], ", \"retire\": true")
            let (ready, isReady) = AsyncStream<Void>.makeStream()
            let answer = try await withThrowingTaskGroup(of: (PublishingRig.Answer?, Int64).self) { group in
                group.addTask {
                    for await _ in ready { break }
                    return (try rig.post("acme/releases", token, body), 0)
                }
                if number.isMultiple(of: 2) {
                    group.addTask {
                        defer { isReady.finish() }
                        var killer = try rig.database.connect()
                        isReady.yield()
                        var count: Int64 = 0
                        while !Task.isCancelled, count == 0 {
                            count = try killer.write { transaction throws(DatabaseError) in
                                try transaction.query(
                                    """
                                    select count(pg_terminate_backend(pid)) from pg_stat_activity where query like '%release%'
                                        and state like '%transaction%' and pid <> pg_backend_pid()
                                    """)[0][0]
                            }
                        }
                        return (nil, count)
                    }
                } else {
                    isReady.finish()
                }
                var found: PublishingRig.Answer?
                while let (answer, count) = try await group.next() {
                    kills += count
                    if answer != nil { (found, _) = (answer, group.cancelAll()) }
                }
                return try #require(found)
            }
            statuses[answer.status, default: 0] += 1
            // A commit whose answer was lost may have been made.
            if answer.status == 409 { base = answer.value.member(named: "live")?.asInt ?? 0 }
            if answer.status == 201 { base = answer.number }
        }
        #expect(Set(statuses.keys).isSubset(of: [201, 409, 503]), "\(statuses)")
        #expect(statuses[201, default: 0] >= 6 && kills > 0, "\(statuses)")
        let rows = try rig.query("select number, state from release order by number")
        let live: Int64 = try rig.query("select live from tenant")[0][0]
        #expect(Int64(rows.count) == live)
        for (index, row) in rows.enumerated() {
            let (number, state): (Int64, String) = (try row[0], try row[1])
            #expect(number == Int64(index + 1) && (state == "live") == (number == live))
        }
        #expect(try rig.query("select 1 from release_file").count == rows.count)
        #expect(try rig.query("select 1 from audit where action = 'release.live'").count == rows.count)
    }
}
