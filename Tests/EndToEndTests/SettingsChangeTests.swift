// A change of `server.json` while the server runs: it has no effect, and the log says so.

import Foundation
import Testing

struct SettingsChangeTests {
    @Test func `reports a change, and the errors of the next start`() throws {
        let folder = try Folder()
        let app = "{ name: \"A\", hosts: [\"a.example\"], ios: { appIDs: [\"8KQ2V7M4XN.dev.associated.app\"] } }"
        try folder.write("config/apps/a.json", app)
        try folder.write("config/server.json", "{}")
        let server = try RunningServer([
            "--config", "\(folder.path)/config", "--public", "\(folder.path)/public", "--state",
            "\(folder.path)/state", "--http", "127.0.0.1:0", "--admin", "unix:\(folder.path)/state/admin.sock",
        ])
        func hear(_ part: String) -> Bool {
            while let line = server.nextLine() { if line.contains(part) { return true } }
            return false
        }
        try folder.write("config/server.json", "{ workers: 3 }")
        #expect(hear("server.json has changed: send SIGUSR2 to apply it, or restart"))
        server.send(SIGHUP)
        #expect(hear("server.json has changed: send SIGUSR2 to apply it, or restart"))
        try folder.write("config/server.json", "{ limits: { headBytesMax: 1 } }")
        #expect(hear("server.json:1:"))
        #expect(hear("the next start would fail: `limits` of \(folder.path)/config/server.json cannot be used, and"))
        let status = try Subject.run("status", "--admin", "unix:\(folder.path)/state/admin.sock")
        #expect(status.output.contains("server.json:1:"), "\(status.output) \(status.errors)")
        try folder.write("config/server.json", "{ }")
        #expect(hear("server.json has changed: send SIGUSR2"))
        server.send(SIGTERM)
        #expect(server.waitUntilExit() == 0)
    }
}
