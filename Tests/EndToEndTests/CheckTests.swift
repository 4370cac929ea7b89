// `associated check` against `associated serve`. GoldenTests has its results for hosts that are right, wrong and unreachable.

import Foundation
import Glibc
import Testing

struct CheckTests {
    private let folder: Folder
    private let server: RunningServer
    /// The options to reach the server.
    private let options: [String]

    init() throws {
        folder = try Folder()
        try folder.certify("shop.example")
        try folder.writeApp("shop.example")
        server = try folder.serve("--https", "127.0.0.1:0", "--admin", "127.0.0.1:0")
        options = server.reach("shop.example", folder)
    }

    @Test func `a finding about another well-known file names the file`() throws {
        try folder.write("config/hosts/shop.example/well-known/security.txt", "Contact: x\n")
        #expect(
            try eventually {
                try Subject.run(["check", "shop.example"] + options).output.contains(
                    "warning[SRV-010]: /.well-known/security.txt:")
            })
    }

    @Test func `checks all hosts of a configuration at one address`() throws {
        let run = try Subject.run(
            ["check", "--all", "--config", "\(folder.path)/config", "--connect", "127.0.0.1:\(server.securePort)"]
                + options.prefix(2))
        #expect(run.output == "", "a host in order is not listed")
        #expect(run.status == 0)
        let none = try Subject.run("check", "--all", "--config", "\(folder.path)/none")
        #expect(none.status == 1)
    }

    @Test func `the ledger does not record requests of check`() throws {
        #expect(try Subject.run(["check", "shop.example"] + options).output.contains("200 application/json"))
        _ = try server.fetch(
            "/.well-known/apple-app-site-association", host: "shop.example", "--user-agent", "Googlebot/2.1")
        // The fetches of `check` were earlier, so they would be in the ledger by now.
        var text = ""
        while !text.contains("Googlebot: last fetch") { text = try server.status("shop.example").output }
        #expect(text.components(separatedBy: ": no fetch of ").count == 5, "\(text)")
    }
}
