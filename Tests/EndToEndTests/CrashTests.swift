// A server is killed at any moment of its reloads and its files are broken before the next start: the new process serves the last
// good versions.

import Glibc
import Testing

@Suite struct CrashTests {
    private let folder: Folder
    private static let tenants = 6

    init() throws { folder = try Folder() }

    private func write(_ tenant: Int, version: Int) throws {
        try folder.write(
            "config/apps/t\(tenant).json",
            """
            { name: "App", hosts: ["t\(tenant).example"], links: [{ "/": "/version-\(version)/?*" }],
              ios: { appIDs: ["8KQ2V7M4XN.dev.associated.app\(tenant)"] } }
            """)
    }

    /// The version that a tenant's host serves; nil if it has no complete document of its own.
    private func version(_ server: RunningServer, _ tenant: Int) throws -> Int? {
        let text = try server.fetch("/.well-known/apple-app-site-association", host: "t\(tenant).example")
        guard text.hasSuffix("}\n"), text.contains("dev.associated.app\(tenant)\""),
            let found = text.firstMatch(of: /\/version-(\d+)\//)
        else { return nil }
        return Int(found.1)
    }

    @Test func `after kill -9 at any moment the last good versions are served`() throws {
        var random = SystemRandomNumberGenerator()
        for tenant in 0..<Self.tenants { try write(tenant, version: 0) }
        /// The versions that may be served to clients: those since the last one that was seen.
        var seen = [Int](repeating: 0, count: Self.tenants)
        var latest = seen
        for round in 1...8 {
            let server = try folder.serve()
            for tenant in 0..<Self.tenants {
                let version = try version(server, tenant)
                #expect(version.map { (seen[tenant]...latest[tenant]).contains($0) } == true, "round \(round)")
                seen[tenant] = version ?? seen[tenant]
            }
            // All files change, and the server is killed in between.
            for tenant in 0..<Self.tenants {
                latest[tenant] += 1
                try write(tenant, version: latest[tenant])
                if Bool.random(using: &random) { sched_yield() }
            }
            if round % 3 > 0 {
                // What a client has seen must not be lost.
                let tenant = Int.random(in: 0..<Self.tenants, using: &random)
                try #require(eventually { try version(server, tenant) == latest[tenant] })
                seen[tenant] = latest[tenant]
            } else {
                usleep(UInt32.random(in: 0..<90_000, using: &random))
            }
            server.send(SIGKILL)
            _ = server.waitUntilExit()
            // All files are broken while no server is running.
            for tenant in 0..<Self.tenants { try folder.write("config/apps/t\(tenant).json", "{ name: \"half") }
        }
    }
}
