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

    @Test func `a file of the state is on the disk, and then its name`() throws {
        try write(0, version: 0)
        let (record, state) = ("\(folder.path)/record", "\(folder.path)/state")
        let server = try folder.serve(
            "--sandbox", "off",
            environment: ["LD_PRELOAD": try folder.library(CrashTests.recording), "RECORD": record])
        try write(0, version: 1)
        #expect(try eventually { try version(server, 0) == 1 })
        _ = try server.fetch("/.well-known/assetlinks.json", host: "t0.example", "--user-agent", "AASA-Bot/1.0.0")
        server.send(SIGTERM)
        #expect(server.waitUntilExit() == 0)
        // The thread, the call and its paths.
        let calls = try folder.read("record").split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        var replaced: Set<String> = []
        for (index, call) in calls.enumerated() where call[1] == "rename" && call[3].hasPrefix("\(state)/") {
            #expect(calls[..<index].contains { $0.dropFirst() == ["sync", call[2]] }, "\(call)")
            let next = calls[(index + 1)...].first { $0[0] == call[0] }
            #expect(next?.dropFirst() == ["sync", state], "\(call)")
            replaced.insert(String(call[3].dropFirst(state.count + 1)))
        }
        #expect(replaced.isSuperset(of: ["tenants", "tenants-changes", "verifiers"]), "\(replaced)")
    }

    /// Records, for each thread, what is written to the disk and what is renamed.
    private static let recording = """
        #define _GNU_SOURCE
        #include <fcntl.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <sys/syscall.h>
        #include <unistd.h>
        static void record(const char *call, const char *first, const char *second) {
            const char *path = getenv("RECORD");
            int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
            char line[9000];
            int count = snprintf(line, sizeof line, "%d %s %s %s\\n", gettid(), call, first, second);
            if (file >= 0 && write(file, line, count) == count) close(file);
        }
        int fsync(int number) {
            char link[64], path[4096];
            snprintf(link, sizeof link, "/proc/self/fd/%d", number);
            ssize_t count = readlink(link, path, sizeof path - 1);
            path[count < 0 ? 0 : count] = 0;
            record("sync", path, "");
            return syscall(SYS_fsync, number);
        }
        int rename(const char *from, const char *to) {
            int result = syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
            if (result == 0) record("rename", from, to);
            return result;
        }
        """

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
