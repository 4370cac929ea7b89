// Files of live hosts for other commands: accepted or rejected as by a verifier.

import Certificates
import Client
import Foundation
import Posix
import TLS
import TestSupport
import Testing
import Verifier

struct PublishedFilesTests {
    /// A server with a certificate for a name, and a client that requests `shop.example`.
    private final class Site {
        let files: PublishedFiles
        let host = CheckedHost("shop.example")!
        private let server: ScriptedServer
        private let folder: TemporaryFolder

        init(
            certificate: String = "shop.example", trusts: Bool = true, milliseconds: Int = 5_000,
            answer: @escaping @Sendable (ServerCheckTests.Request) -> ScriptedServer.Answer
        ) throws {
            folder = try TemporaryFolder()
            let authority = try DevelopmentAuthority(directory: folder.path)
            let place = "\(folder.path)/hosts/_default"
            try authority.write(
                for: certificate, certificateFile: "\(place)/fullchain.pem", keyFile: "\(place)/privkey.pem")
            server = try ScriptedServer(certificates: CertificateStore(hostsPath: "\(folder.path)/hosts")) { head in
                answer(ServerCheckTests.Request(head))
            }
            var limits = FetchLimits()
            limits.milliseconds = milliseconds
            files = PublishedFiles(
                try ClientContext(authorityFile: trusts ? authority.certificatePath : nil),
                overrides: [
                    AddressOverride("shop.example:443:\(server.address)")!,
                    AddressOverride("shop.example:8443:\(server.address)")!,
                ], limits: limits)
        }

        /// The result of each consumer: the file, or why it is rejected.
        var outcomes: [FileConsumer: String] {
            FileConsumer.allCases.reduce(into: [:]) { outcomes, consumer in
                switch files.fetch(for: consumer, of: host) {
                case .success(let bytes): outcomes[consumer] = "took \(String(decoding: bytes, as: UTF8.self))"
                case .failure(let refused): outcomes[consumer] = refused.description
                }
            }
        }
    }

    private static func answer(_ status: String, _ body: String = "", _ fields: String...) -> ScriptedServer.Answer {
        let more = fields.map { "\($0)\r\n" }.joined()
        return .text("HTTP/1.1 \(status)\r\n\(more)content-length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    private static let json = "content-type: application/json"

    @Test func `fetches the file of a trusted host`() throws {
        let site = try Site { _ in Self.answer("200 OK", "[]") }
        #expect(try site.files.fetch("/x", of: site.host).get() == Array("[]".utf8))
    }

    @Test(arguments: [("other.example", true, "not for shop.example"), ("shop.example", false, "not trusted")])
    func `rejects the file of an untrusted host`(name: String, trusts: Bool, reason: String) throws {
        let site = try Site(certificate: name, trusts: trusts) { _ in Self.answer("200 OK", "[]", Self.json) }
        let error = #expect(throws: FetchError.self) { try site.files.fetch("/x", of: site.host).get() }
        #expect(error?.description.contains(reason) == true)
        #expect(site.outcomes.values.allSatisfy { $0.contains(reason) })
        #expect(site.outcomes[.google]?.hasSuffix("Google's service calls it ERROR_CODE_FAILED_SSL_VALIDATION") == true)
    }

    @Test func `accepts only status 200`() throws {
        let site = try Site { _ in Self.answer("404 Not Found") }
        let error = #expect(throws: FetchError.self) { try site.files.fetch("/x", of: site.host).get() }
        #expect(error?.description == "it answers 404")
        #expect(
            site.outcomes == [
                .apple: "it answers 404; Apple calls it SWCERR00101",
                .google: "it answers 404; Google's service calls it ERROR_CODE_FETCH_ERROR",
                .aosp: "it answers 404; Android's verifier calls it state 1026", .chromium: "it answers 404",
            ])
    }

    @Test func `each consumer fetches its file with its own user agent`() throws {
        let heads = Shared<[String]>([])
        let site = try Site { request in
            heads.change { $0.append("\(request.path) \(request.host) \(request.agent)") }
            return Self.answer("200 OK", "[]", Self.json)
        }
        #expect(site.outcomes.values.allSatisfy { $0 == "took []" })
        let statements = "/.well-known/assetlinks.json shop.example"
        #expect(
            heads.value.contains(
                "/.well-known/apple-app-site-association shop.example AASA-Bot/1.0.0 associated-check/1.0"))
        #expect(heads.value.contains("\(statements) GoogleAssociationService associated-check/1.0"))
        #expect(heads.value.contains { $0.hasPrefix("\(statements) Dalvik/") })
        #expect(heads.value.contains { $0.hasPrefix("\(statements) Mozilla/5.0") && $0.contains("Chrome/") })
        _ = site.files.fetch("/x", of: CheckedHost("shop.example:8443")!)
        #expect(heads.value.last?.hasPrefix("/x shop.example:8443 ") == true)
    }

    @Test func `only Google's service checks the content type`() throws {
        let site = try Site { _ in Self.answer("200 OK", "[]", "content-type: text/plain; charset=utf-8") }
        let outcomes = site.outcomes
        #expect(
            outcomes[.google] == "content-type is text/plain; Google's service calls it ERROR_CODE_WRONG_CONTENT_TYPE")
        #expect([.apple, .aosp, .chromium].allSatisfy { outcomes[$0] == "took []" })
    }

    @Test func `only Chromium follows redirects`() throws {
        let site = try Site { request in
            request.path == "/there"
                ? Self.answer("200 OK", "[1]", Self.json)
                : Self.answer("301 Moved", "", "location: https://shop.example:8443/there")
        }
        let step = "it answers 301, a redirect to https://shop.example:8443/there, which is not followed"
        #expect(
            site.outcomes == [
                .apple: "\(step); Apple calls it SWCERR00101",
                .google: "\(step); Google's service calls it ERROR_CODE_REDIRECT",
                .aosp: "\(step); Android's verifier calls it state 1029", .chromium: "took [1]",
            ])
    }

    @Test(arguments: [
        ("/again", "there are more than 20 redirects"),
        ("http://shop.example/", "only redirects to https are followed"), ("", "only redirects to https are followed"),
    ])
    func `ends endless redirects`(location: String, reason: String) throws {
        let site = try Site { _ in Self.answer("302 Found", "", "location: \(location)") }
        #expect(site.outcomes[.chromium]?.contains(reason) == true, "\(site.outcomes)")
    }

    @Test func `an endless answer is a time-out`() throws {
        let site = try Site(milliseconds: 300) { _ in .stall(Array("HTTP/1.1 200 OK\r\n".utf8)) }
        #expect(
            site.outcomes == [
                .apple: "the answer did not arrive in time; Apple calls it SWCERR00301",
                .google: "the answer did not arrive in time; Google's service calls it ERROR_CODE_FETCH_ERROR",
                .aosp: "the answer did not arrive in time; Android's verifier calls it state 1027",
                .chromium: "the answer did not arrive in time",
            ])
    }

    @Test func `rejects answers that are not HTTP, in an unknown coding or too large`() throws {
        let garbage = try Site { _ in .text("SSH-2.0-OpenSSH\r\n") }
        let start = "the answer is not HTTP: it begins with \"SSH-2.0"
        #expect(garbage.outcomes.values.allSatisfy { $0.hasPrefix(start) })
        let packed = try Site { _ in Self.answer("200 OK", "[]", Self.json, "content-encoding: gzip") }
        #expect(packed.outcomes[.google]?.hasPrefix("the body does not match its content-encoding") == true)
        let large = try Site { _ in Self.answer("200 OK", String(repeating: " ", count: 2_200_000), Self.json) }
        #expect(
            large.outcomes[.google]
                == "the file has more than 2097152 bytes; Google's service calls it ERROR_CODE_TOO_LARGE")
    }
}
