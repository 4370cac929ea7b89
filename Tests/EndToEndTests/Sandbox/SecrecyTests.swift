// Other users of the machine cannot read the memory of a process with private keys.

import Foundation
import Testing

struct SecrecyTests {
    /// The files of a process in /proc belong to its user, or to root if the process forbids dumps (proc(5)). This can only be
    /// observed as another user.
    @Test(.needs(.ordinaryUser)) func `no other user can read the memory of a server`() throws {
        let folder = try Folder(serving: "a.example")
        var command = [Subject.executable.path]
        if getuid() == 0 {
            let copy = "\(folder.path)/associated"
            try Subject.copyExecutable(to: copy)
            chmod(folder.path, 0o755)
            chmod(copy, 0o755)
            command = ["/usr/bin/setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", copy]
        }
        command += ["serve", "--config", "\(folder.path)/config", "--http", "127.0.0.1:0"]
        let server = try RunningServer(command: command, environment: [:], input: nil)
        var status = stat()
        for process in [server.processIdentifier, server.serverIdentifier] {
            #expect(stat("/proc/\(process)/environ", &status) == 0)
            #expect(status.st_uid == 0)
        }
        // An ordinary process shows that the check works.
        let other = Process()
        other.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let drop = getuid() == 0 ? ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] : []
        other.arguments = drop + ["cat"]
        let input = Pipe()
        let output = Pipe()
        other.standardInput = input
        other.standardOutput = output
        try other.run()
        try input.fileHandleForWriting.write(contentsOf: Data("x".utf8))
        #expect(try output.fileHandleForReading.read(upToCount: 1) == Data("x".utf8))
        #expect(stat("/proc/\(other.processIdentifier)/environ", &status) == 0)
        #expect(status.st_uid != 0)
        try input.fileHandleForWriting.close()
        other.waitUntilExit()
    }
}
