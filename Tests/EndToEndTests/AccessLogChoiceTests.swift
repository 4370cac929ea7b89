// Which lines `log` in server.json selects for the access log, and what they contain behind trusted proxies.

import Foundation
import Testing

struct AccessLogChoiceTests {
    private let folder: Folder

    init() throws { folder = try Folder(serving: "a.example") }

    /// Sends requests to a server with these settings, and reads a number of lines of its log.
    private func lines(_ settings: String, _ count: Int, _ requests: [[String]]) throws -> [[String: Any]] {
        try folder.write("config/server.json", settings.replacing("LOG", with: "\(folder.path)/access.log"))
        let server = try folder.serve("--https", "127.0.0.1:0")
        for request in requests {
            _ = try Subject.curl(
                request.map { $0.replacing("SECURE", with: server.securePort).replacing("PORT", with: server.port) })
        }
        server.stop()
        let text = try folder.read("access.log")
        let lines = try text.split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
        }
        #expect(lines.count == count, "\(text)")
        return lines
    }

    private static let document = "http://127.0.0.1:PORT/.well-known/apple-app-site-association?token=secret"
    private static let requests = [
        ["-H", "Host: a.example", document], ["-H", "Host: a.example", "-A", "AASA-Bot/1.0", document],
        ["-H", "Host: a.example", "http://127.0.0.1:PORT/none?token=secret"],
    ]

    @Test func `logs only errors, without queries`() throws {
        let lines = try lines("{ log: { access: 'LOG', only: 'errors', query: false } }", 1, Self.requests)
        #expect(lines.first?["status"] as? Int == 404)
        #expect(lines.first?["path"] as? String == "/none")
    }

    @Test func `logs only verifiers`() throws {
        let lines = try lines("{ log: { access: 'LOG', only: 'verifiers' } }", 1, Self.requests)
        #expect(lines.first?["verifier"] as? String == "apple-cdn")
        #expect((lines.first?["path"] as? String)?.hasSuffix("?token=secret") == true)
    }

    @Test(arguments: [true, false])
    func `logs a trusted proxy's request ids, and ignores those of other clients`(isTrusted: Bool) throws {
        let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        let fields = ["-H", "X-Request-ID: id\"1", "-H", "traceparent: \(trace)"]
        let trust = isTrusted ? "fronts: { trust: ['127.0.0.0/8'] }," : ""
        let lines = try lines("{ \(trust) log: { access: 'LOG' } }", 1, [fields + Self.requests[0]])
        #expect(lines.first?["requestId"] as? String == (isTrusted ? "id\"1" : nil))
        #expect(lines.first?["traceparent"] as? String == (isTrusted ? trace : nil))
    }

    @Test func `logs failed handshakes with the host name, up to ten per second`() throws {
        let handshake = ["--insecure", "--resolve", "b.example:SECURE:127.0.0.1", "https://b.example:SECURE/"]
        let lines = try lines("{ log: { access: 'LOG', handshakes: true } }", 2, [handshake, handshake])
        for line in lines {
            #expect(line["handshake"] as? String == "unknown_name")
            #expect(line["serverName"] as? String == "b.example")
            #expect(line["remote"] as? String == "127.0.0.1")
            #expect(line["status"] == nil)
        }
        _ = try FileManager.default.removeItem(atPath: "\(folder.path)/access.log")
        _ = try self.lines("{ log: { access: 'LOG' } }", 1, [handshake, Self.requests[0]])
    }
}
