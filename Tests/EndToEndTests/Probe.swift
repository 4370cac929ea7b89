// A way to make a server try what it must not be able to do, without a way in the server: a library that is loaded into its
// process and that, at a signal, tries it with the rights which the server has given itself.

import Foundation
import Testing

/// The library, built for one test.
struct Probe {
    private let folder: Folder
    private var library: String { "\(folder.path)/probe.so" }
    private var report: String { "\(folder.path)/report" }

    /// Loads the library into a server.
    var environment: [String: String] { ["LD_PRELOAD": library, "PROBE_REPORT": report] }

    init() throws {
        folder = try Folder()
        try folder.write("probe.c", Probe.source)
        try folder.write("report", "")
        let run = try Subject.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["clang", "-shared", "-fPIC", "-o", library, "\(folder.path)/probe.c"],
            ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"])
        try #require(run.status == 0, "\(run.errors)")
    }

    /// Has the server try it, and gives what each attempt came to: 0, or the number of the error.
    func outcomes(in server: RunningServer) throws -> [String: Int32] {
        server.send(SIGUSR2)
        // Until the last line is there, which may be written by a program in the server's place that has ended since.
        var lines: [Substring] = []
        let isOver = try eventually {
            let isRunning = server.process.isRunning
            lines = try folder.read("report").split(separator: "\n")
            return lines.last == "end" || !isRunning
        }
        try #require(isOver)
        guard lines.last == "end" else { return [:] }
        let pairs = lines.dropLast().map { $0.split(separator: " ") }
        return Dictionary(uniqueKeysWithValues: pairs.map { (String($0[0]), Int32($0[1]) ?? -1) })
    }

    private static let source = """
        #define _GNU_SOURCE
        #include <errno.h>
        #include <fcntl.h>
        #include <signal.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/mman.h>
        #include <sys/ptrace.h>
        #include <sys/socket.h>
        #include <sys/wait.h>
        #include <unistd.h>

        static int report;

        static void say(const char *name, int failed) {
            char line[64];
            int count = snprintf(line, sizeof line, "%s %d\\n", name, failed ? errno : 0);
            write(report, line, count);
        }

        static void attempt(int number) {
            say("shadow", open("/etc/shadow", O_RDONLY) < 0);
            say("passwd", open("/etc/passwd", O_RDONLY) < 0);
            say("write", open("/tmp/.probe", O_WRONLY | O_CREAT | O_EXCL, 0600) < 0);
            unlink("/tmp/.probe");
            char *places = getenv("PROBE_PLACES") ? strdup(getenv("PROBE_PLACES")) : 0;
            for (char *place = places ? strtok(places, ":") : 0; place; place = strtok(0, ":")) {
                char name[64];
                snprintf(name, sizeof name, "write:%s", strrchr(place, '/') + 1);
                say(name, open(place, O_WRONLY | O_CREAT, 0600) < 0);
            }
            free(places);
            say("socket", socket(AF_INET, SOCK_STREAM, 0) < 0);
            say("code", mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
            say("root", setuid(0) < 0);
            pid_t child = fork();
            if (child == 0) _exit(0);
            say("fork", child < 0);
            if (child > 0) waitpid(child, 0, 0);
            // Last, because it does not come back where it is allowed: then its program writes the end.
            char *script = "echo program 0 >>\\"$0\\"; echo end >>\\"$0\\"";
            char *words[] = {"/bin/sh", "-c", script, getenv("PROBE_REPORT"), 0};
            execve(words[0], words, (char *[]){0});
            say("program", 1);
            write(report, "end\\n", 4);
        }

        __attribute__((constructor)) static void begin(void) {
            report = open(getenv("PROBE_REPORT"), O_WRONLY | O_APPEND);
            signal(SIGUSR2, attempt);
            sigset_t signals;
            sigemptyset(&signals);
            sigaddset(&signals, SIGUSR2);
            sigprocmask(SIG_UNBLOCK, &signals, 0);
        }
        """
}
