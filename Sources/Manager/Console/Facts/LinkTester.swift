// Decides about links as `associated match` does: by app files, whose rules have a place that can be shown, or by the documents that a host
// sends if they are not those of its app files.

import Association
import HTTP
import Posix
import Publishing
import SourceJSON

struct LinkTester {
    private let call: ConsoleCall
    /// The app files to decide by; nil for what phones get now.
    private let given: [AppFile]?
    private let origin: String
    /// By path.
    private var sources: [String: SourceApp] = [:]
    /// By the names that the server knows. Hosts of one wildcard have the same.
    private var served: [String: Rules] = [:]
    /// The names of those whose newer files have errors.
    private var kept: Set<String> = []
    private var hosts: [String: Result<Rules, PageProblem>] = [:]

    /// What decides, and how long it is.
    private struct Rules {
        let matching: LinkMatching
        let byteCount: Int
    }

    static let urlsMax = 1_000
    /// One tenant's rules must not take the time of others.
    private static let milliseconds: Int64 = 2_000
    private static let lineMax = 200
    private static let ruleLinesMax = 20

    init(_ call: ConsoleCall) { (self.call, given, origin) = (call, nil, "") }

    init(_ call: ConsoleCall, apps: [SourceApp], origin: String) {
        (self.call, given, self.origin) = (call, apps.map(\.app), origin)
        sources = Dictionary(apps.map { ($0.app.file, $0) }) { first, _ in first }
    }

    /// The links in a text with their decisions, and what was left out.
    mutating func test(_ text: String) -> (items: [SourceValue], problems: [String]) {
        let lines = text.split(whereSeparator: \.isNewline).flatMap { LinkTester.links(String($0)) }
        var items: [SourceValue] = []
        let end = Clock.monotonicMilliseconds() + LinkTester.milliseconds
        for line in lines.prefix(LinkTester.urlsMax) {
            if Clock.monotonicMilliseconds() >= end { break }
            items.append(item(line))
        }
        let more = lines.count - items.count
        let problems = more > 0 ? ["Only the first \(items.count) URLs were tested; \(more) are left out."] : []
        return (items, problems)
    }

    /// The links of a line. A link may contain a space or a comma, as people write it; a comma before a space, and `https://`, begin another.
    static func links(_ line: String) -> [String] {
        line.replacing(", ", with: "\n").replacing(" http", with: "\nhttp").replacing(",http", with: "\nhttp")
            .split(separator: "\n").map { String($0).trimmingWhiteSpace }.filter { !$0.isEmpty }
    }

    private mutating func item(_ line: String) -> SourceValue {
        guard let url = LinkURL(line.contains("://") ? line : "https://\(line)") else {
            return .object([("url", .string(line)), ("problem", .string("This is no link."))])
        }
        let found = hosts[url.host] ?? matching(of: url.host)
        hosts[url.host] = found
        let (matching, byteCount): (LinkMatching, Int)
        switch found {
        case .success(let known): (matching, byteCount) = (known.matching, known.byteCount)
        case .failure(let problem):
            return .object([("url", .string(line)), ("problem", .string(problem.detail))])
        }
        if LinkMatching.isLong(url, rules: byteCount) {
            let problem = "The rules are too long for a link of this length here. `associated match` has no limit."
            return .object([("url", .string(line)), ("problem", .string(problem))])
        }
        var answer: [UInt8] = []
        matching.appendJSON(of: url, written: url.text, to: &answer)
        let decisions = SourceReader.read(answer, as: .json).value?.asObject ?? []
        let lines = matching.text(of: url, detail: .page).split(separator: "\n").dropFirst().map(String.init)
        return .object(
            decisions.map { ($0.key, $0.value) } + [
                ("lastGood", .bool(kept.contains(url.host))), ("why", .texts(lines)),
                ("rules", .array(matching.decidingRules(url).compactMap(excerpt))),
            ])
    }

    /// A rule with the lines around it; nil if its file is not one that people write.
    private func excerpt(_ file: String, _ rule: ClosedRange<Int>) -> SourceValue? {
        guard let source = sources[file] else { return nil }
        let lines = source.text.split(separator: "\n", omittingEmptySubsequences: false)
        guard rule.upperBound <= lines.count else { return nil }
        let last = min(rule.upperBound, rule.lowerBound + LinkTester.ruleLinesMax)
        let shown = max(1, rule.lowerBound - 1)...min(lines.count, last + 1)
        return .object([
            ("file", .string(file)), ("page", .optional(source.page)), ("line", .integer(rule.lowerBound)),
            ("last", .integer(last)),
            ("first", .integer(shown.lowerBound)),
            ("text", .texts(shown.map { String(lines[$0 - 1].prefix(LinkTester.lineMax)) })),
        ])
    }

    private mutating func matching(of host: String) -> Result<Rules, PageProblem> {
        if let given {
            let apps = LinkMatching.apps(for: host, of: given)
            let byteCount = apps.reduce(0) { $0 + (sources[$1.file]?.text.utf8.count ?? 0) }
            return .success(Rules(matching: LinkMatching(of: apps, configPath: origin), byteCount: byteCount))
        }
        guard let status = call.server(path("status", host)) else {
            return .failure(PageProblem(.serviceUnavailable, "No answer", "The server does not answer now. Try again."))
        }
        let name = status["name"].text
        guard !status.isNull, call.visibility(name) else {
            return .failure(
                PageProblem(.notFound, "Not here", "\(host) is not served here, or belongs to another tenant."))
        }
        if !status["reasons"].items.isEmpty { kept.insert(host) }
        if let known = served[name] { return .success(known) }
        let (apple, android) = (document("apple", name), document("google", name))
        let matching =
            ofAppFiles(status, name, apple, android) ?? LinkTester.ofDocuments(apple, android, "the files of \(host)")
        let rules = Rules(matching: matching, byteCount: (apple?.count ?? 0) + (android?.count ?? 0))
        served[name] = rules
        return .success(rules)
    }

    private func document(_ kind: String, _ host: String) -> [UInt8]? {
        call.console.server.ask("/document/\(kind)" + path(host)).flatMap { $0.status == 200 ? $0.body : nil }
    }

    /// Nil unless phones get just what these files say.
    private mutating func ofAppFiles(
        _ status: SourceValue, _ name: String, _ apple: [UInt8]?, _ android: [UInt8]?
    ) -> LinkMatching? {
        let sources = status["appFiles"].items.map { call.source($0.text) }
        let known = sources.compactMap(\.self)
        guard known.count == sources.count, !known.isEmpty else { return nil }
        let apps = Renderer.mergeOrder(known.map(\.app))
        let documents = Renderer.documents(for: apps, host: name)
        func isSame(_ one: SourceValue?, _ other: [UInt8]?) -> Bool {
            one.map { SourceWriter.canonical($0) }
                == other.map { SourceReader.read($0, as: .json).value.map { SourceWriter.canonical($0) } ?? $0 }
        }
        guard isSame(documents.apple, apple), isSame(documents.statements, android) else { return nil }
        for source in known { self.sources[source.app.file] = source }
        return LinkMatching(of: apps, configPath: "the app files")
    }

    private static func ofDocuments(_ apple: [UInt8]?, _ android: [UInt8]?, _ origin: String) -> LinkMatching {
        var matching = LinkMatching(origin: origin)
        if let apple {
            let name = "apple-app-site-association"
            if !matching.take(AppleAssociation.read(apple, file: name), file: name) {
                matching.appleProblem = "its file cannot be read here"
            }
        }
        if let android {
            let name = "assetlinks.json"
            if !matching.take(StatementList.read(android, file: name), file: name) {
                matching.androidProblem = "its file cannot be read here"
            }
        }
        return matching
    }
}

/// An app file with its text.
struct SourceApp {
    var app: AppFile
    var text: String
    /// Nil for a draft.
    var page: String?
}

extension ConsoleCall {
    /// An app file as people have written it; nil if there is none that can be read, or it is another tenant's.
    func source(_ file: String) -> SourceApp? {
        let parts = file.split(separator: "/", maxSplits: 1).map(String.init)
        let own = maySee(operatorFile: file) ? console.server.appFile(file) : nil
        let text = own ?? (parts.count == 2 ? apiText(path("tenants", parts[0], "apps", parts[1])) : nil)
        let page =
            own != nil || parts.count < 2 ? path("file", query: ["path": file]) : path("apps", parts[0], parts[1])
        return text.flatMap { app($0, file: file, page: page) }
    }

    /// The app files of a release that can be read.
    func apps(of release: SourceValue) throws(PageProblem) -> [SourceApp] {
        let (tenant, number) = (release["tenant"].text, "\(release["number"].number)")
        return release["files"].items.compactMap { file in
            let name = file["name"].text
            return apiText(path("tenants", tenant, "releases", number, "apps", name))
                .flatMap {
                    app($0, file: "\(tenant)/\(name)", page: path("apps", tenant, "releases", number, "files", name))
                }
        }
    }

    func app(_ text: String, file: String, page: String? = nil) -> SourceApp? {
        let document = AppFile.parse(Array(text.utf8))
        let app = AppFile.read(document, file: file, environment: console.publisher.environment).appFile
        return app.map { SourceApp(app: $0, text: text, page: page) }
    }

    /// A tenant sees the files of its folder.
    func maySee(operatorFile file: String) -> Bool { tenant.map { file.hasPrefix("\($0)/") } ?? true }
}
