// What the commands say of many hosts with one problem, as when the authority is down.

import Foundation
import Glibc
import TestSupport
import Testing

struct IssuanceOverviewTests {
    @Test func `says once why many hosts have no certificate, and warns before a further try`() throws {
        let folder = try Folder()
        let hosts = (1...11).map { "'h\($0).example'" }.joined(separator: ", ")
        try folder.write(
            "config/apps/a.json",
            "{ name: 'App', hosts: [\(hosts)], ios: { appIDs: ['8KQ2V7M4XN.dev.associated.app'] }, links: [{ '/': '/a' }] }"
        )
        try folder.write("config/server.json", IssuanceOverviewTests.settings)
        let places = ["--config", "\(folder.path)/config", "--state", "\(folder.path)/state"]
        let server = try RunningServer(places + ["--http", "127.0.0.1:0"])
        let cause = "h1.example, h2.example, h3.example and 8 more: failing for "
        var overview = try Subject.run(["acme", "status"] + places)
        #expect(
            try eventually {
                overview = try Subject.run(["acme", "status"] + places)
                return overview.output.hasPrefix("11 failing\n  \(cause)")
            }, "\(overview)")
        #expect(overview.output.contains(": the authority 127.0.0.1:1: ") && overview.output.contains("; next try in "))
        #expect(overview.output.split(separator: "\n").count == 2 && overview.status == 1, "\(overview)")
        let missing = "\n  h1.example, h2.example, h3.example and 8 more, since "
        var status = try Subject.run(["status"] + places)
        // The survey of the certificates may not have met all hosts yet.
        #expect(
            try eventually {
                status = try Subject.run(["status"] + places)
                return status.output.contains(missing)
            }, "\(status)")
        #expect(status.output.contains("\nordered certificates: 11 failing\n  \(cause)"), "\(status)")
        #expect(status.output.contains("no certificate for HOST yet"), "\(status)")
        #expect(status.status == 1)
        try statesAreShownDespiteErrors(folder, places)
        let issue = try Subject.run(["acme", "issue", "h1.example"] + places)
        #expect(issue.output.hasPrefix("h1.example is tried again now; "))
        #expect(issue.errors.hasPrefix("no order is possible now: the authority 127.0.0.1:1: "), "\(issue)")
        #expect(issue.status == 1)
        // Where no server listens, in place of the default.
        let elsewhere = ["acme", "issue", "b.example", "--admin", "unix:\(folder.path)/none"]
        #expect(try Subject.run(elsewhere + places).errors.contains("the server cannot be asked: "))
        server.send(SIGTERM)
        #expect(server.waitUntilExit() == 0)
        // Without a manager, the command tells the server about a new key.
        let replacement = try Subject.run(["acme", "account", "new"] + places)
        let thumbprint = try folder.read("state/acme/thumbprint").dropLast()
        #expect(replacement.output.contains("with the thumbprint \(thumbprint)\n"), "\(replacement) \(thumbprint)")
    }

    private static let settings = """
        { https: ['127.0.0.1:0'],
          acme: { termsAgreed: true, preflight: 'off', directories: ['https://127.0.0.1:1/dir'] } }
        """

    /// The manager works with its settings, whatever is on disk.
    private func statesAreShownDespiteErrors(_ folder: Folder, _ places: [String]) throws {
        for (right, wrong) in [("'off'", "'never'"), ("acme", "acmee")] {
            let settings = IssuanceOverviewTests.settings
            try folder.write("config/server.json", settings.replacingOccurrences(of: right, with: wrong))
            let overview = try Subject.run(["acme", "status"] + places)
            #expect(overview.output.hasPrefix("11 failing\n") && overview.status == 1, "\(overview)")
            #expect(overview.errors.contains("server.json:2"), "\(overview)")
            #expect(try Subject.run(["acme", "status", "h1.example"] + places).output.hasPrefix("h1.example: failing"))
            #expect(try Subject.run(["status"] + places).output.contains("\nordered certificates: 11 failing\n"))
            let issue = try Subject.run(["acme", "issue", "h1.example"] + places)
            #expect(issue.errors.contains("no certificates are ordered: ") && issue.status == 1, "\(issue)")
        }
        try folder.write("config/server.json", IssuanceOverviewTests.settings)
    }
}
