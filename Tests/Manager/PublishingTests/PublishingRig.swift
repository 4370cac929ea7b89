// The API over a database, without a listener, with scripted DNS and tokens.

import Database
import Foundation
import HTTP
import Posix
import SourceJSON
import Store
import Synchronization
import Testing

@testable import DNS
@testable import DatabaseSupport
@testable import Publishing
@testable import Service

final class PublishingRig: Sendable {
    let database: TestDatabase
    let publisher: Publisher
    private let router: Router
    static let tables = Store.tables + PublishingTables.tables

    struct Answer {
        let status: Int
        let value: SourceValue
        let fields: String

        subscript(name: String) -> String? { value.member(named: name)?.asString }
        var number: Int { value.member(named: "number")?.asInt ?? 0 }
        /// The word at the end of the type of a problem.
        var problem: String? { self["type"]?.split(separator: "/").last.map(String.init) }
    }

    /// - Parameter backup: a SQLite database to begin with.
    init(_ engine: TestEngine = .sqlite, tenants: [String] = ["acme"], copying backup: PublishingRig? = nil) throws {
        database = try TestDatabase(engine)
        for file in try backup.map({ try FileManager.default.contentsOfDirectory(atPath: $0.database.folder) }) ?? []
        where file.hasPrefix("test.db") {
            try FileManager.default.copyItem(
                atPath: "\(backup?.database.folder ?? "")/\(file)", toPath: "\(database.folder)/\(file)")
        }
        let (texts, copies) = (TextRecords(), AppleCopies())
        let publisher = Publisher(
            try database.store(PublishingRig.tables), environment: nil, webhooks: WebhookQueue(["webhook/test"]),
            textRecords: { texts.find($0) },
            appleCopy: { host, time, _ in copies.states.withLock { $0[host] }.map { ($0, "since \(time > 0)") } },
            changed: {})
        self.publisher = publisher
        router = Router(PublishingAPI.routes(publisher)) { PublishingAPI.identify($0, publisher) }
        (self.texts, self.copies) = (texts, copies)
        var store = try database.store(PublishingRig.tables)
        try store.write { transaction throws(DatabaseError) in
            for tenant in tenants { try Publisher.createTenant(tenant, by: "test", in: transaction) }
        }
    }

    let texts: TextRecords
    let copies: AppleCopies

    /// What Apple has, by host.
    final class AppleCopies: Sendable {
        let states = Mutex<[String: String]>([:])
    }

    /// What DNS has.
    final class TextRecords: Sendable {
        private let outcomes = Mutex<[String: DNSOutcome]>([:])

        func find(_ name: DomainName) -> DNSOutcome { outcomes.withLock { $0["\(name)"] } ?? .noSuchName(aliases: []) }

        func set(_ name: String, _ texts: String?...) {
            let records = texts.compactMap { $0.map { DNSRecord.text(Array($0.utf8)) } }
            outcomes.withLock { $0[name] = records.isEmpty ? nil : .found(records, aliases: []) }
        }

        func fail(_ name: String) throws {
            let question = DNSQuestion(type: .txt, name: try #require(DomainName(name)))
            outcomes.withLock { $0[name] = .failed(DNSFailure(.timedOut, question)) }
        }
    }

    func execute(_ sql: String, _ values: any ColumnType...) throws {
        var store = try database.store(PublishingRig.tables)
        _ = try store.write { transaction throws(DatabaseError) in try transaction.execute(sql, values: values) }
    }

    func query(_ sql: String) throws -> [Row] {
        var store = try database.store(PublishingRig.tables)
        return try store.read { transaction throws(DatabaseError) in try transaction.query(sql) }
    }

    /// A token with these scopes.
    func token(_ scopes: [String] = ["admin"], tenant: String? = nil) throws -> String {
        var store = try database.store(PublishingRig.tables)
        let made = try store.write { transaction throws(DatabaseError) in
            try AccessToken.create(tenant: tenant, label: "", scopes: scopes, author: "test", in: transaction)
        }
        try publisher.refresh()
        return made.text
    }

    func ask(
        _ method: Method, _ path: String, _ token: String?, _ json: String? = nil, lines: [String] = []
    ) throws -> Answer {
        var lines = lines
        if let token { lines.append("Authorization: Bearer \(token)") }
        if json != nil { lines.append("Content-Type: application/json") }
        let request = ServiceRequest(method, path, lines: lines, body: Array((json ?? "").utf8))
        let response = router.answer(request)
        let value = SourceReader.read(response.body, as: .json).value ?? .null
        return Answer(
            status: Int(response.status.rawValue), value: value,
            fields: String(decoding: response.encoded(wantsBody: false, closes: false), as: UTF8.self))
    }

    func post(_ path: String, _ token: String?, _ json: String = "{}") throws -> Answer {
        try ask(.post, "/api/v1/tenants/\(path)", token, json)
    }

    /// Has a tenant own hosts.
    func own(_ hosts: String..., by tenant: String = "acme") throws {
        for host in hosts {
            try execute(
                "insert into claim values (?, ?, 'owned', 'operator', '', 0, 0, 0, '')", host, tenant)
        }
    }

    /// The body of a release.
    static func release(base: Int, _ files: [(String, String?)], _ more: String = "") -> String {
        let changes = files.map { name, text in
            "\(SourceWriter.quoted(name)): \(text.map(SourceWriter.quoted) ?? "null")"
        }
        return "{ \"base\": \(base), \"changes\": { \(changes.joined(separator: ", ")) }\(more) }"
    }

    static func app(
        _ id: String = "dev.acme.shop", hosts: [String] = ["shop.acme.test"], path: String = "/products/?*"
    ) -> String {
        let names = hosts.map { "\"\($0)\"" }.joined(separator: ", ")
        return """
            { name: "Shop", hosts: [\(names)], ios: { appIDs: ["8KQ2V7M4XN.\(id)"] }, links: [{ "/": "\(path)" }] }
            """
    }
}
