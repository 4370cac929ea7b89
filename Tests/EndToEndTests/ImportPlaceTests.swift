// `associated import` of one host into a folder with the app files of others: all of it is written, or nothing.

import Certificates
import Foundation
import TLS
import Testing

struct ImportPlaceTests {
    private static func association(_ apps: (id: String, path: String)...) -> String {
        let entries = apps.map { #"{"appID": "9JA89QQLNQ.io.acme.\#($0.id)", "components": [{"/": "\#($0.path)"}]}"# }
        return #"{"applinks": {"details": [\#(entries.joined(separator: ", "))]}}"#
    }

    private static let list =
        #"[{"relation": ["delegate_permission/common.handle_all_urls"], "target": {"namespace": "#
        + #""android_app", "package_name": "org.acme.shop", "sha256_cert_fingerprints": ["\#(LintCommandTests.print)"]}}]"#

    /// Operands in a folder, and the message.
    @Test(arguments: [
        (["m1", "m2"], "are two files of the same kind; import each host on its own"),
        (["m1/apple-app-site-association", "m2/apple-app-site-association"], "are two files of the same kind"),
        (["l1", "l2"], "are two files of the same kind"),
        (
            ["https://a.acme.test", "https://b.acme.test/x"],
            "of different hosts, a.acme.test and b.acme.test; import each"
        ),
    ])
    func `one import is one host`(operands: [String], message: String) throws {
        let folder = try Folder(files: [
            "m1/apple-app-site-association": Self.association(("shop", "/a/*")),
            "m2/apple-app-site-association": Self.association(("shop", "/b/*")), "l1": Self.list, "l2": Self.list,
        ])
        let isURL = operands[0].hasPrefix("https:")
        let run = try Subject.run(
            ["import"] + operands.map { isURL ? $0 : "\(folder.path)/\($0)" }
                + (isURL ? [] : ["--host", "a.acme.test"]))
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(run.errors.contains(message), "\(run.errors)")
    }

    @Test(arguments: [
        ("ex ample", 2), ("", 2), ("a..b", 2), ("127.0.0.1", 2), ("a.acme.test", 0), ("*.acme.test", 0),
    ]) func `rejects what is not a host`(host: String, status: Int32) throws {
        let folder = try Folder(files: ["file": Self.association(("shop", "/a"))])
        #expect(try Subject.run("import", "\(folder.path)/file", "--host", host).status == status)
    }

    @Test func `writes nothing if one of several files is in the way, and the advice works`() throws {
        let folder = try Folder(files: ["a": Self.association(("shop", "/a"), ("bank", "/b"))])
        func run(_ file: String, _ host: String, _ output: String = "apps") throws -> Run {
            try Subject.run("import", "\(folder.path)/\(file)", "--host", host, "--output", "\(folder.path)/\(output)")
        }
        #expect(try run("a", "a.acme.test").status == 0)
        try FileManager.default.removeItem(atPath: "\(folder.path)/apps/shop.json")
        let same = try run("a", "b.acme.test")
        #expect(same.status == 1 && same.output.isEmpty)
        #expect(
            same.errors.contains(
                "not replaced: the app is the same, so add b.acme.test to its `hosts`, then import again"))
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/apps/shop.json"))
        // Once the host is there, the rest is written.
        let bank = try folder.read("apps/bank.json")
        try folder.write(
            "apps/bank.json", bank.replacing(#"["a.acme.test"]"#, with: #"["a.acme.test", "b.acme.test"]"#))
        let added = try run("a", "b.acme.test")
        #expect(added.status == 0 && added.output == "\(folder.path)/apps/shop.json\n", "\(added.errors)")
        try folder.write("b", Self.association(("shop", "/a"), ("bank", "/c")))
        let other = try run("b", "b.acme.test")
        #expect(other.status == 1 && other.output.isEmpty)
        #expect(
            other.errors.contains(
                "its rules differ, so the host needs another file: write to a new folder (--output b.acme.test/apps)"))
        #expect(try run("b", "b.acme.test", "b.acme.test/apps").status == 0)
        let nested = try run("b", "b.acme.test", "b.acme.test/apps/new")
        let config = "\(folder.path)/b.acme.test"
        #expect(nested.errors == "next: move the files to \(config)/apps, then run `associated lint \(config)`\n")
    }

    @Test func `a file that names another host too is never replaced`() throws {
        let folder = try Folder(files: ["aasa": Self.association(("app", "/a"))])
        func run(_ host: String, _ more: String...) throws -> Run {
            try Subject.run(
                ["import", "\(folder.path)/aasa", "--host", host, "--output", "\(folder.path)/apps"] + more)
        }
        #expect(try run("a.acme.test").status == 0)
        let text = try folder.read("apps/acme.json")
        for more in [[], ["--force"]] {
            let second = try Subject.run(
                ["import", "\(folder.path)/aasa", "--host", "b.acme.test", "--output", "\(folder.path)/apps"] + more)
            #expect(second.status == 1)
            #expect(
                second.errors.contains("/apps/acme.json exists, and names a.acme.test too; not replaced"),
                "\(second.errors)")
            #expect(try folder.read("apps/acme.json") == text)
        }
        #expect(try run("b.acme.test", "--name", "Acme B").status == 0)
        #expect(try folder.read("apps/acmeb.json").contains("b.acme.test"))
        // The same host, or more of them, replaces nothing else.
        #expect(try run("a.acme.test", "--host", "c.acme.test", "--force").status == 0)
        #expect(try folder.read("apps/acme.json").contains("c.acme.test"))
    }

    @Test(arguments: [("404 Not Found", 0), ("410 Gone", 0), ("403 Forbidden", 1), ("301 Moved", 1)])
    func `succeeds without the other file of a host only if it does not exist`(answer: String, status: Int) throws {
        let folder = try Folder()
        try folder.certify("a.acme.test")
        let aasa = Self.association(("shop", "/a"))
        let server = try ScriptedServer(certificates: CertificateStore(hostsPath: "\(folder.path)/config/hosts")) {
            $0.contains("assetlinks")
                ? .text("HTTP/1.1 \(answer)\r\ncontent-length: 0\r\n\r\n")
                : .text("HTTP/1.1 200 OK\r\ncontent-length: \(aasa.utf8.count)\r\n\r\n\(aasa)")
        }
        let run = try Subject.run(
            "import", "https://a.acme.test", "--ca", "\(folder.path)/state/development-ca.pem", "--resolve",
            "a.acme.test:443:\(server.address)")
        #expect(run.status == status && run.output.hasPrefix("==> shop.json <=="), "\(run.errors)")
        #expect(run.errors.contains("/assetlinks.json" + (status == 0 ? " does not exist\n" : ": it answers ")))
    }

    @Test func `fails if the other file of a directory is a directory`() throws {
        let folder = try Folder(files: [
            "apple-app-site-association": Self.association(("shop", "/a")), "assetlinks.json/x": "",
        ])
        let run = try Subject.run("import", folder.path, "--host", "a.acme.test")
        #expect(run.status == 1 && run.output.hasPrefix("==> shop.json <=="), "\(run.errors)")
        #expect(run.errors.contains("/assetlinks.json") && run.errors.contains("; imported without it\n"))
    }
}
