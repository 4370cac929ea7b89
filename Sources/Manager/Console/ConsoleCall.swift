// What a page and an action get: the request, who asks, and the sources of what is shown.

import Database
import HTTP
import Posix
import Publishing
import Service
import SourceJSON
import Store

/// A page of the console. It changes nothing.
struct Page: Sendable {
    /// As of a `Route`. The same path with `.json` behind it answers with the value.
    let pattern: String
    let title: @Sendable (SourceValue) -> String
    let load: @Sendable (ConsoleCall) throws(PageProblem) -> SourceValue
    let render: @Sendable (SourceValue, ConsoleCall) -> HTML

    init(
        _ pattern: String, title: @escaping @Sendable (SourceValue) -> String,
        load: @escaping @Sendable (ConsoleCall) throws(PageProblem) -> SourceValue,
        render: @escaping @Sendable (SourceValue, ConsoleCall) -> HTML
    ) {
        (self.pattern, self.title, self.load, self.render) = (pattern, title, load, render)
    }

    init(
        _ pattern: String, _ title: String,
        load: @escaping @Sendable (ConsoleCall) throws(PageProblem) -> SourceValue,
        render: @escaping @Sendable (SourceValue, ConsoleCall) -> HTML
    ) { self.init(pattern, title: { _ in title }, load: load, render: render) }
}

/// What a form does.
struct Action: Sendable {
    let pattern: String
    /// Nil for everybody who has signed in.
    let scope: String?
    var bodyBytesMax = 65_536
    let handle: @Sendable (ConsoleCall) throws(PageProblem) -> ServiceResponse
}

/// Why there is no page.
struct PageProblem: Error {
    let status: Status
    let title: String
    let detail: String
    /// What the API has answered.
    var value = SourceValue.null

    init(_ status: Status, _ title: String, _ detail: String) {
        (self.status, self.title, self.detail) = (status, title, detail)
    }

    static func unknown(_ what: String) -> PageProblem {
        PageProblem(.notFound, "There is no such page", "\(what) is not known here, or belongs to another tenant.")
    }

    var html: HTML { #"<h1>\#(title)</h1><p class="lead">\#(detail)</p><p>\#(link("/", "To the overview"))</p>"# }

    var json: ServiceResponse {
        ServiceResponse(
            status, "application/problem+json",
            SourceWriter.canonical(.object([("title", .string(title)), ("detail", .string(detail))])))
    }
}

struct ConsoleCall: Sendable {
    let console: WebConsole
    let request: ServiceRequest
    let session: Session
    let query: [String: String]
    let form: [String: String]
    /// The segments of the path that the pattern leaves open.
    let parameters: [String]
    /// In seconds since 1970.
    let now = Clock.wallSeconds()

    static let jsonSuffix = ".json"

    init(_ console: WebConsole, _ request: ServiceRequest, _ session: Session, trimming: Bool = false) {
        (self.console, self.request, self.session) = (console, request, session)
        (query, form) = (Form.read(request.query ?? ""), Form.read(String(decoding: request.body, as: UTF8.self)))
        var parameters = request.parameters
        if trimming, let last = parameters.popLast() { parameters.append(String(last.dropLast(Self.jsonSuffix.count))) }
        self.parameters = parameters
    }

    /// Whose things are shown; nil for those of all.
    var tenant: String? { session.identity.tenant }

    /// Who did something: what the token is for, if that is known.
    func who(_ actor: String) -> String {
        console.publisher.label(ofActor: actor, for: tenant).map { "\($0) (\(actor))" } ?? actor
    }

    /// What the API answers.
    func api(
        _ path: String, _ method: HTTP.Method = .get, _ body: SourceValue? = nil
    ) throws(PageProblem) -> SourceValue {
        let response = console.ask(method, path, body, as: session.identity)
        let value = SourceReader.read(response.body, as: .json).value ?? .null
        if response.status.rawValue < 300 { return value }
        var problem = PageProblem(
            response.status, value.member(named: "title")?.asString ?? "The request was refused",
            value.member(named: "detail")?.asString ?? String(decoding: response.body, as: UTF8.self))
        problem.value = value
        throw problem
    }

    /// The text of a file that the API has; nil if it has none.
    func apiText(_ path: String) -> String? {
        let response = console.ask(.get, path, nil, as: session.identity)
        return response.status == .ok ? String(decoding: response.body, as: UTF8.self) : nil
    }

    /// What the server answers; null for 404, nil if it does not answer.
    func server(_ path: String) -> SourceValue? {
        guard let (status, body) = console.server.ask(path) else { return nil }
        return status == 200 ? SourceReader.read(body, as: .json).value : status == 404 ? .null : nil
    }

    /// What the store has; nil, with the reason among the problems, if it cannot be used.
    func stored<Result>(
        _ problems: inout [String], _ body: (borrowing Transaction) throws(DatabaseError) -> Result
    ) -> Result? {
        // A database that is known to be away is not waited for.
        if let problem = console.control.storeProblem {
            problems.append(ConsoleCall.storeProblem(problem))
            return nil
        }
        var store = console.storeForReading()
        do throws(DatabaseError) { return try store.read(body) } catch {
            problems.append(ConsoleCall.storeProblem("\(error)"))
            return nil
        }
    }

    static func storeProblem(_ text: String) -> String {
        "The database cannot be used, so this page shows only what the manager has in memory: \(text)"
    }
}

extension Page {
    func wantsJSON(_ path: String) -> Bool {
        guard path.hasSuffix(ConsoleCall.jsonSuffix) else { return false }
        // An app file's own name ends like that.
        guard pattern.hasSuffix("/FILE") else { return true }
        return path.hasSuffix(".json.json") || path.hasSuffix(".json5.json")
    }

    /// The pattern of its answer as JSON, if that is not the pattern itself.
    var jsonPattern: String? {
        let last = pattern.split(separator: "/").last ?? ""
        if pattern == "/" { return "/overview.json" }
        return last.contains(where: \.isLowercase) ? pattern + ConsoleCall.jsonSuffix : nil
    }
}

/// Fields as a browser sends them (application/x-www-form-urlencoded).
enum Form {
    static let type = "application/x-www-form-urlencoded"

    /// Of several fields with one name, the last.
    static func read(_ text: String) -> [String: String] {
        var fields: [String: String] = [:]
        for part in text.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = pair[0].unescaped(plus: 0x20),
                let value = (pair.dropFirst().first ?? "").unescaped(plus: 0x20)
            else { continue }
            fields[name] = value.replacing("\r\n", with: "\n")
        }
        return fields
    }
}

extension SourceValue {
    /// The members of pages, which are there, or else nothing is shown.
    subscript(name: String) -> SourceValue { member(named: name) ?? .null }
    var items: [SourceValue] { asArray ?? [] }
    var text: String { asString ?? "" }
    var number: Int64 { asInt.map { Int64($0) } ?? 0 }
    var time: Int64? { asInt.map { Int64($0) } }
    var isNull: Bool { if case .null = kind { true } else { false } }

    /// Nil becomes null.
    static func optional(_ text: String?) -> SourceValue { text.map { .string($0) } ?? .null }
    static func texts(_ texts: [String]) -> SourceValue { .array(texts.map { .string($0) }) }
}
