// `associated lint`: its findings in each output format, and its fixes.

import Foundation
import Glibc
import Posix
import Testing

struct LintCommandTests {
    @Test func `reports names in apps that look the same`() throws {
        let folder = try Folder()
        let names = ["caf\u{E9}", "cafe\u{301}"]
        for (index, name) in names.enumerated() {
            let app = MatchCommandTests.app.replacing("acme", with: "acme\(index)")
            // Foundation normalises paths, so a shell creates these files.
            try folder.write("app", app)
            let command = #"mkdir -p "$1/config/apps/t" && cp "$1/app" "$1/config/apps/t/$2.json""#
            let run = try Subject.run(URL(fileURLWithPath: "/bin/sh"), ["-c", command, "sh", folder.path, name])
            #expect(run.status == 0, "\(run.errors)")
        }
        let run = try Subject.run("lint", "\(folder.path)/config")
        #expect(run.status == 1)
        #expect(
            run.output.contains(
                "error[CFG-008]: 2 names look like caf\u{E9}.json but consist of different characters "
                    + "(U+00E9, U+0301), so only one of them is served; rename the others"), "\(run.output)")
    }

    @Test(arguments: [
        ("acme.json", ""), ("acme.json5", ""), (".acme.json.swp", ""), ("acme.json~", ""), ("README.md", ""),
        ("acme.JSON", "warning[CFG-013]"), ("acme.yaml", "warning[CFG-013]"), ("acme.json.txt", "warning[CFG-013]"),
    ])
    func `names files that are not read although they look like app files`(name: String, finding: String) throws {
        let folder = try Folder(files: [
            "config/apps/t/other.json": MatchCommandTests.app.replacing("acme", with: "other"),
            "config/apps/t/\(name)": MatchCommandTests.app,
        ])
        let run = try lint("\(folder.path)/config")
        #expect(run.output.contains("CFG-013") == !finding.isEmpty, "\(run.output)")
        #expect(run.output.contains("apps/t/\(name): \(finding)") == !finding.isEmpty, "\(run.output)")
    }

    @Test(arguments: [["config/apps/a.txt": ""], ["readme.txt": "", "a/b.html": ""]])
    func `nothing to check is no success`(files: [String: String]) throws {
        let folder = try Folder(files: files)
        let path = files.keys.contains { $0.hasPrefix("config/") } ? "\(folder.path)/config" : folder.path
        let run = try lint(path)
        #expect(run.status == 1)
        #expect(
            run.errors == "associated: there is no app file or association file in \(path); nothing was checked\n")
    }

    /// Each row: links and where they lead, and what is linted. In a pull request, anyone may make them.
    @Test(arguments: [
        (["config/server.json": "/proc/self/environ"], "config", "config/server.json: error[CFG-001]: "),
        (["config/server.json": "../../outside/object.json"], "config", "config/server.json: error[CFG-002]: "),
        (["config/apps": "../../outside"], "config", "config/apps/object.json: error[APP-006]: "),
        (["config/apps/t/a.json": "../../../../outside/netrc"], "config", "config/apps/t/a.json: error[APP-001]: "),
        (["assetlinks.json": "../outside/netrc"], "assetlinks.json", "assetlinks.json: error[DAL-001]: "),
        (["config/apps/t2": "../../../outside/t"], "config/apps/t2", "config/apps/t2: error[APP-001]: "),
        (
            ["config/apps/f.json": "../../../outside/t/a.json"], "config/apps/f.json",
            "config/apps/f.json: error[APP-001]: "
        ),
        (["sub": "../outside"], "sub/assetlinks.json", "sub/assetlinks.json: error[DAL-001]: "),
        (
            ["apple-app-site-association": "../outside/object.json"], "apple-app-site-association",
            ": warning[AASA-008]: "
        ),
    ])
    func `prints nothing of a file outside, whatever links lead there`(
        links: [String: String], operand: String, finding: String
    ) throws {
        for isAbsolute in [false, true] {
            let folder = try Folder(files: [
                "outside/netrc": "machine a login b password SECRET1\n",
                "outside/object.json": #"{ "SECRET1": "SECRET2" }"#,
                "outside/assetlinks.json": "SECRET1", "outside/t/a.json": "{ name: SECRET1, ios: {} }",
                "tree/config/hosts/.keep": "",
            ])
            try folder.makeFolder("tree/config/apps/t")
            if links["config/apps"] != nil {
                try FileManager.default.removeItem(atPath: "\(folder.path)/tree/config/apps")
            }
            let isRefused = ["config/apps/t2", "config/apps/f.json"].contains(operand)
            let targets = isRefused ? "none" : "outside"
            let settings = #"{ "linkTargets": ["\#(folder.path)/\#(targets)"] }"#
            if links["config/server.json"] == nil { try folder.write("tree/config/server.json", settings) }
            for (name, target) in links { try folder.link("tree/\(name)", to: target) }
            let path = isAbsolute ? "\(folder.path)/tree/\(operand)" : operand
            // Then nothing leads out of the working directory.
            let place = isRefused && isAbsolute ? "/" : "\(folder.path)/tree"
            let command = "cd '\(place)' && SECRET1=1 '\(Subject.executable.path)' lint --notes"
            for options in ["", " --format json", " --format sarif", " --fix"] {
                let run = try Subject.shell("\(command)\(options) '\(path)'")
                #expect(!"\(run.output)\(run.errors)".contains("SECRET"), "\(options): \(run.output)\(run.errors)")
                if options == "" { #expect(run.output.contains(finding), "\(run.output)\(run.errors)") }
            }
        }
    }

    /// A file with an error that `--fix` repairs, a link to it in an app folder, and what must not be in the output.
    @Test(arguments: [["--config"], ["--config", "--fix"], [], ["--fix"]])
    func `neither reads nor fixes a file outside, whatever links lead there`(options: [String]) throws {
        let secret = "{ name: \"Secret\", hosts: [\"A.example\"], ios: { appIDs: [\"9JA89QQLNQ.org.acme.shop\"] } }\n"
        let folder = try Folder(files: [
            "outside/app.json": secret, "config/apps/good/shop.json": MatchCommandTests.app,
        ])
        let place = "\(folder.path)/config/apps/evil"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        for (name, target) in [("file.json", "../../../outside/app.json"), ("folder", "../../../outside")] {
            try FileManager.default.createSymbolicLink(atPath: "\(place)/\(name)", withDestinationPath: target)
        }
        let isConfiguration = options.contains("--config")
        let run = try lint(
            [isConfiguration ? "\(folder.path)/config" : "\(folder.path)/config/apps"]
                + options.filter { $0 != "--config" })
        #expect(!run.output.contains("Secret") && !run.output.contains("A.example"), "\(run.output)")
        #expect(run.output.contains("it is a link out of") == isConfiguration, "\(run.output)")
        #expect(!run.errors.contains("cannot read"), "\(run.errors)")
        #expect(try String(contentsOfFile: "\(folder.path)/outside/app.json", encoding: .utf8) == secret)
    }

    @Test func `links from a folder of apps to itself are not followed for ever`() throws {
        let folder = try Folder(files: ["config/apps/t/shop.json": MatchCommandTests.app])
        for number in 0..<8 {
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder.path)/config/apps/t/l\(number)", withDestinationPath: ".")
        }
        #expect(try lint("\(folder.path)/config").errors.hasPrefix("0 errors, "))
        #expect(try lint("\(folder.path)/config/apps").errors.hasPrefix("0 errors, "))
    }

    @Test func `reads each folder once, however many links lead to it`() throws {
        let folder = try Folder(files: ["apple-app-site-association": Self.broken])
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/loop", withDestinationPath: ".")
        #expect(try lint(folder.path).errors.contains("1 error, 1 warning"))
    }

    static let print = "30:EF:E5:5E:0D:22:30:3C:BB:F9:A7:DC:E6:9D:A3:BA:34:70:12:C5:F6:DE:C0:92:69:57:16:94:A2:3D:90:BC"
    static let bundled = #""webcredentials": {"apps": ["9JA89QQLNQ.org.acme.shop"]}"#

    /// A document with a superfluous comma and a misspelt key in its second component.
    static let broken = """
        {
          "applinks": {"details": [{"appIDs": ["9JA89QQLNQ.org.acme.shop"], "components": [
            {"/": "/a", "comments": true},
          ]}]},
          \(bundled)
        }

        """

    private func lint(_ arguments: String..., environment: [String: String] = [:]) throws -> Run {
        try lint(arguments, environment)
    }

    private func lint(_ arguments: [String], _ environment: [String: String] = [:]) throws -> Run {
        try Subject.run(Subject.executable, ["lint"] + arguments, environment)
    }

    @Test func `a file named .entitlements is checked as entitlements, whatever its content`() throws {
        let folder = try Folder(files: ["App.entitlements": "<plist><dict><key>a</key><true/></dict></plist>"])
        #expect(try lint("\(folder.path)/App.entitlements").output.contains("error[AHST-029]: the entitlements lack "))
        #expect(try lint(folder.path).output.contains("error[AHST-029]"))
    }

    @Test func `without a configuration, suggests what to do`() throws {
        let folder = try Folder()
        let run = try Subject.shell("cd '\(folder.path)' && '\(Subject.executable.path)' lint")
        #expect(run.status == 1)
        #expect(
            run.errors == "associated: there is no directory config; name files to check, or run `associated init`\n")
    }

    @Test(arguments: [["TERM": "xterm", "NO_COLOR": "1"], ["TERM": "dumb"]])
    func `uses no colour on a terminal that does not want it`(environment: [String: String]) throws {
        let folder = try Folder(files: ["file": Self.broken])
        let words = [
            "script", "--quiet", "--command", "\(Subject.executable.path) lint \(folder.path)/file", "/dev/null",
        ]
        let run = try Subject.run(URL(fileURLWithPath: "/usr/bin/env"), words, environment)
        #expect(run.output.contains("error[AASA-001]") && !run.output.contains("\u{1B}[3"))
    }

    @Test func `prints one workflow command per finding, with separators escaped`() throws {
        let folder = try Folder(files: ["a,b:c%": Self.broken])
        let run = try lint("\(folder.path)/a,b:c%", "--format", "github")
        let lines = run.output.split(separator: "\n")
        let file = "\(folder.path)/a%2Cb%3Ac%25"
        #expect(lines.count == 2)
        #expect(
            lines.last
                == "::warning file=\(file),line=3,endLine=3,col=17,endColumn=27,title=AASA-035::unknown key `comments` in a component is ignored; write `comment`"
        )
        #expect(lines.first?.hasPrefix("::error file=\(file),line=3,") == true)
    }

    @Test func `a SARIF log names files by their URL`() throws {
        let folder = try Folder(files: ["a file": Self.broken])
        let run = try lint("\(folder.path)/a file", "--format", "sarif")
        #expect(run.output.contains("\"uri\": \"file://\(folder.path)/a%20file\""), "\(run.output)")
    }

    @Test func `applies mechanical fixes, shows the difference and reports the rest`() throws {
        // An id from documentation has no mechanical fix.
        let broken = Self.broken.replacing("9JA89QQLNQ", with: "A1B2C3D4E5")
        let folder = try Folder(files: ["file": broken])
        let path = "\(folder.path)/file"
        let difference = """
            --- \(path)
            +++ \(path)
            @@ -1,7 +1,7 @@
             {
               "applinks": {"details": [{"appIDs": ["A1B2C3D4E5.org.acme.shop"], "components": [
            -    {"/": "/a", "comments": true},
            +    {"/": "/a", "comment": true}
               ]}]},
               "webcredentials": {"apps": ["A1B2C3D4E5.org.acme.shop"]}
             }

            """
        let dry = try lint("--fix", "--dry-run", path)
        #expect(dry.status == 0, "nothing but warnings would remain")
        #expect(dry.errors == "\(path): would apply 2 fixes (AASA-001, AASA-035)\n0 errors, 2 warnings\n")
        #expect(dry.output.contains("warning[AASA-022]") && !dry.output.contains("[AASA-001]"))
        #expect(dry.output.hasPrefix(difference.replacing("-1,7 +1,7", with: "-1,6 +1,6")))
        #expect(try folder.read("file") == broken)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/link", withDestinationPath: "file")
        let run = try lint("--fix", "\(folder.path)/link")
        #expect(run.errors.contains("/link: 2 fixes (AASA-001, AASA-035)\n"))
        #expect(run.status == 0)
        #expect(run.output.contains("warning[AASA-022]"))
        let fixed = broken.replacing("comments", with: "comment").replacing("true},", with: "true}")
        #expect(try folder.read("file") == fixed)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder.path)/link") == "file")
        #expect(try lint("--fix", path).errors == "0 errors, 2 warnings\n")
    }

    @Test func `does not fix a file that it cannot read`() throws {
        let folder = try Folder()
        let bytes: [UInt8] =
            Array(#"{"applinks": {"details": [{"appIDs": ["#.utf8) + [0x22, 0xE9, 0x22] + Array("],}]}}".utf8)
        try Data(bytes).write(to: URL(fileURLWithPath: "\(folder.path)/file"))
        let run = try lint("--fix", "\(folder.path)/file")
        #expect(run.status == 1)
        #expect(run.errors.contains("cannot fix \(folder.path)/file: it contains bytes that are not UTF-8"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/file")) == Data(bytes))
    }

    @Test func `detects file types by content, unless --as is given`() throws {
        let folder = try Folder(files: [
            "one": "{\"hosts\": [], \"ios\": {}}", "two": "[]", "three": "{\"applinks\": {}}", "four": "{}",
            "five": "hello", "apple-app-site-association": "<html></html>",
        ])
        func rules(_ arguments: String...) throws -> Set<String> {
            let run = try Subject.run(["lint", "--format=json"] + arguments)
            let entries = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: Any]] ?? []
            return Set(entries.compactMap { ($0["rule"] as? String)?.prefix { $0 != "-" } }.map(String.init))
        }
        #expect(try rules("\(folder.path)/one") == ["APP"])
        #expect(try rules("\(folder.path)/two") == ["DAL"])
        #expect(try rules("\(folder.path)/three") == ["AASA"])
        #expect(try rules("\(folder.path)/apple-app-site-association") == ["AASA"])
        #expect(try rules("\(folder.path)/four", "--as", "android") == ["DAL"])
        let unknown = try lint("\(folder.path)/five")
        #expect(unknown.status == 1)
        #expect(unknown.errors.contains("unknown file type: \(folder.path)/five"))
        #expect(try lint("\(folder.path)/nosuch").status == 1)
        try folder.write("below/package.json", "{}")
        try folder.write("below/assetlinks.json", "")
        try folder.write("below/shop.json", " \n")
        try folder.write("below/assetlinks/shop.json", "\n")
        let below = try lint("\(folder.path)/below")
        #expect(below.output.contains("/below/assetlinks.json:1:1: error[DAL-001]"))
        #expect(below.output.contains("/below/assetlinks/shop.json:1:1: error[DAL-001]"))
        #expect(below.output.contains("/below/shop.json:1:1: error[AASA-001]"))
        #expect(below.errors.hasSuffix("skipped 1 file of unknown type: \(folder.path)/below/package.json\n"))
    }

    @Test(arguments: ["config", "config/apps"])
    func `an app file that is cut off is one finding, and no skipped file`(path: String) throws {
        let folder = try Folder(files: ["config/server.json": "{}", "config/apps/shop.json": #"{ name: "Shop","#])
        let run = try Subject.run("lint", "\(folder.path)/\(path)")
        #expect(run.output.contains("/config/apps/shop.json:1:16: error[APP-001]: the text ends in the object that"))
        #expect(run.errors == "1 error, 0 warnings\n")
    }

    @Test func `checks a configuration like a server, with certificates and shared hosts`() throws {
        func app(_ name: String, _ team: String, links: String) -> String {
            """
            { name: "\(name)", hosts: ["a.acme.test"], ios: { appIDs: ["\(team).org.acme.\(name)"] },
              links: [\(links)] }
            """
        }
        let folder = try Folder(files: [
            "config/apps/one.json": app("one", "9JA89QQLNQ", links: #"{ "/": "/a/*" }"#),
            "config/apps/deep/two.json5": app("two", "8JA89QQLNQ", links: #"{ "/": "/a/b" }"#),
            "config/apps/bad.json": "{ name: 1 }", "config/hosts/a.acme.test/fullchain.pem": "none",
            "config/hosts/a.acme.test/privkey.pem": "none", "config/server.json": "{ wrkers: 1 }",
        ])
        let run = try lint("--format", "json", "\(folder.path)/config/")
        #expect(run.status == 1)
        let text = run.output
        for part in [
            #""rule": "APP-036""#, "https://a.acme.test/a/b is also claimed by", "/config/apps/bad.json",
            #""rule": "CERT-"#, "/config/server.json", "fullchain.pem",
        ] { #expect(text.contains(part), "\(part) in \(text)") }
    }

    @Test func `opens each file once`() throws {
        let app = #"{ name: "A", hosts: ["a.acme.test"], ios: { appIDs: ["9JA89QQLNQ.a.b"] }, links: [], exmples: {}, "#
        let files = [
            "config/apps/good.json": app.replacing("exmples", with: "examples") + "environments: { staging: {} } }",
            "config/apps/misspelt.json": app + "}", "config/apps/broken.json": app,
            "config/server.json": "{ wrkers: 1 }", "theirs/apple-app-site-association": Self.broken,
            "theirs/App.entitlements": "<plist><dict/></plist>", "theirs/shop.json": app + "}",
        ]
        let folder = try Folder(files: files)
        let opened = try OpenCounter(files.keys.sorted().map { "\(folder.path)/\($0)" })
        let run = try lint(
            "\(folder.path)/config", "\(folder.path)/theirs", "--config", "\(folder.path)/config", "--environment",
            "staging", "--notes")
        for file in files.keys where file != "config/apps/good.json" {
            #expect(run.output.contains("\(folder.path)/\(file):"), "\(run.output)")
        }
        #expect(opened.counts == files.map { _ in 1 }, "\(files.keys.sorted())")
    }

    @Test func `suggests the name of a rule`() throws {
        #expect(try lint("--explain", "DAL-01").errors == "associated: unknown rule DAL-01; did you mean DAL-001?\n")
    }
}

/// Counts how often files are opened.
private struct OpenCounter: ~Copyable {
    private let descriptor: Descriptor
    private let watches: [Int32]

    init(_ paths: [String]) throws {
        let number = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        descriptor = Descriptor(takingOwnershipOf: number)
        // The kernel merges equal events that follow each other, so closing is watched too.
        watches = paths.map { inotify_add_watch(number, $0, UInt32(IN_OPEN | IN_CLOSE_NOWRITE)) }
        if watches.contains(-1) { throw SystemError(call: "inotify_add_watch", number: errno) }
    }

    /// The number of times that each file was opened.
    var counts: [Int] {
        var events = [inotify_event](repeating: inotify_event(), count: 4_096)
        let bytes = Glibc.read(descriptor.number, &events, events.count * MemoryLayout<inotify_event>.size)
        let read = events.prefix(max(0, bytes) / MemoryLayout<inotify_event>.size)
        return watches.map { watch in read.count { $0.wd == watch && $0.mask & UInt32(IN_OPEN) != 0 } }
    }
}
