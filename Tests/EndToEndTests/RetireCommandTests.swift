// `associated retire`: moved files, confirmed deletions, and probable mistakes.

import Foundation
import Testing

struct RetireCommandTests {
    private static let app = MatchCommandTests.app

    /// The operands, the status, the file that exists afterwards, and a part of standard error.
    @Test(
        arguments: [
            (["shop"], 0, "retired/shop.json", ""), (["shop.json"], 0, "retired/shop.json", ""),
            (["CONFIG/apps/shop.json"], 0, "retired/shop.json", ""), (["team/shop"], 0, "retired/team/shop.json", ""),
            (["news"], 0, "retired/news.json5", ""),
            (
                ["nosuch.json"], 1, nil,
                "there is no app file CONFIG/apps/nosuch.json, and the state directory CONFIG/state has no live version of it. "
                    + "The app files are news.json5, shop.json, team/shop.json. If nosuch.json was deleted on purpose "
                    + "and the server's state is elsewhere, confirm that with --force"
            ),
            (
                ["shpo"], 1, nil,
                "has no live version of it. Did you mean CONFIG/apps/shop.json? If shpo.json was deleted on purpose and "
                    + "the server's state is elsewhere, confirm that with --force"
            ), (["nwes"], 1, nil, "Did you mean CONFIG/apps/news.json5?"),
            (["old"], 0, "retired/old.json", ""), (["../x.json"], 2, nil, "is not an app file"),
            (["//"], 2, nil, "is not an app file"),
            (["team"], 0, "retired/team/shop.json", ""), (["team/"], 0, "retired/team/shop.json", ""),
            (["shop/"], 1, nil, "has no live version of it. Did you mean CONFIG/apps/shop.json?"),
            (["taem"], 1, nil, "Did you mean CONFIG/apps/team?"),
            (["team/shop.jsn"], 1, nil, "Did you mean CONFIG/apps/team/shop.json?"),
        ] as [([String], Int, String?, String)])
    func `moves app files that exist`(operands: [String], status: Int, file: String?, errors: String)
        throws
    {
        let folder = try Folder()
        let config = "\(folder.path)/config"
        for name in ["apps/shop.json", "apps/news.json5", "apps/team/shop.json", "retired/old.json"] {
            try folder.write("config/\(name)", Self.app)
        }
        let run = try Subject.run(
            ["retire", "--config", config, "--state", "\(config)/state"]
                + operands.map { $0.replacing("CONFIG", with: config) })
        #expect(run.status == status, "\(run.errors)")
        #expect(errors.isEmpty ? run.errors.isEmpty : run.errors.contains(errors.replacing("CONFIG", with: config)))
        let names = try FileManager.default.subpathsOfDirectory(atPath: config).filter { $0.contains(".json") }
        #expect(names.count == 4)
        if let file { #expect(names.contains(file), "\(names)") }
    }

    @Test func `confirms a deletion with --force`() throws {
        let folder = try Folder()
        let config = "\(folder.path)/config"
        try folder.write("config/apps/shop.json", Self.app)
        let command = ["retire", "shpo", "--config", config, "--state", "\(folder.path)/state"]
        let run = try Subject.run(command + ["--force"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.output
                == "wrote \(config)/retired/shpo.json, which confirms the deletion of \(config)/apps/shpo.json\n")
        let again = try Subject.run(command)
        #expect(again.status == 0)
        #expect(again.output == "\(config)/apps/shpo.json is retired already: there is \(config)/retired/shpo.json\n")
    }

    @Test func `does not follow links to the files of another tenant`() throws {
        let folder = try Folder()
        let config = "\(folder.path)/config"
        let place = URL(fileURLWithPath: "\(config)/apps")
        try folder.write("config/apps/other/app.json", Self.app)
        try folder.write("config/apps/own/app.json", Self.app.replacing("shop.acme.test", with: "own.acme.test"))
        try FileManager.default.createSymbolicLink(
            atPath: place.appendingPathComponent("own/sub").path, withDestinationPath: "../other")
        try FileManager.default.createSymbolicLink(
            atPath: place.appendingPathComponent("own/link.json").path, withDestinationPath: "../other/app.json")
        let run = try Subject.run("retire", "own/sub/app", "--config", config)
        #expect(run.status == 1)
        #expect(run.errors.contains("\(config)/apps/own/sub is a link"))
        #expect(try Subject.run("retire", "own/link", "--config", config).status == 0)
        #expect(try folder.read("config/apps/other/app.json") == Self.app)
        #expect(try folder.read("config/retired/own/link.json") == "// taken out of service on purpose\n")
        #expect(!FileManager.default.fileExists(atPath: "\(config)/apps/own/link.json"))
    }

    @Test func `confirms the deletion of a file that a server still serves`() throws {
        let folder = try Folder()
        let config = "\(folder.path)/config"
        try folder.write("config/apps/shop.json", Self.app)
        try folder.write("config/apps/shpo.json", Self.app.replacing("shop.acme.test", with: "shpo.acme.test"))
        try folder.write("config/apps/team/app.json", Self.app.replacing("shop.acme.test", with: "team.acme.test"))
        let server = try folder.serve()
        #expect(eventually { FileManager.default.fileExists(atPath: "\(folder.path)/state/tenants") })
        server.stop()
        try FileManager.default.removeItem(atPath: "\(config)/apps/shpo.json")
        let run = try Subject.run("retire", "shpo", "--config", config, "--state", "\(folder.path)/state")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.hasPrefix("wrote \(config)/retired/shpo.json"))
        // The tenant's folder, and not the app file that never existed.
        try FileManager.default.removeItem(atPath: "\(config)/apps/team")
        let command = ["--config", config, "--state", "\(folder.path)/state"]
        let forced = try Subject.run(["retire", "taem", "--force"] + command)
        #expect(forced.status == 1)
        #expect(forced.errors.contains("Did you mean \(config)/apps/team?"), "\(forced.errors)")
        #expect(
            forced.errors.hasSuffix("If another server serves it, name that server's state directory with --state\n"))
        let team = try Subject.run(["retire", "team"] + command)
        #expect(team.output.hasPrefix("wrote \(config)/retired/team/app.json"), "\(team.errors)")
        #expect(try Subject.run(["retire", "team"] + command).output.contains("is retired already"))
        // Each app file once, also one that is there and of which the server holds the last version.
        try folder.write(
            "config/apps/shop.json", Self.app.replacing("shop.acme.test", with: "new.acme.test"))
        let unknown = try Subject.run(["retire", "nothing"] + command)
        #expect(unknown.errors.contains(" The app files are shop.json. "), "\(unknown.errors)")
    }

    @Test func `rejects a configuration without app files`() throws {
        let folder = try Folder()
        let run = try Subject.run("retire", "shop", "--config", folder.path)
        #expect(run.status == 1)
        #expect(run.errors.hasPrefix("associated: there is no directory \(folder.path)/apps; "))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test(arguments: [("shop.json", true), ("other.json", false)])
    func `lint warns of a retired file with the name of a live one`(retired: String, isFound: Bool) throws {
        let folder = try Folder()
        try folder.write("config/apps/shop.json", Self.app)
        try folder.write("config/retired/\(retired)", "// taken out of service on purpose\n")
        let run = try Subject.run("lint", "\(folder.path)/config")
        #expect(
            run.output.contains(
                "retired/\(retired): warning[CFG-012]: a live app file has the same name, so the removal guard does not protect it"
            ) == isFound)
        #expect(run.output.contains("warning[CFG-012]") == isFound, "\(run.output)")
    }
}
