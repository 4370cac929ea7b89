// A change of `server.json` while the server runs: it has no effect, and the log says so.

import Foundation
import Testing

struct SettingsChangeTests {
    @Test func `reports a change, and the errors of the next start`() throws {
        let folder = try Folder(serving: "a.example")
        try folder.write("config/server.json", "{}")
        let server = try folder.serve("--admin", "unix:\(folder.path)/state/admin.sock")
        func hear(_ part: String) -> Bool { server.line(containing: part) != nil }
        try folder.write("config/server.json", "{ workers: 3 }")
        #expect(hear("server.json has changed: send SIGUSR2 to apply it, or restart"))
        server.send(SIGHUP)
        #expect(hear("server.json has changed: send SIGUSR2 to apply it, or restart"))
        #expect(
            try server.status().output.contains("\nserver.json has changed: send SIGUSR2 to apply it, or restart; "))
        try folder.write("config/server.json", "{ user: 'no-such-user' }")
        #expect(hear("server.json has changed: send SIGUSR2"))
        server.send(SIGUSR2)
        #expect(hear("not upgraded: there is no user \"no-such-user\"; create it, or give a number"))
        try folder.write("config/server.json", "{ }")
        #expect(hear("server.json has changed: send SIGUSR2"))
        server.stop()
    }

    @Test func `SIGHUP takes up a change of owners, which a mistake in the file leaves as they are`() throws {
        let folder = try Folder()
        try folder.write("config/apps/a/a.json", Folder.app("a.example"))
        try folder.write("config/apps/b/b.json", Folder.app("b.example"))
        try folder.write("config/server.json", #"{ owners: { a: ["a.example"], "*": [] } }"#)
        let server = try folder.serve()
        try folder.write("config/server.json", #"{ owners: { a: [], b: ["b.example"] } }"#)
        #expect(server.line(containing: "`owners` of server.json has changed: send SIGHUP to apply it") != nil)
        server.send(SIGHUP)
        #expect(server.line(containing: "`owners` of server.json is applied") != nil)
        #expect(server.line(containing: "error[APP-046]") != nil)
        #expect(server.line(beginning: "a.example: no longer served") != nil)
        let path = "/.well-known/apple-app-site-association"
        #expect(try server.fetch(path, host: "a.example", "--include").contains(" 404 "))
        #expect(try server.fetch(path, host: "b.example", "--include").contains(" 200 OK"))
        try folder.write("config/server.json", "{ owners: 7 }")
        server.send(SIGHUP)
        #expect(server.line(containing: "the next start would fail: `owners`") != nil)
        #expect(try server.fetch(path, host: "b.example", "--include").contains(" 200 OK"))
        server.stop()
    }

    @Test func `a mistake that is in force stays in the status, and a lost file is not replaced by defaults`() throws {
        let folder = try Folder(serving: "a.example")
        try folder.write("config/server.json", "{ wrkers: 3 }")
        let server = try folder.serve("--admin", "unix:\(folder.path)/state/admin.sock")
        let status = try server.status()
        #expect(status.output.contains("server.json:1:"), "\(status.output) \(status.errors)")
        try FileManager.default.removeItem(atPath: "\(folder.path)/config/server.json")
        #expect(server.line(containing: "server.json: error[CFG-001]: the file is gone; ") != nil)
        #expect(try server.status().output.contains("error[CFG-001]: the file is gone"))
        server.send(SIGUSR2)
        #expect(server.line(containing: "not upgraded: \(folder.path)/config/server.json is gone; put it back") != nil)
        try folder.write("config/server.json", "{}")
        server.send(SIGUSR2)
        #expect(server.line(containing: "upgraded: ") != nil)
        #expect(try !server.status().output.contains("server.json"))
        server.stop()
    }
}
