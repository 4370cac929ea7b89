// The console over a database, without a listener and with a scripted server.

import Database
import Delivery
import HTTP
import Issuance
import Posix
import SourceJSON
import Store
import Synchronization
import Testing

@testable import Console
@testable import DatabaseSupport
@testable import Publishing
@testable import Service

final class ConsoleRig: Sendable {
    let database: TestDatabase
    let publisher: Publisher
    let console: WebConsole
    let server = ScriptedServer()
    let control: WorkControl
    private let router: Router
    private static let tables = Store.tables + CertificateWork.tables + DeliveryRecord.tables + PublishingTables.tables

    init(isOpen: Bool = false, hosts: [(name: String, folder: String)] = []) throws {
        database = try TestDatabase(.sqlite)
        let tables = Self.tables
        publisher = Publisher(
            try database.store(tables), environment: nil, textRecords: { _ in preconditionFailure("no test asks DNS") },
            changed: {})
        control = try WorkControl(workerCount: 1) { _, _ in }
        let issuance = IssuanceStatus(control)
        let sorted = hosts.sorted { $0.name < $1.name }
        issuance.noteHosts(
            ServedNames(
                sorted.map(\.name).joined(separator: "/"), folders: sorted.map(\.folder).joined(separator: "/")))
        console = WebConsole(
            publisher, issuance, control, store: try database.store(tables), server: server, rules: nil,
            suffixes: PublicSuffixes(text: ""), isOpen: isOpen)
        router = Router(
            console.routes + PublishingAPI.routes(publisher), unknown: { [console] in console.unknown($0) }
        ) { [publisher] in
            PublishingAPI.identify($0, publisher)
        }
        var figures = ConsoleFigures()
        figures.issuance = IssuanceFigures()
        console.take(figures)
        try write { transaction throws(DatabaseError) in
            for tenant in ["acme", "rival"] { try Publisher.createTenant(tenant, by: "test", in: transaction) }
        }
        try publisher.refresh()
    }

    final class ScriptedServer: ConsoleServer {
        private let answers = Mutex<[String: String]>(["/status": ConsoleRig.healthy])
        private let files = Mutex<[String: String]>([:])

        func set(_ path: String, _ text: String?) { answers.withLock { $0[path] = text } }
        func setFile(_ path: String, _ text: String) { files.withLock { $0[path] = text } }

        func ask(_ path: String) -> (status: Int, body: [UInt8])? {
            if answers.withLock({ $0["down"] }) != nil { return nil }
            return answers.withLock { $0[path] }.map { (200, Array($0.utf8)) } ?? (404, [])
        }

        func appFile(_ path: String) -> String? { files.withLock { $0[path] } }
        let folders = (operator: "/srv/apps/config/apps/", published: "/srv/state/published/apps/")
    }

    static let healthy = #"{"waits":[],"lastGood":[],"findings":[],"hosting":{"errors":0},"certificates":null}"#

    func write(_ body: (borrowing Transaction) throws(DatabaseError) -> Void) throws {
        var store = try database.store(Self.tables)
        try store.write(body)
    }

    func token(_ scopes: [String], tenant: String? = nil) throws -> String {
        var text = ""
        try write { transaction throws(DatabaseError) in
            text = try AccessToken.create(tenant: tenant, label: "", scopes: scopes, author: "test", in: transaction)
                .text
        }
        try publisher.refresh()
        return text
    }

    struct Answer {
        let status: Int
        let text: String
        let head: String
        var value: SourceValue { SourceReader.read(Array(text.utf8), as: .json).value ?? .null }

        func field(_ name: String) -> String? {
            head.split(separator: "\r\n").first { $0.hasPrefix("\(name): ") }.map {
                String($0.dropFirst(name.count + 2))
            }
        }

        /// The new cookie, as a browser sends it back.
        var cookie: String? { field("set-cookie")?.split(separator: ";").first.map(String.init) }
    }

    func get(_ path: String, _ cookie: String? = nil, lines: [String] = []) -> Answer {
        answer(ServiceRequest(.get, path, lines: lines + (cookie.map { ["Cookie: other=1; \($0)"] } ?? [])))
    }

    func post(
        _ path: String, _ fields: KeyValuePairs<String, String> = [:], _ cookie: String? = nil,
        origin: String? = "https://console.test", lines: [String] = []
    ) -> Answer {
        let body = path_(fields)
        let head =
            ["Host: console.test", "Content-Type: application/x-www-form-urlencoded"] + lines
            + [origin.map { "Origin: \($0)" }, cookie.map { "Cookie: \($0)" }].compactMap { $0 }
        return answer(ServiceRequest(.post, path, lines: head, body: Array(body.utf8)))
    }

    private func path_(_ fields: KeyValuePairs<String, String>) -> String {
        fields.map { name, value in path("", query: [name: value]).dropFirst(2) }.joined(separator: "&")
    }

    private func answer(_ request: ServiceRequest) -> Answer {
        let response = router.answer(request)
        return Answer(
            status: Int(response.status.rawValue), text: String(decoding: response.body, as: UTF8.self),
            head: String(decoding: response.encoded(wantsBody: false, closes: false), as: UTF8.self))
    }

    /// Signs in and returns the cookie.
    func signIn(_ scopes: [String], tenant: String? = nil) throws -> String {
        let answer = post("/sign-in", ["token": try token(scopes, tenant: tenant), "next": "/"])
        #expect(answer.status == 303)
        return try #require(answer.cookie)
    }
}
