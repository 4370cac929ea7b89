// The change journal: what changed on which host, and what happens if it cannot be written.

import Administration
import Foundation
import Posix
import Testing

struct HistoryTests {
    private static func app(_ rules: [String], host: String = "a.example.com") -> String {
        let links = rules.map { #"{ "/": "\#($0)" }"# }.joined(separator: ", ")
        return """
            { name: "Shop", hosts: ["\(host)"], ios: { appIDs: ["8KQ2V7M4XN.dev.associated.shop"] }, links: [\(links)] }
            """
    }

    private static let path = "/.well-known/apple-app-site-association"

    private static func serve(_ folder: Folder) throws -> RunningServer {
        try folder.serve("--admin", "unix:\(folder.path)/admin")
    }

    private static func status(_ folder: Folder) throws -> String {
        try Subject.run("status", "--admin", "unix:\(folder.path)/admin").output
    }

    /// The digest in the output of `status`.
    private static func digest(_ folder: Folder) throws -> Substring? {
        try status(folder).firstMatch(of: /digest ([0-9a-f]{32})\n/)?.output.1
    }

    @Test func `shows which rules of a host changed, also across a restart`() throws {
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
            server.stop()
        }
        #expect(try history("B.example.com").split(separator: "\n").count == 1)
        let second = try HistoryTests.serve(folder)
        #expect(try history().split(separator: "\n").count { $0.hasSuffix("server started with 2 hosts") } == 1)
        #expect(try history("--since", "1h", "--format", "json").contains(#""what":["added rule /sale/*"]"#))
        second.stop()
        #expect(try Subject.run("history", "--state", "\(folder.path)/nothing").status == 1)
        #expect(try Subject.run("history", "--since", "soon").status == 2)
    }

    @Test func `two servers with the same files have the same digest, in any order of changes`() throws {
        let (first, second) = (try Folder(), try Folder())
        try first.write("config/apps/a.json", HistoryTests.app(["/a"]))
        let server = try HistoryTests.serve(first)
        let before = try HistoryTests.digest(first)
        try first.write("config/apps/b.json", HistoryTests.app(["/b"], host: "*.example.com"))
        #expect(try eventually { try HistoryTests.digest(first) != before })
        try second.write("config/apps/b.json", HistoryTests.app(["/b"], host: "*.example.com"))
        try second.write("config/apps/a.json", HistoryTests.app(["/a"]))
        let other = try HistoryTests.serve(second)
        #expect(try HistoryTests.digest(first) == HistoryTests.digest(second))
        // The same contents at other paths.
        for (folder, names) in [(first, ["x", "y"]), (second, ["y", "x"])] {
            let before = try HistoryTests.digest(folder)
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/new/a.example.com", withIntermediateDirectories: true)
            for (name, text) in zip(names, ["one", "two"]) { try folder.write("new/a.example.com/\(name).txt", text) }
            try FileManager.default.moveItem(atPath: "\(folder.path)/new", toPath: "\(folder.path)/public")
            #expect(try eventually { try HistoryTests.digest(folder) != before })
        }
        #expect(try HistoryTests.digest(first) != HistoryTests.digest(second))
        for server in [server, other] { server.stop() }
    }

    @Test func `a state directory that is not writable is an open error until it is`() throws {
        let folder = try Folder()
        try folder.write("config/apps/shop.json", HistoryTests.app(["/buy/*"]))
        let server = try HistoryTests.serve(folder)
        #expect(try eventually { try HistoryTests.status(folder).contains("\nno open findings\n") })
        let state = "\(folder.path)/state"
        try FileManager.default.moveItem(atPath: state, toPath: "\(state).away")
        try folder.write("state", "no directory")
        try folder.write("config/apps/shop.json", HistoryTests.app(["/sale/*"]))
        let problem = "error: cannot write to \(state): not a directory; change history will be lost when"
        #expect(try eventually { try HistoryTests.status(folder).contains(problem) })
        #expect(try HistoryTests.status(folder).contains("open findings: "))
        try FileManager.default.removeItem(atPath: state)
        try FileManager.default.moveItem(atPath: "\(state).away", toPath: state)
        #expect(try eventually { try HistoryTests.status(folder).contains("\nno open findings\n") })
        let history = try Subject.run("history", "--state", state).output
        #expect(history.contains("added rule /sale/*"), "what could not be written is written later: \(history)")
        server.stop()
    }

    @Test func `a change of a thousand hosts hides none of another tenant`() throws {
        let folder = try Folder()
        let many = (0...ChangeJournal.hostsOfRoundMax).map { "a\($0).example.com" }.joined(separator: "\", \"")
        for rule in ["/buy/*", "/sale/*"] {
            try folder.write("config/apps/many/app.json", HistoryTests.app([rule], host: many))
            try folder.write("config/apps/single/app.json", HistoryTests.app([rule], host: "z.example.com"))
            let server = try HistoryTests.serve(folder)
            server.send(SIGTERM)
            #expect(server.waitUntilExit() == 0)
        }
        let history = try Subject.run("history", "--state", "\(folder.path)/state", "--format", "json").output
        #expect(history.contains(#""host":"z.example.com","folder":"single","#))
        #expect(history.contains(#""event":"more","hosts":2}"#))
    }

    @Test func `reports a host without entries`() throws {
        let folder = try Folder()
        try folder.write("state/history.jsonl", "")
        let run = try Subject.run("history", "nosuch.example", "--state", "\(folder.path)/state")
        #expect(run.status == 1)
        #expect(run.errors == "associated: the journal has no entry of nosuch.example\n")
        #expect(try Subject.run("history", "--state", "\(folder.path)/state").status == 0)
    }

    @Test func `a retired app file is no longer served`() throws {
        let folder = try Folder()
        try folder.write("config/apps/shop.json", HistoryTests.app(["/buy/*"]))
        try folder.write("config/apps/press/news.json", HistoryTests.app(["/"], host: "b.example.com"))
        let server = try HistoryTests.serve(folder)
        let ask = [
            "status", "b.example.com", "--admin", "unix:\(folder.path)/admin", "--state", "\(folder.path)/state",
        ]
        let id = "8KQ2V7M4XN.dev.associated.shop"
        let lines = "b.example.com\n  tenant press/\n  from apps/press/news.json\n  for \(id)\n  apple-app-"
        #expect(try Subject.run(ask).output.hasPrefix(lines))
        let json = try Subject.run(ask + ["--format", "json"]).output
        #expect(json.contains(#""tenant": "press","# + "\n"))
        let retire = try Subject.run(
            "retire", "\(folder.path)/config/apps/press/news.json", "--config", "\(folder.path)/config")
        #expect(retire.status == 0)
        #expect(try eventually { try HistoryTests.status(folder).contains("serves 1 app on 1 host") })
        #expect(try HistoryTests.status(folder).contains("\nno open findings\n"))
        #expect(try folder.read("config/retired/press/news.json") == HistoryTests.app(["/"], host: "b.example.com"))
        let removed = try Subject.run(ask)
        #expect(
            removed.status == 1
                && removed.errors.hasPrefix("associated: b.example.com is not served; it was removed at 2"))
        server.stop()
    }
}
