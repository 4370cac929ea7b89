// The change journal, as an operator reads it: what changed on which host, and what happens when it cannot be written.

import Foundation
import Testing

struct HistoryTests {
    private static func app(_ rules: [String], host: String = "a.example.com") -> String {
        let links = rules.map { #"{ "/": "\#($0)" }"# }.joined(separator: ", ")
        return """
            { name: "Shop", hosts: ["\(host)"], ios: { appIDs: ["ABCDE12345.com.example.shop"] }, links: [\(links)] }
            """
    }

    private static func serve(_ folder: Folder) throws -> RunningServer {
        try RunningServer([
            "--config", "\(folder.path)/config", "--public", "\(folder.path)/public", "--state", "\(folder.path)/state",
            "--http", "127.0.0.1:0",
        ])
    }

    @Test func `says which rules of which host changed, over a restart too`() throws {
        let folder = try Folder()
        try folder.write("config/apps/shop.json", HistoryTests.app(["/buy/*"]))
        let history = { (more: String...) in
            try Subject.run(["history", "--state", "\(folder.path)/state"] + more).output
        }
        do {
            let server = try HistoryTests.serve(folder)
            try folder.write("config/apps/shop.json", HistoryTests.app(["/buy/*", "/sale/*"]))
            #expect(try eventually { try history().contains("added rule /sale/*") })
            try folder.write("config/apps/news.json", HistoryTests.app(["/"], host: "b.example.com"))
            #expect(try eventually { try history("b.example.com").contains("b.example.com  new: ") })
            server.send(SIGTERM)
            #expect(server.waitUntilExit() == 0)
        }
        #expect(try history("B.example.com").split(separator: "\n").count == 1)
        let second = try HistoryTests.serve(folder)
        #expect(try history().split(separator: "\n").count { $0.hasSuffix("server started with 2 hosts") } == 1)
        #expect(try history("--since", "1h", "--format", "json").contains(#""what":["added rule /sale/*"]"#))
        second.send(SIGTERM)
        #expect(second.waitUntilExit() == 0)
        #expect(try Subject.run("history", "--state", "\(folder.path)/nothing").status == 1)
        #expect(try Subject.run("history", "--since", "soon").status == 2)
    }
}
