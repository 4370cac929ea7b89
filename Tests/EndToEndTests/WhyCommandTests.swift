// `associated why` against servers on loopback: one whose files are redirected, and `associated serve` with a URL that opens the app
// and one that its rules exclude.

import Foundation
import TLS
import TestSupport
import Testing

struct WhyCommandTests {
    /// A folder with a certificate for the host, and the option to trust it.
    private static func folder() throws -> (folder: Folder, authority: [String]) {
        let folder = try Folder()
        let made = try Subject.run(
            "certificate", "--state", "\(folder.path)/state", "--output", "\(folder.path)/config/hosts", "shop.example")
        #expect(made.status == 0)
        return (folder, ["--ca", "\(folder.path)/state/development-ca.pem"])
    }

    @Test func `names a redirect of the files as the cause`() throws {
        let (folder, authority) = try WhyCommandTests.folder()
        let server = try ScriptedServer(certificates: CertificateStore(hostsPath: "\(folder.path)/config/hosts")) { _ in
            .text(
                "HTTP/1.1 301 Moved\r\nlocation: https://shop.example/elsewhere\r\ncontent-length: 0\r\n\r\n")
        }
        let options =
            authority + [
                "--resolve", "shop.example:443:\(server.address)", "--resolve", "shop.example:80:127.0.0.1:1",
                "--resolve", "www.shop.example:443:127.0.0.1:1",
            ]
        let run = try Subject.run(["why", "https://shop.example/a/1"] + options)
        #expect(run.errors == "")
        #expect(run.status == 1)
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(lines.first == "https://shop.example/a/1")
        #expect(lines.contains { $0.hasPrefix("  problem  apple-app-site-association: the answer is a redirect") })
        #expect(lines.contains { $0.hasPrefix("  problem  assetlinks.json: the answer is a redirect") })
        #expect(!run.output.contains("  ok "))
        let cause = try #require(lines.last)
        #expect(cause.hasPrefix("cause: apple-app-site-association: the answer is a redirect, which verifiers do not "))
        #expect(cause.contains("301 to https://shop.example/elsewhere"))
        #expect(cause.hasSuffix("; serve the file on this host with 200"))
        let android = try Subject.run(["why", "shop.example/a/1", "--platform", "android"] + options)
        #expect(android.output.contains("\ncause: assetlinks.json: the answer is a redirect"))
        #expect(!android.output.contains("apple-app-site-association"))
    }

    @Test func `shows what to check on the phone if nothing else is wrong, and the rule that decides`() throws {
        let (folder, authority) = try WhyCommandTests.folder()
        try folder.write("config/apps/shop.json", GoldenFolder.app.replacing("shop.acme.test", with: "shop.example"))
        let server = try RunningServer([
            "--config", "\(folder.path)/config", "--public", "\(folder.path)/public", "--state",
            "\(folder.path)/state", "--http", "127.0.0.1:0", "--https", "127.0.0.1:0",
        ])
        let ports = server.addresses.map { $0.split(separator: ":").last.map(String.init) ?? "" }
        let options =
            authority + [
                "--resolve", "shop.example:80:127.0.0.1:\(ports[0])", "--resolve",
                "shop.example:443:127.0.0.1:\(ports[1])",
            ]
        let opens = try Subject.run(["why", "https://shop.example/a/1"] + options)
        #expect(opens.errors == "")
        #expect(opens.status == 0, "\(opens.output)")
        let checks = opens.output.split(separator: "\n").filter { $0.hasPrefix("  - ") }
        #expect(checks.count == 5)
        #expect(checks.contains { $0.contains("`adb shell pm get-app-links org.acme.shop`") })
        #expect(!opens.output.contains("cause: "))
        let iOS = try Subject.run(["why", "-v", "--platform", "apple", "https://shop.example/a/1"] + options)
        #expect(iOS.status == 0)
        #expect(iOS.output.contains("\n  ok       DNS: at 127.0.0.1"))
        #expect(
            iOS.output.contains(
                "\n  ok       rules for iOS: 9JA89QQLNQ.org.acme.shop: rule 1 matches, so the app opens (path `/a/*`)\n"
            ))
        #expect(iOS.output.split(separator: "\n").count { $0.hasPrefix("  - ") } == 3)

        let excluded = try Subject.run(["why", "--format", "json", "https://shop.example/a/private/1"] + options)
        #expect(excluded.status == 1)
        let value = try JSONSerialization.jsonObject(with: Data(excluded.output.utf8)) as? [String: Any]
        #expect(value?["opens"] as? Bool == false)
        let cause = try #require(value?["cause"] as? [String: Any])
        #expect(cause["step"] as? String == "appleRules")
        #expect((cause["message"] as? String)?.contains("rule 0 excludes the URL") == true)
        #expect((value?["steps"] as? [[String: Any]])?.map { $0["step"] as? String }.first == "url")
        #expect((value?["phone"] as? [String])?.isEmpty == true)
    }

    @Test(arguments: [
        (["why"], "why needs URL"), (["why", "a.test", "b.test"], "too many arguments; why takes URL"),
        (
            ["why", "ftp://a.test/"],
            "\"ftp://a.test/\" is not a link: the scheme is `ftp`, not http or https; write https://host/path"
        ),
        (["why", "a.test", "--platform", "ios"], "--platform must be apple or android, not ios"),
        (["why", "a.test", "--timeout", "0"], "--timeout 0 is not a number of seconds from 1 to 3600"),
    ])
    func `reports a usage error in one line with status 2`(arguments: [String], message: String) throws {
        let run = try Subject.run(arguments)
        #expect(run.status == 2)
        #expect(run.errors == "associated: \(message)\n")
    }

    @Test func `a URL whose files cannot be fetched needs no request`() throws {
        let run = try Subject.run("why", "https://[::1]/a")
        #expect(run.status == 1)
        #expect(run.output.hasSuffix("; link to the name of the host\n"))
    }
}
