// Readers other than ours that script/peers installs: parsers of the languages that snippets are written in, and the published
// schema of SARIF.

import Foundation
import Glibc
import Testing

enum Peers {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let python = root.appendingPathComponent(".build/peers/bin/python")

    static let areInstalled = FileManager.default.isExecutableFile(atPath: python.path)
    static let absence: Comment = "script/peers installs what this compares with, and could not"

    static let canMakeImageRoot =
        ["/usr/bin/dpkg-query", "/usr/share/publicsuffix/public_suffix_list.dat"].allSatisfy {
            FileManager.default.fileExists(atPath: $0)
        } && getuid() == 0 && (try? Subject.shell("unshare -m true"))?.status == 0

    /// What a reader has against a text; nothing where it takes it.
    static func problems(in text: String, as kind: String) throws -> String {
        let folder = try Folder()
        try folder.write("text", text)
        let run = try Subject.run(
            python, [root.appendingPathComponent("script/parse").path, kind, "\(folder.path)/text"])
        #expect(run.errors.isEmpty, "\(run.errors)")
        #expect((run.status == 0) == run.output.isEmpty)
        return run.output
    }
}
