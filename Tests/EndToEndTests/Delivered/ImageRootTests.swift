// `script/image-root`, which the Dockerfile calls, makes a root directory of the program and of this machine's libraries. In it, the
// server and the manager must work as they do in the image.

import Foundation
import Glibc
import Testing

@Suite(.enabled(if: Peers.canMakeImageRoot, "needs root, a mount namespace, and Debian with publicsuffix"))
struct ImageRootTests {
    private static let script = Peers.root.appendingPathComponent("script/image-root")

    /// The folder that the build stage of the Dockerfile hands over.
    private func makeRoot() throws -> Folder {
        let folder = try Folder()
        for name in ["usr/local/bin", "etc", "srv", "proc"] { try folder.makeFolder(name) }
        try Subject.copyExecutable(to: "\(folder.path)/usr/local/bin/associated")
        for (name, place) in [("config", "etc/associated"), ("public", "srv/associated")] {
            try FileManager.default.copyItem(
                atPath: Peers.root.appendingPathComponent(name).path, toPath: "\(folder.path)/\(place)")
        }
        return folder
    }

    @Test func `server and manager work in a root with nothing but what the script collects`() throws {
        let root = try makeRoot()
        let run = try Subject.run(Self.script, [root.path])
        try #require(run.status == 0, "\(run.errors)")

        try root.write(
            "etc/associated/server.json",
            """
            { acme: { contact: ["you@example.com"], termsAgreed: true, directories: ["https://127.0.0.1:1/directory"] } }
            """)
        // As in a container, /proc is there: Swift's runtime reads the arguments from it.
        let enter = "mount --bind /proc '\(root.path)/proc' && exec chroot --userspec 65532:65532 '\(root.path)' \"$@\""
        let server = try RunningServer(
            command: [
                "/usr/bin/unshare", "-m", "/bin/sh", "-c", enter, "sh", "/usr/local/bin/associated", "serve",
                "--config", "/etc/associated", "--public", "/srv/associated", "--state", "/var/lib/associated",
                "--http", "127.0.0.1:0",
            ], environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"], input: nil)
        let document = try server.fetch("/.well-known/assetlinks.json", host: "shop.localhost")
        #expect(document.hasPrefix("[{"), "\(document)")
        let database = "\(root.path)/var/lib/associated/manager.db"
        #expect(eventually { FileManager.default.fileExists(atPath: database) })
        server.stop()
    }

    @Test func `every library of the root has the data of its package`() throws {
        let root = try makeRoot()
        try #require(try Subject.run(Self.script, [root.path]).status == 0)
        let packages = try FileManager.default.contentsOfDirectory(atPath: "\(root.path)/var/lib/dpkg/status.d")
        #expect(
            Set(packages).isSuperset(of: ["ca-certificates", "libc6", "libsqlite3-0", "publicsuffix"]), "\(packages)")
        for name in packages {
            #expect(try root.read("var/lib/dpkg/status.d/\(name)").hasPrefix("Package: \(name)\n"))
        }
    }

    @Test func `a library that is missing stops the script`() throws {
        let root = try makeRoot()
        let library = try root.library("int answer(void) { return 42; }", "-Wl,-soname,libabsent.so.1")
        let source = try root.write("program.c", "int answer(void); int main(void) { return answer(); }")
        let program = "\(root.path)/usr/local/bin/associated"
        let built = try Subject.shell(
            "clang -o '\(program)' '\(source)' '\(library)'",
            ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""])
        try #require(built.status == 0, "\(built.errors)")
        let run = try Subject.run(Self.script, [root.path])
        #expect(run.status != 0)
        #expect(run.errors.contains("library not found: libabsent.so.1"), "\(run.errors)")
    }
}
