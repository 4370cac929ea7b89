// Settings of the configuration apply to every command: the environment, and the certificate for signing.

import Foundation
import Testing

struct GivenConfigurationTests {
    private let folder: Folder
    private var config: String { "\(folder.path)/config" }

    /// One app that is signed, and has another id in one environment.
    init() throws {
        folder = try Folder()
        try folder.write(
            "config/apps/shop.json",
            """
            { name: "Shop", hosts: ["shop.acme.test"], ios: { appIDs: ["9JA89QQLNQ.org.acme.shop"], signed: true },
              links: [{ "/": "/a/*" }],
              environments: { staging: { ios: { appIDs: ["8KQ2V7M4XN.org.acme.stage"] } } } }
            """)
        _ = try Subject.run(
            "certificate", "--state", "\(folder.path)/state", "--output", "\(folder.path)/made", "a.test")
        try folder.write(
            "config/server.json",
            """
            { environment: "staging",
              signing: { certificateFile: "\(folder.path)/made/a.test/fullchain.pem",
                         keyFile: "\(folder.path)/made/a.test/privkey.pem" } }
            """)
    }

    @Test func `lint signs with the certificate in the settings`() throws {
        let run = try Subject.run("lint", config, "--format", "github")
        #expect(!run.output.contains("APP-041"), "\(run.output)")
        try folder.write("made/a.test/privkey.pem", "no key")
        #expect(try Subject.run("lint", config).output.contains("error[APP-041]"))
    }

    /// A message is DER and contains the document unchanged.
    @Test func `render prints signed documents of the environment in the settings`() throws {
        func rendered(_ more: String..., environment: [String: String] = [:]) throws -> String {
            let command = ([Subject.executable.path, "render", "shop.acme.test", "apple", "--config", config] + more)
                .joined(separator: " ")
            let run = try Subject.shell("\(command) | tr -c '[:print:]' ' '", environment)
            #expect(run.errors.isEmpty)
            return run.output
        }
        #expect(try rendered().hasPrefix("0"), "the first byte of a sequence is 0x30")
        #expect(try rendered().contains("8KQ2V7M4XN.org.acme.stage"))
        try folder.write("config/server.json", "{}")
        try folder.write(
            "config/apps/shop.json", try folder.read("config/apps/shop.json").replacing("signed: true", with: ""))
        #expect(try rendered().contains("9JA89QQLNQ.org.acme.shop"))
        #expect(try rendered("--environment", "staging").contains(".stage"))
        #expect(try rendered(environment: ["ASSOCIATED_ENVIRONMENT": "staging"]).contains(".stage"))
    }

    @Test(arguments: [false, true])
    func `check compares with the served environment`(isVariable: Bool) throws {
        let text = try folder.read("config/apps/shop.json").replacing(", signed: true", with: "")
        try folder.write("config/apps/shop.json", text)
        try folder.certify("shop.acme.test")
        try folder.write("config/server.json", isVariable ? "{}" : #"{ environment: "staging" }"#)
        let environment = isVariable ? ["ASSOCIATED_ENVIRONMENT": "staging"] : [:]
        let server = try folder.serve("--https", "127.0.0.1:0", "--environment", "staging")
        let arguments = ["check", "shop.acme.test", "--config", config] + server.reach("shop.acme.test", folder)
        let run = try Subject.run(Subject.executable, arguments, environment)
        #expect(!run.output.contains("SRV-016"), "\(run.output)")
        #expect(run.status == 0)
        try folder.write(
            "config/apps/other.json", text.replacing("shop", with: "other").replacing("staging", with: "qa"))
        let other = try Subject.run(Subject.executable, arguments + ["--environment", "qa"], environment)
        #expect(other.output.contains("error[SRV-016]"))
    }

    @Test(arguments: [
        ["match", "https://shop.acme.test/a/1"], ["render", "shop.acme.test", "apple"], ["snippet", "shop", "ios"],
        ["check", "shop.acme.test"],
    ])
    func `rejects an environment that no app file has`(command: [String]) throws {
        try folder.write("config/server.json", "{}")
        let run = try Subject.run(command + ["--config", config, "--environment", "stagign"])
        #expect(run.status == 1)
        #expect(run.output.isEmpty)
        #expect(
            run.errors
                == "associated: no app file has an environment `stagign`, so every host would be served as in production; "
                + "did you mean `staging`?\n")
    }

    @Test func `accepts an environment that only the named file has`() throws {
        try folder.write("config/server.json", "{}")
        let text = try folder.read("config/apps/shop.json").replacing("staging", with: "qa")
        try folder.write("shop.json", text)
        let file = ["snippet", "\(folder.path)/shop.json", "ios", "--config", config, "--environment"]
        #expect(try Subject.run(file + ["qa"]).status == 0)
        #expect(try Subject.run(file + ["qq"]).status == 1)
    }
}
