// The server gives the answers that docs/http.md lists for each reason to refuse a request.

import Foundation
import HTTP
import Testing

struct RejectionTests {
    /// The rows of the document's table whose second cell is a status.
    private static func documented() throws -> [(reason: String, status: UInt16)] {
        let repository = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..")
            .standardizedFileURL
        let text = try String(contentsOf: repository.appendingPathComponent("docs/http.md"), encoding: .utf8)
        return text.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3, cells[0].hasPrefix("`"), let status = UInt16(cells[1]) else { return nil }
            return (cells[0].trimmingCharacters(in: CharacterSet(charactersIn: "`")), status)
        }
    }

    @Test func `docs/http.md lists the status of every reason, in order`() throws {
        let documented = try RejectionTests.documented()
        #expect(documented.map(\.reason) == Rejection.allCases.map { "\($0)" })
        #expect(documented.map(\.status) == Rejection.allCases.map(\.status.rawValue))
    }
}
