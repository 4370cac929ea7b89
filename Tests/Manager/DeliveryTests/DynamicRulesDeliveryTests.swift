// A change of Android's dynamic rules alone, with a scripted server in the place of Google's service.

import Store
import Synchronization
import TestSupport
import Testing

@testable import Database
@testable import DatabaseSupport
@testable import Delivery

struct DynamicRulesDeliveryTests {
    typealias Rig = DeliveryWorkerTests.Rig

    private static let target = #""package_name":"com.a","sha256_cert_fingerprints":["AA"]"#
    private static let links = #""delegate_permission/common.handle_all_urls""#
    private let statements = #"[{"relation":[\#(links)],"target":{"namespace":"android_app",\#(target)}}]"#
    private let answers =
        #"{"statements":[{"relation":\#(links),"target":{"androidApp":{"packageName":"com.a","#
        + #""certificate":{"sha256Fingerprint":"AA"}}}}],"maxAge":"60s"}"#

    @Test func `sees a change of dynamic rules alone`() throws {
        let relation = "delegate_permission/common.handle_all_urls"
        func rules(_ path: String) -> String { #"{"\#(relation)":{"dynamic_app_link_components":[{"/":"\#(path)"}]}}"# }
        func file(_ path: String) -> String {
            statements.replacing(#""target""#, with: #""relation_extensions":\#(rules(path)),"target""#)
        }
        func answer(_ path: String) -> String {
            Rig.reply(
                200, answers.replacing(#""target""#, with: #""relationExtensions":\#(rules(path)),"target""#))
        }
        let rig = try Rig([DeliveryWorkerTests.host: [.google: file("/a/*")]], ["/v1/statements:list": answer("/a/*")])
        var worker = try rig.worker()
        try rig.work(&worker)
        #expect(try rig.timelines().map(\.state) == [.equal])
        #expect(rig.requests.value.contains { $0.contains("&return_relation_extensions=true HTTP/1.1") })

        rig.source.files.withLock { $0[DeliveryWorkerTests.host] = [.google: file("/b/*")] }
        try rig.work(&worker)
        var timeline = try #require(try rig.timelines().first)
        #expect(timeline.state == .older && timeline.detail.hasPrefix("Google has your version of "))
        rig.replies.change { $0["/v1/statements:list"] = answer("/c/*") }
        try rig.work(&worker)
        timeline = try #require(try rig.timelines().first)
        #expect(timeline.state == .older)
        #expect(timeline.detail == "Google has the apps of the current version, with other dynamic rules")
        rig.replies.change { $0["/v1/statements:list"] = answer("/b/*") }
        try rig.work(&worker)
        #expect(try rig.timelines().map(\.state) == [.equal])
    }

    @Test func `a store without digests of rules is brought up to date before copies are judged`() throws {
        let rules = #"{"delegate_permission/common.handle_all_urls":{"dynamic_app_link_components":[{"/":"/a"}]}}"#
        let file = statements.replacing(#""target""#, with: #""relation_extensions":\#(rules),"target""#)
        let answer = answers.replacing(#""target""#, with: #""relationExtensions":\#(rules),"target""#)
        let rig = try Rig([DeliveryWorkerTests.host: [.google: file]], ["/v1/statements:list": Rig.reply(200, answer)])
        var first = try rig.worker()
        try rig.work(&first)
        // As an earlier version of the program has left it.
        var store = try rig.database.store()
        let migration = try #require(DeliveryRecord.tables.last)
        try store.write { transaction throws(DatabaseError) in
            try transaction.execute("update delivery set digest = substr(digest, 1, 32)")
            for statement in migration.statements(transaction.dialect) { try transaction.execute(statement) }
        }
        var second = try rig.worker()
        try rig.work(&second)
        #expect(try rig.timelines().map(\.state) == [.equal])
    }
}
