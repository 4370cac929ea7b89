// A tenant creates many links under a running server, and a file system hangs: changes of other tenants are live, and the server
// exits on SIGTERM.

import Foundation
import Testing

@Suite struct HostileTenantLiveTests {
    private let folder: Folder

    init() throws {
        folder = try Folder()
        for host in ["a", "b"] {
            try folder.writeApp("\(host).example")
            try folder.write("public/\(host).example/page.txt", "one")
            try folder.write("config/hosts/\(host).example/well-known/file.txt", "one")
            try folder.write("config/hosts/\(host).example/privkey.pem", "-----BEGIN PRIVATE KEY-----\n\(host)\n")
        }
        try folder.write("config/apps/team/note.txt", "")
    }

    private func get(_ server: RunningServer, _ host: String, _ path: String) throws -> Run {
        try Subject.curl(["--fail", "--header", "Host: \(host).example", "http://127.0.0.1:\(server.port)\(path)"])
    }

    private static let folders = ["public/a.example", "config/hosts/a.example/well-known", "config/apps/team"]

    @Test(arguments: folders)
    func `links to their own folder delay neither other hosts nor the exit`(place: String) throws {
        let server = try folder.serve()
        for index in 0..<100 { try folder.link("\(place)/l\(index)", to: ".") }
        try folder.write("public/b.example/page.txt", "two")
        #expect(try eventually { try get(server, "b", "/page.txt").output == "two" })
        try folder.write("\(place)/new.txt", "new")
        server.stop()
    }

    @Test func `no link makes the server publish a key`() throws {
        let server = try folder.serve()
        for (name, target) in [("up", "../.."), ("b", "../../b.example"), ("key.txt", "../privkey.pem"), ("own", "..")]
        {
            try folder.link("config/hosts/a.example/well-known/\(name)", to: target)
        }
        // When this change is live, the others would be too.
        try folder.write("config/hosts/a.example/well-known/file.txt", "two")
        #expect(try eventually { try get(server, "a", "/.well-known/file.txt").output == "two" })
        let paths = [
            "up/b.example/privkey.pem", "up/a.example/privkey.pem", "b/privkey.pem", "key.txt", "own/privkey.pem",
            "up/b.example/well-known/file.txt",
        ]
        for path in paths { #expect(try get(server, "a", "/.well-known/\(path)").status != 0, "\(path)") }
        server.stop()
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
        let library = try folder.library(HostileTenantLiveTests.hang)
        let server = try folder.serve(environment: ["LD_PRELOAD": library, "HANG": "\(folder.path)/hang"])
        try folder.write("public/b.example/page.txt", "two")
        #expect(try eventually { try get(server, "b", "/page.txt").output == "two" })
        try folder.write("hang", "")
        // A round that reads folders, and folders to watch.
        try folder.write("public/a.example/new/page.txt", "two")
        server.send(SIGHUP)
        #expect(try get(server, "b", "/page.txt").output == "two")
        server.stop()
    }
}
