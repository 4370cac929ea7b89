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
            (
                ["nosuch.json"], 0, "retired/nosuch.json",
                "there is no app file CONFIG/apps/nosuch.json; its deletion is confirmed"
            ),
            (
                ["shpo"], 1, nil,
                "there is no app file CONFIG/apps/shpo.json; did you mean CONFIG/apps/shop.json? If CONFIG/apps/shpo.json was "
                    + "deleted, confirm that with --force"
            ),
            (["shpo", "--force"], 0, "retired/shpo.json", "its deletion is confirmed"),
            (["old"], 0, "retired/old.json", ""), (["../x.json"], 2, nil, "is not an app file"),
            (["team/"], 2, nil, "is not an app file"),
        ] as [([String], Int, String?, String)])
    func `moves app files and confirms deletions`(operands: [String], status: Int, file: String?, errors: String)
        throws
    {
        let folder = try Folder()
        let config = "\(folder.path)/config"
        for name in ["apps/shop.json", "apps/team/shop.json", "retired/old.json"] {
            try folder.write("config/\(name)", Self.app)
        }
        let run = try Subject.run(
            ["retire", "--config", config] + operands.map { $0.replacing("CONFIG", with: config) })
        #expect(run.status == status, "\(run.errors)")
        #expect(errors.isEmpty ? run.errors.isEmpty : run.errors.contains(errors.replacing("CONFIG", with: config)))
        let names = try FileManager.default.subpathsOfDirectory(atPath: config).filter { $0.hasSuffix(".json") }
        #expect(names.count == (file == nil || errors.isEmpty ? 3 : 4))
        if let file { #expect(names.contains(file), "\(names)") }
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
