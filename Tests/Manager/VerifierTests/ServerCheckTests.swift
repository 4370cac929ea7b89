// Checks servers that the test starts: one with one fault for each rule of hosting, and one without faults.

import Association
import AssociationLint
import Certificates
import Client
import Foundation
import Posix
import TLS
import TestSupport
import Testing
import Verifier

struct ServerCheckTests {
    /// How a server differs from a good one.
    struct Fault: Sendable, CustomTestStringConvertible {
        var rule: RuleID?
        var severity = Severity.error
        /// The answer to a request; nil for the good server's.
        var answer: @Sendable (Request) -> ScriptedServer.Answer?
        var adjust: @Sendable (inout CheckSettings) -> Void = { _ in }
        var host = "shop.example"
        /// The name in the certificate.
        var certificate = "shop.example"
        var chain = Chain.whole
        /// The delay of the first handshake, as if the server first obtained a certificate.
        var firstHandshakeMilliseconds: Int32 = 0

        enum Chain {
            case whole
            case withoutIntermediate
        }

        var testDescription: String { rule?.description ?? "none" }
    }

    /// A request as the scripted server receives it.
    struct Request: Sendable {
        let method: String
        let path: String
        let fields: [String: String]

        init(_ head: String) {
            let lines = head.components(separatedBy: "\r\n")
            let words = lines[0].split(separator: " ")
            method = String(words[0])
            path = String(words[1])
            var fields: [String: String] = [:]
            for line in lines.dropFirst() where line.contains(":") {
                let parts = line.split(separator: ":", maxSplits: 1)
                fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
            }
            self.fields = fields
        }

        var isApple: Bool { path == "/.well-known/apple-app-site-association" }
        var isStatements: Bool { path == "/.well-known/assetlinks.json" }
        var agent: String { fields["user-agent"] ?? "" }
        var host: String { fields["host"] ?? "" }
    }

    static let apple =
        #"{"applinks":{"details":[{"appIDs":["7QK4Z2M9XA.dev.associated.shop"],"components":[{"/":"/a/*"}]}]},"#
        + #""webcredentials":{"apps":["7QK4Z2M9XA.dev.associated.shop"]}}"#
    static let statements =
        #"[{"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"android_app","#
        + #""package_name":"dev.associated.shop","sha256_cert_fingerprints":[""#
        + "5F:7A:C2:9D:1E:84:B3:60:4A:DD:F1:27:8C:39:E6:05:BA:91:73:2E:C8:46:0F:A5:D4:18:6B:E2:97:3C:50:FA"
        + #"",""#
        + "C1:0B:6E:F8:52:A7:3D:94:E9:20:7F:B5:48:DC:13:6A:8E:F7:05:C3:B1:5A:92:4D:E0:77:2C:A8:61:FE:39:D6"
        + #""]}}]"#

    static func answer(
        _ status: String = "200 OK", _ body: String = "", type: String? = "application/json", _ fields: String...
    ) -> ScriptedServer.Answer {
        let type = type.map { "content-type: \($0)\r\n" } ?? ""
        let more = fields.map { "\($0)\r\n" }.joined()
        return .text("HTTP/1.1 \(status)\r\n\(type)\(more)content-length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    /// The answers of a good server.
    static func good(_ request: Request) -> ScriptedServer.Answer {
        let host = request.host.hasSuffix(".") ? String(request.host.dropLast()) : request.host
        guard host == "shop.example" else { return answer("404 Not Found") }
        let body = request.isApple ? apple : request.isStatements ? statements : nil
        guard let body else { return answer("404 Not Found") }
        if request.method != "HEAD" { return answer("200 OK", body) }
        return .text("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: \(body.utf8.count)\r\n\r\n")
    }

    private static func look(_ fault: Fault) throws -> ServerCheckReport {
        let place = try TemporaryFolder()
        let folder = place.path
        defer { withExtendedLifetime(place) {} }
        let authorityFile = try certificates(fault, folder)
        let server = try ScriptedServer(
            certificates: CertificateStore(hostsPath: "\(folder)/hosts"),
            firstHandshakeMilliseconds: fault.firstHandshakeMilliseconds
        ) { head in
            let request = Request(head)
            return fault.answer(request) ?? good(request)
        }
        let plain = try ScriptedServer(certificates: nil) { head in
            let request = Request(head)
            return fault.answer(request) ?? answer("404 Not Found")
        }
        var settings = CheckSettings()
        settings.limits.milliseconds = 1_000
        settings.overrides = [
            AddressOverride("shop.example:443:\(server.address)")!,
            AddressOverride("shop.example:80:\(plain.address)")!,
            AddressOverride("www.shop.example:443:\(server.address)")!,
            AddressOverride("copies.example:80:\(plain.address)")!,
        ]
        fault.adjust(&settings)
        let context = try ClientContext(authorityFile: authorityFile)
        return ServerCheck(Fetcher(context), settings).check(CheckedHost(fault.host)!)
    }

    /// Writes the certificate of the server; returns the file with the trusted CA.
    private static func certificates(_ fault: Fault, _ folder: String) throws -> String {
        if fault.chain == .withoutIntermediate {
            return try IncompleteChain.write(for: fault.certificate, to: "\(folder)/hosts/_default", authority: folder)
        }
        let authority = try DevelopmentAuthority(directory: folder)
        let names = ["_default": fault.certificate, "www.shop.example": "www.shop.example"]
        for (place, name) in names {
            try authority.write(
                for: name, certificateFile: "\(folder)/hosts/\(place)/fullchain.pem",
                keyFile: "\(folder)/hosts/\(place)/privkey.pem")
        }
        return authority.certificatePath
    }

    @Test func `each rule about hosts has a server that violates it`() {
        let faults = Set((HostFault.apple + HostFault.android + HostFault.server).map(\.rule))
        // Faults in an app's project or between files of the configuration are not visible on a server.
        let rules = LintRule.all.filter { rule in
            [.appleHosting, .androidHosting, .server].contains(rule.id.family)
                && ![.nativeProject, .installation].contains(rule.subject)
        }
        #expect(rules.count > 50)
        #expect(rules.map(\.id).filter { !faults.contains($0) } == [])
    }

    @Test func `a good server has no findings`() throws {
        let report = try ServerCheckTests.look(Fault(rule: nil) { _ in nil })
        #expect(report.findings.map(\.message) == [])
        #expect(report.peer?.version == "TLSv1.3")
        #expect(report.files.map(\.status) == [200, 200])
        #expect(report.files.map(\.byteCount) == [apple.utf8.count, statements.utf8.count])
    }

    @Test func `does not report advice about files that the configuration renders`() throws {
        let rules =
            #""relation_extensions":{"delegate_permission/common.handle_all_urls":{"dynamic_app_link_components":"#
            + #"[{"/":"/b/*/c"}]}},"target""#
        let rendered = statements.replacing(#""target""#, with: rules)
        func found(_ expected: ExpectedFiles?) throws -> [RuleID] {
            try ServerCheckTests.look(
                Fault(
                    rule: nil, answer: { $0.isStatements ? ServerCheckTests.answer("200 OK", rendered) : nil },
                    adjust: { $0.expected = { _ in expected } })
            ).findings.map(\.rule).filter { $0.family == .statements || $0 == .srv014 }.sorted()
        }
        #expect(try found(nil) == [.dal035, .dal040, .srv014])
        #expect(try found(ExpectedFiles(apple: Array(apple.utf8), statements: Array(rendered.utf8))) == [])
        #expect(
            try found(ExpectedFiles(apple: Array(apple.utf8), statements: nil)).contains(.dal040), "not its rendering")
    }

    @Test func `an answer for every name is not another well-known file`() throws {
        let report = try ServerCheckTests.look(
            Fault(rule: nil) { request in
                request.isApple || request.isStatements
                    ? nil : ServerCheckTests.answer("200 OK", "app\n", type: "text/plain")
            })
        #expect(report.findings.map(\.rule).filter { $0.family == .server } == [.srv001])
    }

    @Test(arguments: [(301, [RuleID]()), (302, [RuleID.srv006, .srv008, .srv011])])
    func `a redirect like any other name's is not another well-known file`(status: Int, rules: [RuleID]) throws {
        let report = try ServerCheckTests.look(
            Fault(rule: nil) { request in
                if request.isApple || request.isStatements { return nil }
                let isUnknown = request.path.contains("should-not-exist")
                return ServerCheckTests.answer(
                    "\(isUnknown ? 301 : status) Elsewhere", "", type: nil,
                    "location: https://other.example\(request.path)")
            })
        let found = report.findings.map(\.rule).filter { $0.family == .server && $0 != .srv004 }
        #expect(found.sorted() == rules)
    }

    @Test func `names the first steps of a redirect that has no end`() throws {
        let report = try ServerCheckTests.look(
            Fault(rule: nil) { request in
                guard request.isApple || request.path == "/again" else { return nil }
                return ServerCheckTests.answer("302 Found", "", type: nil, "location: https://shop.example/again")
            })
        let step = "302 to https://shop.example/again"
        let steps = repeatElement(step, count: 5).joined(separator: ", then ")
        let message = "do not follow: \(steps), then so on"
        #expect(report.findings.contains { $0.message.contains(message) }, "\(report.findings)")
    }

    @Test(arguments: [
        ("/b/*", "(same size, different bytes)"), ("/b", "(\(ServerCheckTests.apple.utf8.count - 2) bytes instead of"),
    ])
    func `compares files of the same size by content`(path: String, sizes: String) throws {
        let other = ServerCheckTests.apple.replacing("/a/*", with: path)
        let report = try ServerCheckTests.look(
            Fault(
                rule: RuleID.srv016, answer: { $0.isApple ? ServerCheckTests.answer("200 OK", other) : nil },
                adjust: { $0.expected = { _ in HostFault.expected } }))
        let finding = try #require(report.findings.first { $0.rule == .srv016 })
        #expect(finding.message.contains(sizes))
        #expect(finding.fix?.contains("`associated render shop.example --diff`") == true)
    }

    @Test func `sends only two requests to a host that times out`() throws {
        let heads = Shared<[String]>([])
        let report = try ServerCheckTests.look(
            Fault(rule: .ahst013) { request in
                heads.change { $0.append(request.path) }
                return .stall(Array("HTTP/1.1 200 OK\r\n".utf8))
            })
        #expect(heads.value == [AssociationPath.apple, AssociationPath.statements])
        #expect(report.findings.map(\.rule) == [.ahst013, .ghst005])
        #expect(report.findings.allSatisfy { $0.severity == .error })
    }

    private var apple: String { ServerCheckTests.apple }
    private var statements: String { ServerCheckTests.statements }

    @Test(arguments: HostFault.apple + HostFault.refusals + HostFault.android + HostFault.server)
    func `each fault of a server is reported by its rule`(fault: Fault) throws {
        let report = try ServerCheckTests.look(fault)
        let found = report.findings.filter { $0.rule == fault.rule }
        #expect(found.first?.severity == fault.severity, "\(report.findings.map { "\($0.rule) \($0.message)" })")
        #expect(found.allSatisfy { !$0.message.isEmpty })
    }
}
