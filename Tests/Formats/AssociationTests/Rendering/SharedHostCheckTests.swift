import AssociationSamples
import Testing

@testable import Association

@Suite struct SharedHostCheckTests {
    typealias Sample = AppFileSample

    @Test func `reports which setting takes precedence if apps differ`() throws {
        let one = try Sample.app(Sample.text(more: "cacheControl: 60"), file: "one.json")
        let other = #"{ appIDs: ["8KQ2V7M4XN.dev.acme.two"], signed: true }"#
        let two = try Sample.app(Sample.text(ios: other, android: nil, more: "cacheControl: 600"), file: "two.json")
        let documents = Renderer.documents(for: [one, two], host: "shop.acme.test")
        #expect(documents.findings.rules == [.app037, .app037])
        #expect(documents.findings.allSatisfy { $0.file == "two.json" && $0.range != nil })
        #expect(documents.cacheSeconds == 60)
        #expect(documents.signing == .none)
    }

    @Test func `uses the default cache time without a finding`() throws {
        let one = try Sample.app(Sample.text(more: "cacheControl: 60"), file: "one.json")
        let two = try Sample.app(
            Sample.text(ios: #"{ appIDs: ["8KQ2V7M4XN.dev.acme.two"] }"#, android: nil), file: "two.json")
        let documents = Renderer.documents(for: [one, two])
        #expect(documents.findings.isEmpty)
        #expect(documents.cacheSeconds == 60)
    }

    @Test func `finds an app that is there twice`() throws {
        let apps = try ["one.json", "two.json"].map { try Sample.app(Sample.text(), file: $0) }
        let findings = Renderer.documents(for: apps, host: "shop.acme.test").findings
        #expect(findings.rules.filter { $0 == .app038 }.count == 2)
        #expect(findings.filter { $0.rule == .app038 }.allSatisfy { $0.file == "two.json" })
        #expect(findings.first { $0.rule == .app038 }?.message.contains("one.json") == true)
    }

    @Test(arguments: [(Renderer.appsMax, []), (Renderer.appsMax + 1, [RuleID.app045])])
    func `limits the number of app files of a host`(count: Int, rules: [RuleID]) throws {
        let apps = try (0..<count).map { number in
            try Sample.app(
                Sample.text(ios: "{ appIDs: [\"8KQ2V7M4XN.dev.acme.n\(number)\"] }", android: nil),
                file: "\(number).json")
        }
        let documents = Renderer.documents(for: apps, host: "shop.acme.test")
        let errors = documents.findings.filter { $0.severity == .error }
        #expect(errors.map(\.rule) == rules)
        #expect(errors.allSatisfy { $0.file == "\(count - 1).json" && $0.range != nil })
        #expect((documents.appleBytes == nil) == !rules.isEmpty)
    }

    @Test func `checks both sides of the limits for the AASA file`() throws {
        let frame = Renderer.documents(for: [try app(pathBytes: 100)]).appleBytes?.count ?? 0
        for (bytes, rules) in [
            (Renderer.appleBytesNear, []), (Renderer.appleBytesNear + 1, [.app035]),
            (Renderer.appleBytesMax, [.app035]), (Renderer.appleBytesMax + 1, [.app034]),
        ] as [(Int, [RuleID])] {
            let app = try app(pathBytes: 100 + bytes - frame)
            let documents = Renderer.documents(for: [app])
            #expect(documents.appleBytes?.count == bytes)
            #expect(documents.findings.rules == rules)
        }
    }

    @Test func `checks both sides of the limit for the statement list`() throws {
        let check = SharedHostCheck(apps: [try Sample.app(Sample.text())], host: "shop.acme.test")
        for (count, rules) in [(Renderer.statementBytesMax, []), (Renderer.statementBytesMax + 1, [RuleID.app033])] {
            #expect(check.sizeFindings(appleBytes: nil, statementBytes: count).rules == rules)
        }
    }

    /// An app whose paths have this many bytes in total.
    private func app(pathBytes: Int) throws -> AppFile {
        var left = pathBytes
        var links: [String] = []
        while left > 0 {
            // 9 bytes for `{"/":"/"}`, and a comma except for the first rule.
            let count = min(left, 2_000)
            links.append(#"{ "/": "/\#(String(repeating: "a", count: count))" }"#)
            left -= count + (left > count ? 10 : 0)
            if left < 0 { throw AppFileSample.Unreadable(findings: []) }
        }
        return try Sample.app(
            Sample.text(
                ios: #"{ appIDs: ["8KQ2V7M4XN.dev.acme.shop"], services: ["applinks"] }"#, android: nil,
                links: "[\(links.joined(separator: ","))]"))
    }
}
