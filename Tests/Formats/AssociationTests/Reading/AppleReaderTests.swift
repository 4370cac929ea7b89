// All forms of apple-app-site-association files in use, as the model has them.

import AssociationSamples
import SourceJSON
import Testing

@testable import Association

@Suite struct AppleReaderTests {
    private func read(_ text: String) -> AppleReading { AppleAssociation.read(Array(text.utf8), file: "aasa") }

    private func errors(_ reading: AppleReading) -> [Finding] { reading.findings.filter { $0.severity == .error } }

    @Test func `reads the modern form`() throws {
        let reading = read(
            """
            {
              "applinks": {
                "defaults": { "caseSensitive": false, "percentEncoded": false },
                "substitutionVariables": { "food": ["burrito", "pizza"] },
                "details": [
                  {
                    "appIDs": ["9JA89QQLNQ.com.acme.shop", "9JA89QQLNQ.com.acme.shop.beta"],
                    "defaults": { "caseSensitive": true },
                    "components": [
                      { "#": "web", "exclude": true, "comment": "stay" },
                      { "/": "/m/$(food)", "?": { "id": "????", "v": "?*" } },
                      { "/": "/h", "?": "a=*", "caseSensitive": false, "percentEncoded": true }
                    ]
                  }
                ]
              },
              "webcredentials": { "apps": ["9JA89QQLNQ.com.acme.shop", "9JA89QQLNQ.com.acme.shop.beta"] },
              "appclips": { "apps": ["9JA89QQLNQ.com.acme.shop.Clip"] },
              "activitycontinuation": { "apps": ["9JA89QQLNQ.com.acme.shop"] }
            }
            """)
        #expect(errors(reading) == [])
        let association = try #require(reading.association)
        let links = try #require(association.applinks)
        #expect(links.defaults?.caseSensitive == false)
        #expect(links.variables == [SubstitutionVariable(name: "food", values: ["burrito", "pizza"])])
        let detail = try #require(links.details.first)
        #expect(detail.appIDs.map(\.text) == ["9JA89QQLNQ.com.acme.shop", "9JA89QQLNQ.com.acme.shop.beta"])
        #expect(detail.appIDs[0].range.start.line == 7)
        #expect(detail.defaults?.caseSensitive == true)
        #expect(detail.paths == nil)
        let components = try #require(detail.components)
        #expect(components.map(\.path) == [nil, "/m/$(food)", "/h"])
        #expect(components.map(\.fragment) == ["web", nil, nil])
        #expect(components.map(\.exclude) == [true, nil, nil])
        #expect(components[0].comment == "stay")
        #expect(
            components[1].query
                == .items([QueryItemPattern(name: "id", pattern: "????"), QueryItemPattern(name: "v", pattern: "?*")]))
        #expect(components[2].query == .whole("a=*"))
        #expect(components[2].caseSensitive == false)
        #expect(components[2].percentEncoded == true)
        #expect(components[1].range?.start.line == 11)
        #expect(association.webcredentials?.apps.count == 2)
        #expect(association.appclips?.apps.map(\.text) == ["9JA89QQLNQ.com.acme.shop.Clip"])
        #expect(association.activitycontinuation?.apps.count == 1)
    }

    @Test func `reads the legacy form`() throws {
        let reading = read(Texts.paths("\"NOT /a/*\", \"/b/*\", \"not /c\""))
        #expect(errors(reading) == [])
        let links = try #require(reading.association?.applinks)
        #expect(links.hasApps)
        let detail = try #require(links.details.first)
        #expect(detail.appIDs.map(\.text) == [Texts.app])
        #expect(detail.components == nil)
        #expect(detail.paths?.map(\.pattern) == ["/a/*", "/b/*", "/c"])
        #expect(detail.paths?.map(\.exclude) == [true, false, true])
        #expect(detail.paths?.map(\.text) == ["NOT /a/*", "/b/*", "not /c"])
    }

    @Test func `reads details as the object of 2015`() throws {
        let reading = read(
            Texts.links(
                "\"details\": {\"\(Texts.app)\": {\"paths\": [\"*\"]}, \"\(Texts.other)\": {\"paths\": [\"/x\"]}}"))
        #expect(errors(reading) == [])
        let links = try #require(reading.association?.applinks)
        #expect(links.details.map { $0.appIDs.map(\.text) } == [[Texts.app], [Texts.other]])
        #expect(links.details.map { $0.paths?.map(\.pattern) } == [["*"], ["/x"]])
    }

    @Test func `an array of ids takes precedence over a single one, even an empty array`() throws {
        let both = read(Texts.details("{\"appID\": \"\(Texts.other)\", \"appIDs\": [\"\(Texts.app)\"]}"))
        #expect(both.association?.applinks?.details.first?.appIDs.map(\.text) == [Texts.app])
        let empty = read(Texts.details("{\"appID\": \"\(Texts.other)\", \"appIDs\": []}"))
        #expect(empty.association?.applinks?.details.first?.appIDs == [])
        let wrong = read(Texts.details("{\"appID\": \"\(Texts.other)\", \"appIDs\": \"\(Texts.app)\"}"))
        #expect(wrong.association?.applinks?.details.first?.appIDs.map(\.text) == [Texts.other])
    }

    @Test func `distinguishes a missing list of components from an empty one`() {
        #expect(read(Texts.components("")).association?.applinks?.details.first?.components?.count == 0)
        #expect(read(Texts.paths("\"*\"")).association?.applinks?.details.first?.components == nil)
    }

    @Test func `ignores all query patterns for one value of another type`() {
        let reading = read(Texts.query("\"a\": \"1\", \"flag\": true"))
        #expect(reading.association?.applinks?.details.first?.components?.first?.query == nil)
        #expect(reading.findings.contains { $0.rule == .aasa033 && $0.edit?.replacement == "\"true\"" })
    }

    @Test func `the last of duplicate keys counts, in queries and variables too`() throws {
        let query = try matcher(Texts.query("\"a\": \"1\", \"b\": \"?*\", \"a\": \"2\""))
        #expect(try decides(query, "/q?a=2&b=x"))
        #expect(try !decides(query, "/q?a=1&b=x"))
        let variable = try matcher(Texts.variables("\"v\": [\"a\"], \"v\": [\"b\"]", use: "$(v)"))
        #expect(try decides(variable, "/b"))
        #expect(try !decides(variable, "/a"))
    }

    @Test func `legacy paths have the same defaults in the reader and the matcher`() throws {
        let text = Texts.entry("\"paths\": [\"/a b\"], \"defaults\": {\"percentEncoded\": false}")
        #expect(try decides(matcher(text), "/a%20b"))
        #expect(!read(text).findings.contains { $0.rule == .aasa051 })
        #expect(read(Texts.paths("\"/a b\"")).findings.contains { $0.rule == .aasa051 })
    }

    private func matcher(_ text: String) throws -> AppleMatcher {
        let links = try #require(read(text).association?.applinks)
        return try #require(links.details.first).matcher(in: links)
    }

    private func decides(_ matcher: AppleMatcher, _ rest: String) throws -> Bool {
        matcher.decide(try #require(LinkURL("https://example.com" + rest))).opens
    }

    @Test func `an unreadable text has no association`() {
        for text in ["", "[]", "{\"applinks\": {},}", "<html></html>", "\"x\""] {
            let reading = read(text)
            #expect(reading.association == nil, "\(text)")
            #expect(!errors(reading).isEmpty, "\(text)")
        }
    }

    @Test func `checks both sides of Apple's limit`() {
        let inside = Texts.padded(Texts.path("/a"), to: AppleAssociation.bytesMax)
        #expect(AppleAssociation.read(inside, file: "f").association != nil)
        #expect(AppleAssociation.read(inside + [0x20], file: "f").association == nil)
    }

    @Test func `recognises a signed file and does not decode it`() {
        let reading = AppleAssociation.read(Texts.signed, file: "f")
        #expect(reading.isSigned)
        #expect(reading.association == nil)
        #expect(reading.findings.rules == [.aasa079])
        #expect(reading.findings.map(\.severity) == [.note])
    }

    @Test(arguments: [[0x30, 0x20], [0x30, 0x81, 0xF0], [0x30, 0x82, 0x0D, 0xAD], [0x30, 0x80]] as [[UInt8]])
    func `a signed file without its end is unreadable`(head: [UInt8]) {
        let identifier: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
        let reading = AppleAssociation.read(head + identifier + [0xA0], file: "f")
        #expect(reading.findings.rules == [.aasa001])
        let whole = head + identifier + [UInt8](repeating: 0, count: 4_000)
        #expect(AppleAssociation.read(whole, file: "f").findings.rules == [.aasa079])
    }

    @Test func `reports an id in an entry whose key already names the app`() {
        let text = Texts.links("\"details\": {\"\(Texts.app)\": {\"appIDs\": [], \"paths\": [\"*\"]}}")
        let finding = read(text).findings.first { $0.rule == .aasa035 }
        #expect(finding?.message.hasSuffix("the key of the object already names the app") == true)
        #expect(finding?.fix == "remove it")
    }

    @Test(
        arguments: [
            ("{\"/\": \"/a|b\"}", RuleID.aasa051), ("{\"/\": \"/a%20b\", \"percentEncoded\": false}", .aasa052),
            ("{\"/\": \"NOT /x\", \"percentEncoded\": false}", .aasa070),
        ])
    func `says "never" only about what the matcher never matches`(component: String, rule: RuleID) {
        let findings = read(Texts.components(component)).findings.filter { $0.rule == rule }
        #expect(findings.count == 1)
        #expect(findings.allSatisfy { !$0.message.contains("never") && $0.edit == nil }, "\(findings)")
    }

    @Test func `lints the rest after a mistake with one fix, and reports it after the fatal finding`() {
        let reading = read("{\"webcredentials\": {\"apps\": [\"com.acme.shop\",]}}")
        #expect(reading.findings.rules == [.aasa001, .aasa019])
        #expect(reading.findings.map(\.isFatal) == [true, false])
        #expect(reading.association == nil)
    }

    @Test func `finds nothing in Apple's own example`() {
        let text = """
            {
              "applinks": {
                "details": [
                  {
                    "appIDs": ["9JA89QQLNQ.com.acme.shop"],
                    "components": [
                      { "#": "no_universal_links", "exclude": true },
                      { "/": "/buy/*" },
                      { "/": "/help/website/*", "exclude": true },
                      { "/": "/help/*", "?": { "articleNumber": "????" } }
                    ]
                  }
                ]
              },
              "webcredentials": { "apps": ["9JA89QQLNQ.com.acme.shop"] }
            }
            """
        #expect(read(text).findings == [])
    }
}
