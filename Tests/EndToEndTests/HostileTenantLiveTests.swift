// A tenant creates many links under a running server, and a file system hangs: changes of other tenants are live, and the server
// exits on SIGTERM.

import Foundation
import Testing

@Suite struct HostileTenantLiveTests {
    private let folder: Folder

    init() throws {
        folder = try Folder()
        for host in ["a", "b"] {
            try folder.write(
                "config/apps/\(host).json",
                #"{ name: "App", hosts: ["\#(host).example"], ios: { appIDs: ["8KQ2V7M4XN.dev.associated.app"] } }"#)
            try folder.write("public/\(host).example/page.txt", "one")
            try folder.write("config/hosts/\(host).example/well-known/file.txt", "one")
            try folder.write("config/hosts/\(host).example/privkey.pem", "-----BEGIN PRIVATE KEY-----\n\(host)\n")
        }
        try folder.write("config/apps/team/note.txt", "")
    }

    private func start(environment: [String: String] = [:]) throws -> RunningServer {
        try RunningServer(
            ["--config", "\(folder.path)/config", "--public", "\(folder.path)/public", "--http", "127.0.0.1:0"],
            environment: environment)
    }

    private func get(_ server: RunningServer, _ host: String, _ path: String) throws -> Run {
        try Subject.curl(["--fail", "--header", "Host: \(host).example", "http://127.0.0.1:\(server.port)\(path)"])
    }

    private func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/\(name)", withDestinationPath: target)
    }

    private static let folders = ["public/a.example", "config/hosts/a.example/well-known", "config/apps/team"]

    @Test(arguments: folders)
    func `links to their own folder delay neither other hosts nor the exit`(place: String) throws {
        let server = try start()
        for index in 0..<100 { try link("\(place)/l\(index)", to: ".") }
        try folder.write("public/b.example/page.txt", "two")
        #expect(try eventually { try get(server, "b", "/page.txt").output == "two" })
        try folder.write("\(place)/new.txt", "new")
        server.send(SIGTERM)
        #expect(server.waitUntilExit() == 0)
    }

    @Test func `no link makes the server publish a key`() throws {
        let server = try start()
        for (name, target) in [("up", "../.."), ("b", "../../b.example"), ("key.txt", "../privkey.pem"), ("own", "..")]
        {
            try link("config/hosts/a.example/well-known/\(name)", to: target)
        }
        // When this change is live, the others would be too.
        try folder.write("config/hosts/a.example/well-known/file.txt", "two")
        #expect(try eventually { try get(server, "a", "/.well-known/file.txt").output == "two" })
        let paths = [
            "up/b.example/privkey.pem", "up/a.example/privkey.pem", "b/privkey.pem", "key.txt", "own/privkey.pem",
            "up/b.example/well-known/file.txt",
        ]
        for path in paths { #expect(try get(server, "a", "/.well-known/\(path)").status != 0, "\(path)") }
        server.send(SIGTERM)
        #expect(server.waitUntilExit() == 0)
    }

    /// Makes reads of directories wait while a file exists, like a file system whose server is unreachable.
    private static let hang = """
        #define _GNU_SOURCE
        #include <dirent.h>
        #include <dlfcn.h>
        #include <errno.h>
        #include <stdlib.h>
        #include <time.h>
        #include <unistd.h>

        struct dirent *readdir(DIR *stream) {
            static struct dirent *(*next)(DIR *);
            if (!next) next = (struct dirent * (*)(DIR *)) dlsym(RTLD_NEXT, "readdir");
            struct timespec pause = {0, 10000000};
            int known = errno;
            while (access(getenv("HANG"), F_OK) == 0) nanosleep(&pause, 0);
            errno = known;
            return next(stream);
        }
        """

    @Test func `a hanging file system does not keep the server from exiting`() throws {
        try folder.write("hang.c", HostileTenantLiveTests.hang)
        let library = "\(folder.path)/hang.so"
        let build = try Subject.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["clang", "-shared", "-fPIC", "-o", library, "\(folder.path)/hang.c"],
            ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"])
        try #require(build.status == 0, "\(build.errors)")
        let server = try start(environment: ["LD_PRELOAD": library, "HANG": "\(folder.path)/hang"])
        try folder.write("public/b.example/page.txt", "two")
        #expect(try eventually { try get(server, "b", "/page.txt").output == "two" })
        try folder.write("hang", "")
        // A round that reads folders, and folders to watch.
        try folder.write("public/a.example/new/page.txt", "two")
        server.send(SIGHUP)
        #expect(try get(server, "b", "/page.txt").output == "two")
        server.send(SIGTERM)
        #expect(server.waitUntilExit() == 0)
    }
}
