// `lint --fix` changes no decision: every URL that a file decides about is decided in the same way after all fixes that are applied without
// asking, on both platforms. What a file does not decide, because systems ignore it or read it in an unknown way, may change.

import AssociationSamples
import Foundation
import SourceJSON
import TestSupport
import Testing

@testable import Association
@testable import AssociationLint

struct FixDecisionTests {
    /// What a text says about URLs: for each app, where a URL opens; nil where that is not known for certain.
    private typealias Decisions = [String: (LinkURL) -> Bool?]

    private static func decisions(_ text: [UInt8], like kind: DocumentKind) -> Decisions {
        switch kind {
        case .appleAssociation:
            AppleAssociation.read(text, file: "f").content?.applinks.map { decisions(of: $0) } ?? [:]
        case .statementList:
            StatementList.read(text, file: "f").content.map { decisions(of: $0) } ?? [:]
        case .appFile:
            AppFile.read(text, file: "f").appFile.map { app in
                let android = app.androidRules.map { AndroidMatcher(rules: $0.rules) }
                return [
                    "ios": known(app.sourceMatcher), "android": { url in android.flatMap { $0.decide(url).opens } },
                ]
            } ?? [:]
        default: [:]
        }
    }

    private static func decisions(of links: AppleLinks) -> Decisions {
        var result: Decisions = [:]
        for entry in links.details {
            let decide = known(entry.matcher(in: links))
            for id in entry.appIDs
            where result[id.text] == nil && AppID.problems(in: id.text).allSatisfy({ $0.severity != .error }) {
                result[id.text] = decide
            }
        }
        return result
    }

    private static func known(_ matcher: AppleMatcher) -> (LinkURL) -> Bool? {
        { url in matcher.unsettled(url).isEmpty ? matcher.decide(url).opens : nil }
    }

    private static func decisions(of list: StatementList) -> Decisions {
        var result: Decisions = [:]
        for statement in list.statements
        where !list.acceptance(of: statement, for: StatementRelation.handleAllURLs).subtracting([.chromium]).isEmpty {
            guard case .androidApp(let package, _)? = statement.target, statement.malformedRule == nil else { continue }
            let matcher = AndroidMatcher(rules: statement.dynamicRules ?? [])
            // True where the manifest decides: it would open the URL.
            result[package.text] = { url in matcher.unsettled(url).isEmpty ? matcher.decide(url).opens ?? true : nil }
        }
        return result
    }

    /// URLs near every text of a document that could be a pattern.
    private static func urls(_ document: SourceDocument) -> [LinkURL] {
        var texts: Set<String> = []
        var names: Set<String> = []
        var values = [document.value].compactMap { $0 }
        while let value = values.popLast() {
            if let text = value.asString, text.utf8.count < 200 { texts.insert(text) }
            values += value.asArray ?? []
            for member in value.asObject ?? [] {
                names.insert(member.key)
                values.append(member.value)
            }
        }
        let paths = texts.sorted().prefix(80).flatMap { text -> [String] in
            let path = text.hasPrefix("NOT") ? String(text.dropFirst(3)).trimmingSpaces() : text
            let slashed = path.hasPrefix("/") ? path : "/" + path
            return ["", "x", "x/y"].map { slashed.replacing("*", with: $0).replacing("?", with: "q") }
        }
        let queries = [""] + names.sorted().prefix(8).flatMap { ["?\($0)", "?\($0)=", "?\($0)=1"] }
        let spelt = Set(paths + ["/", "/z"]).sorted().prefix(120).map(percentEncoded)
        let all = spelt + spelt.prefix(12).flatMap { path in queries.map { path + $0 } } + spelt.map { $0.lowercased() }
        return all.compactMap { LinkURL("https://a.acme.test\($0)") }
    }

    private static func percentEncoded(_ path: String) -> String {
        path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed.union(["%"])) ?? "/"
    }

    /// Applies fixes as `lint --fix` does; the first decision that differs then, or nil.
    private static func difference(_ text: [UInt8], takesAdvice: Bool = false, changes: inout Int) -> String? {
        let original = LintedFile(text, path: "f")
        guard let start = SourceEdit.editable(original.document) else { return nil }
        var file = LintedFile(start, path: "f", kind: original.kind)
        for _ in 0..<10 {
            let edits = file.fixableFindings(isMeant: { _ in takesAdvice }).compactMap(\.edit)
            let fixed = SourceEdit.apply(edits, to: file.bytes).text
            if fixed == file.bytes { break }
            file = LintedFile(fixed, path: "f", kind: original.kind)
        }
        guard file.bytes != start else { return nil }
        changes += 1
        let (before, after) = (decisions(start, like: original.kind), decisions(file.bytes, like: original.kind))
        let urls = urls(original.document)
        // What a whole file says may begin with a fix, but not what one of its entries does.
        let isAboutEntries = original.kind == .appleAssociation && !before.isEmpty
        for app in Set(before.keys).union(isAboutEntries ? Array(after.keys) : []) {
            for url in urls {
                guard let opens = before[app].map({ $0(url) }) ?? false else { continue }
                if after[app].map({ $0(url) }) ?? (before[app] == nil ? false : nil) == opens { continue }
                return "\(app) \(url) \(String(decoding: start.prefix(1_500), as: UTF8.self))"
            }
        }
        return nil
    }

    private func check(_ text: [UInt8], changes: inout Int) {
        let difference = Self.difference(text, changes: &changes)
        #expect(difference == nil)
    }

    private static let rules = #"{"/": "/a", "exclude": true}, {"/": "/*"}"#

    /// Files with mistakes of which a correction would open other links, or fewer.
    private static let tempting: [String] = [
        Texts.components(#"{"/": "/a", "exlude": true}, {"/": "/*"}"#), Texts.component(#""/": "/a", "?": {"b": "*"}"#),
        Texts.component(#""path": "/a""#), Texts.entry(#""component": [\#(rules)]"#),
        Texts.entry(#""components": {"/": "/a"}"#), Texts.paths("\"a\""), Texts.path("/é"), Texts.path("/%c3%a9"),
        Texts.path("/$(digits)"), Texts.component(#""/": "/a", "?": {"b": 1}"#), Texts.entry(#""paths": "/a""#),
        Texts.entry(#""default": {"caseSensitive": false}, "components": [{"/": "/a"}]"#),
        Texts.details(#"{"appID": "\#(Texts.app)", "appIds": ["\#(Texts.other)"], "paths": ["/a"]}"#),
        Texts.entry(#""paths": ["NOT/a", "*"]"#), Texts.entry(#""paths": ["not /a", "*"]"#), Texts.path("a/*"),
        Texts.rules(#"{"/": "a/*"}"#), Texts.rules(#"{"/": "/a", "exlude": true}, {"/": "*"}"#),
        Texts.rules(#"{"/": "/a"}"#).replacing("dynamic_app_link_components", with: "dynamic_app_link_component"),
        Texts.details(
            #"{"appIds": ["\#(Texts.other)"], "paths": ["/a"]}, {"appIDs": ["\#(Texts.app)"], "paths": ["/b"]}"#),
        Texts.details(
            #"{"appIds": ["\#(Texts.app)"], "paths": ["/a"]}, {"appIDs": ["\#(Texts.app)"], "paths": ["/b"]}"#),
        AppFileSample.text(links: #"[{ "/": "/a", "?": { b: "*" } }]"#),
        AppFileSample.text(links: #"[{ "/": "a/*" }]"#),
        AppFileSample.text(links: #"[{ "/": "/é" }, { "/": "/a" }]"#),
    ]

    @Test func `fixes change no decision`() {
        var changes = 0
        for text in Self.tempting + LintExample.all.map({ String(decoding: $0.bad, as: UTF8.self) }) {
            check(Array(text.utf8), changes: &changes)
        }
        #expect(changes > 15, "\(changes)")
    }

    /// It is undocumented how systems read it, so some may open the link today.
    @Test func `a flag in quotation marks is corrected only as advice`() {
        let text = Texts.components(#"{"/": "/a", "exclude": "true"}, {"/": "/*"}"#)
        let file = LintedFile(Array(text.utf8), path: "f")
        #expect(file.fixableFindings().isEmpty && file.fixableFindings { $0 == .aasa036 }.count == 1)
    }

    /// Otherwise the tests here could not fail.
    @Test func `advice would change decisions`() {
        var changes = 0
        let differing = Self.tempting.filter { text in
            Self.difference(Array(text.utf8), takesAdvice: true, changes: &changes) != nil
        }
        #expect(differing.count > 10 && changes == Self.tempting.count, "\(differing.count) of \(changes)")
    }

    /// With a character less, two swapped, or one of JSON's more.
    @Test func `fixes of damaged files change no decision`() {
        var random = SplitMix(seed: 1)
        var changes = 0
        for text in Self.tempting + LintExample.all.map({ String(decoding: $0.good.first ?? [], as: UTF8.self) }) {
            for _ in 0..<8 {
                var bytes = Array(text.utf8)
                guard bytes.count > 2 else { continue }
                let place = Int.random(in: 1..<bytes.count - 1, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes.remove(at: place)
                case 1: bytes.swapAt(place, place + 1)
                default: bytes.insert(Array("\",:{}[]'".utf8).randomElement(using: &random) ?? 0x2C, at: place)
                }
                check(bytes, changes: &changes)
            }
        }
        #expect(changes > 100, "\(changes)")
    }

    @Test(.needs(.realFiles)) func `fixes of published files change no decision`() throws {
        var changes = 0
        for path in RealFiles.apple + RealFiles.statements {
            check(Array(try Data(contentsOf: URL(fileURLWithPath: path))), changes: &changes)
        }
        #expect(changes > 10)
    }
}
