// The table of raw requests against a running engine, each request followed by another one.

import Catalogue
import Testing

struct RequestTableTests {
    private static let sites = [
        PreparedSite(
            host: "a",
            answers: ["/", "/a", "/b"].map { ($0, TestEngine.answer(.bytes(Array("page".utf8)))) }
                + [("/canary", TestEngine.answer(.bytes(Array("canary".utf8))))]),
        PreparedSite(host: "other", answers: [("/other", TestEngine.answer(.bytes([])))]),
    ]
    private static let canary = "GET /canary HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    @Test(arguments: [RequestTable.heads, RequestTable.ambiguities, RequestTable.bodies, RequestTable.meanings])
    func `each raw request has one answer, and so has the request after it`(rows: [RequestRow]) throws {
        let server = try TestEngine(sites: RequestTableTests.sites)
        for row in rows {
            var client = try TestClient(server.address)
            try client.send(octets(row.request + RequestTableTests.canary))
            let response = try client.response(hasBody: !row.request.hasPrefix("HEAD"))
            #expect(response?.status == row.status, "RFC \(row.section)")
            client.finishSending()
            switch row.fate {
            case .goesOn:
                let next = try client.response()
                #expect(next.map { String(decoding: $0.body, as: UTF8.self) } == "canary", "RFC \(row.section)")
            case .ends: #expect(response?["connection"] == "close", "RFC \(row.section)")
            }
            if row.status == 405 || row.status == 204 {
                #expect(response?["allow"] == "GET, HEAD, OPTIONS", "RFC \(row.section)")
            }
            #expect(try client.rest().isEmpty, "RFC \(row.section)")
        }
    }

    @Test func `the table has at least 150 different requests`() {
        let rows = RequestTable.heads + RequestTable.ambiguities + RequestTable.bodies + RequestTable.meanings
        #expect(rows.count >= 150)
        #expect(Set(rows.map { "\($0.request)" }).count == rows.count, "no request is repeated")
    }

    /// Characters as the bytes of their numbers.
    private func octets(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8($0.value) } }
}
