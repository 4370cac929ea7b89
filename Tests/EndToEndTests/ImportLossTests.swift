// `associated import` loses nothing in silence: every app, service, statement and rule of a file is in the result, or a message names its
// line or that of the object around it.

import Foundation
import SourceJSON
import Testing

struct ImportLossTests {
    /// What was imported, and the lines that messages name.
    private struct Result {
        var ids: Set<String> = []
        /// `id service` of each app.
        var services: Set<String> = []
        var packages: Set<String> = []
        var rules: Set<[UInt8]> = []
        let named: Set<Int>
        let run: Run

        init(_ run: Run) {
            self.run = run
            named = Set(
                run.errors.matches(of: /:(\d+):\d+: |line (\d+)/).compactMap { Int($0.output.1 ?? $0.output.2 ?? "") })
            for file in run.output.components(separatedBy: "==> ").dropFirst() {
                let text = file.drop { $0 != "\n" }
                guard let app = SourceReader.read(Array(text.utf8), as: .json5).value else { continue }
                let ios = app.member(named: "ios")
                let clips = texts(ios?.member(named: "appClips"))
                let own = texts(ios?.member(named: "appIDs"))
                let services = ios?.member(named: "services").map { texts($0) } ?? ["applinks", "webcredentials"]
                ids.formUnion(own + clips)
                self.services.formUnion(own.flatMap { id in services.map { "\(id) \($0)" } })
                self.services.formUnion(clips.map { "\($0) appclips" })
                let android = app.member(named: "android")
                packages.formUnion([android?.member(named: "package")?.asString].compactMap { $0 })
                packages.formUnion(
                    (android?.member(named: "packages")?.asArray ?? []).compactMap {
                        $0.member(named: "name")?.asString
                    })
                rules.formUnion((app.member(named: "links")?.asArray ?? []).map { rule($0.asObject ?? [], []) })
            }
        }

        /// Demands that something was imported, or that a message names a line of it or of what it is part of.
        func demand(_ isImported: Bool, _ what: String, at range: SourceRange, in parts: SourceRange...) {
            let lines = Set(range.start.line...range.end.line).union(parts.map(\.start.line))
            #expect(
                isImported || !lines.isDisjoint(with: named), "\(what) on line \(lines): \(run.errors) \(run.output)")
        }
    }

    private static func texts(_ value: SourceValue?) -> [String] { (value?.asArray ?? []).compactMap(\.asString) }

    /// A rule in one form, with what it inherits.
    private static func rule(_ members: [SourceMember], _ defaults: [SourceMember]) -> [UInt8] {
        let all = (members + defaults).filter { $0.value.asBool != false || $0.key != "exclude" }
        var seen: Set<String> = []
        let distinct = all.filter { seen.insert($0.key).inserted }.sorted { $0.key < $1.key }
        return SourceWriter.minified(
            .object(
                distinct.map { member in
                    // Systems add this slash.
                    let text = member.key == "/" ? member.value.asString ?? "/" : "/"
                    let isBare = !["/", "*", "?", "$("].contains(where: text.hasPrefix)
                    return (member.key, isBare ? .string("/" + text) : member.value)
                }))
    }

    private func check(_ text: [UInt8]) throws {
        let value = try #require(SourceReader.read(text, as: .json5).value)
        // Each value on a line of its own.
        let root = try #require(SourceReader.read(SourceWriter.canonical(value), as: .json).value)
        let folder = try Folder()
        try folder.write("file", SourceWriter.canonical(value))
        let result = Result(try Subject.run("import", "\(folder.path)/file", "--host", "a.acme.test"))
        if let entries = root.asArray {
            for entry in entries { statement(entry, result) }
        } else {
            for member in root.asObject ?? [] { service(member, result) }
        }
    }

    private func statement(_ entry: SourceValue, _ result: Result) {
        let name = entry.member(named: "target")?.member(named: "package_name")?.asString
        result.demand(name.map(result.packages.contains) == true, "a statement", at: entry.range)
    }

    private func service(_ member: SourceMember, _ result: Result) {
        let (key, value) = (member.key, member.value)
        for id in value.member(named: "apps")?.asArray ?? [] where key != "applinks" {
            let text = id.asString ?? ""
            result.demand(
                result.services.contains("\(text) \(key)"), "\(key) of \(text)", at: id.range, in: value.range,
                member.keyRange)
        }
        let details = value.member(named: "details")
        let entries = details?.asObject?.map(\.value) ?? details?.asArray ?? []
        let common = value.member(named: "defaults")?.asObject ?? []
        for entry in entries {
            for member in entry.asObject ?? [] {
                let defaults = (entry.member(named: "defaults")?.asObject ?? []) + common
                for element in member.value.asArray ?? [member.value] {
                    let places = (element.range, member.keyRange, entry.range)
                    if member.key.lowercased().hasPrefix("appid") {
                        let id = element.asString ?? ""
                        result.demand(result.ids.contains(id), "app \(id)", at: places.0, in: places.1, places.2)
                    } else if let members = element.asObject, member.key == "components" {
                        let rule = Self.rule(members, defaults)
                        result.demand(result.rules.contains(rule), "a rule", at: places.0, in: places.1, places.2)
                    } else if let path = element.asString, member.key == "paths" {
                        let not = path.hasPrefix("NOT ")
                        let rule = SourceValue.object(
                            [("/", .string(String(path.dropFirst(not ? 4 : 0))))]
                                + (not ? [("exclude", .bool(true))] : []))
                        let form = Self.rule(rule.asObject ?? [], defaults)
                        result.demand(result.rules.contains(form), "path \(path)", at: places.0, in: places.1, places.2)
                    }
                }
            }
        }
    }

    private static let id = "9JA89QQLNQ.org.acme.shop"

    private static func statement(_ target: String) -> String {
        #"{"relation": ["delegate_permission/common.handle_all_urls"], "target": {\#(target)}}"#
    }

    /// A file, whether a part of it is lost, and what is imported as it was meant.
    private static let files: [(text: String, isLossless: Bool, meant: String)] = [
        (#"{"applinks": {"details": [{"appId": "\#(id)", "paths": ["/a"]}]}}"#, true, id),
        (
            #"{"activity ntinuation": {"apps": ["\#(id)"]}, "webcredentials": {"apps": []}}"#, true,
            #"["activitycontinuation"]"#
        ),
        (
            #"{"applinks": {"details": [{"appID": "\#(id)", "components": [{"/": "/a", "exlude": true}]}]}}"#, true,
            "exclude"
        ),
        (#"{"applinks": {"details": [{"appID": "\#(id)", "component": [{"/": "/a"}]}]}}"#, true, #""/": "/a""#),
        (#"{"applinks": {"details": [{"appID": "\#(id)", "components": {"/": "/a"}}]}}"#, true, #""/": "/a""#),
        (
            #"{"applinks": {"details": [{"appID": "\#(id)", "components": [{"/": "/a", "?": {"b": 1}}]}]}}"#, true,
            #""b": "1""#
        ),
        // Not what was meant, but what the file says.
        (
            #"{"applinks": {"details": [{"appID": "\#(id)", "components": [{"/": "/é", "?": {"b": "*"}}]}]}}"#, true,
            #""/": "/é", "?": { "b": "*" }"#
        ),
        (#"{"applinks": {"details": [{"appID": "\#(id)", "exclude": ["/b"], "paths": ["/a"]}]}}"#, true, id),
        (
            #"{"applinks": {"details": [{"appIDs": ["\#(id)"], "appID": "9JA89QQLNQ.org.acme.bank", "paths": ["/a"]}]}}"#,
            false, id
        ),
        (
            #"{"applinks": {"details": [{"appIDs": ["\#(id)"], "paths": ["/a"]}, {"appIDs": ["\#(id)"], "paths": ["/b"]}]}}"#,
            false, id
        ),
        // The same rules in another form.
        (
            #"{"applinks": {"details": [{"appIDs": ["\#(id)"], "components": [{"/": "/a"}]}, {"appIDs": ["\#(id)"], "paths": ["a"]}]}}"#,
            true, "legacyPaths"
        ),
        (
            #"{"applinks": {"details": [{"appID": "\#(id)", "paths": ["/b"], "components": [{"/": "/b", "comment": "c"}]}]}}"#,
            true, "legacyPaths"
        ),
        (
            #"{"applinks": {"details": [{"appID": "\#(id)", "paths": ["/a"], "components": [{"/": "/b"}]}]}}"#, false,
            "/b"
        ),
        (#"{"applinks": {"details": [{"appID": "\#(id)", "components": [{"?": "a", "?": "b"}]}]}}"#, true, #""b""#),
        (#"{"applinks": {"details": [{"paths": ["/a"]}, {"appID": "\#(id)", "paths": ["/b"]}]}}"#, true, id),
        (#"{"authsrv": {"apps": ["9JA89QQLNQ.org.acme.bank"]}, "webcredentials": {"apps": ["\#(id)"]}}"#, false, id),
        ("[\(statement(app)), [\(statement(app))]]", false, "org.acme.shop"),
        (
            "[\(statement(app)), \(statement(#""namespace": "web", "site": "https://b.acme.test""#))]", false,
            "org.acme.shop"
        ),
        (#"[\#(statement(app)), {"include": "https://b.acme.test/list.json"}]"#, false, "org.acme.shop"),
        ("[\(statement(app.replacing("package_name", with: "packageName")))]", true, "org.acme.shop"),
    ]

    private static let app =
        #""namespace": "android_app", "package_name": "org.acme.shop", "sha256_cert_fingerprints": ["\#(LintCommandTests.print)"]"#

    @Test(arguments: files)
    func `what is not imported is said, and a lost app or statement fails`(
        text: String, isLossless: Bool, meant: String
    ) throws {
        try check(Array(text.utf8))
        let folder = try Folder()
        try folder.write("file", text)
        let run = try Subject.run("import", "\(folder.path)/file", "--host", "a.acme.test")
        #expect(run.status == (isLossless ? 0 : 1), "\(run.errors)")
        #expect(run.output.contains(meant), "\(run.output)")
    }

    /// Entries of one app, and the rules that are named as lost.
    @Test(arguments: [
        (
            #"{"appID": "\#(id)", "paths": ["/a", "NOT /b"]}, {"appID": "\#(id)", "components": [{"/": "/a"}, {"/": "/c"}]}"#,
            #"{ "/": "/c" }"#
        ),
        (
            #"{"appID": "\#(id)", "components": [{"/": "/c"}]}, {"appID": "\#(id)", "paths": ["/c", "NOT /b"]}"#,
            "NOT /b"
        ),
        (#"{"appID": "\#(id)", "components": [{"/": "/c"}], "paths": ["/c", "/d/*"]}"#, "/d/*"),
        (
            #"{"appID": "\#(id)", "components": [{"/": "/c"}], "paths": [\#((1...12).map { "\"/\($0)\"" }.joined(separator: ","))]}"#,
            "/1, /2, /3, /4, /5, /6, /7, /8, /9, /10 and 2 more"
        ),
    ])
    func `names each rule that is lost`(entries: String, lost: String) throws {
        let folder = try Folder(files: ["file": #"{"applinks": {"details": [\#(entries)]}}"#])
        let run = try Subject.run("import", "\(folder.path)/file", "--host", "a.acme.test")
        #expect(run.status == 1)
        #expect(run.errors.contains("; lost: \(lost)\n"), "\(run.errors)")
    }

    @Test(.needs(.realFiles)) func `nothing of a published file is lost in silence`() throws {
        for path in RealFiles.apple + RealFiles.statements {
            let text = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
            // One that is no JSON at all is reported as a whole.
            let value = SourceReader.read(text, as: .json5).value
            guard value?.asObject != nil || value?.asArray != nil else { continue }
            try check(text)
        }
    }
}
