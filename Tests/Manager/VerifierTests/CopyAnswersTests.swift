// How texts from Apple and Google are shown.

import Testing

@testable import Client
@testable import Verifier

struct CopyAnswersTests {
    @Test func `texts of other servers lose control characters and are shortened`() {
        #expect(AppleFailure.text("a\u{1B}[31m\r\n\u{7F}\tb \u{E9}") == "a[31mb \u{E9}")
        #expect(AppleFailure.text(String(repeating: "a", count: 400)).count == 300)
        #expect(AppleFailure.text(nil) == "")
    }

    private static func response(
        _ status: Int, _ body: String, _ fields: [(String, String)] = [], isTruncated: Bool = false
    ) -> FetchedResponse {
        FetchedResponse(
            status: status, statusLine: "", fields: fields.map { .init(name: $0.0, value: $0.1) },
            body: Array(body.utf8), isTruncated: isTruncated, firstByteMilliseconds: 0, totalMilliseconds: 0, peer: nil,
            handshakeMilliseconds: 0)
    }

    @Test func `reads what Apple's CDN answers`() {
        let document = CopyAnswer(apple: Self.response(200, "{}", [("apple-origin-format", "json")]))
        #expect(document == .document(Array("{}".utf8)))
        let bare = CopyAnswer(apple: Self.response(404, "Not Found"))
        #expect(bare == .unusable("it answers 404 without Apple's reason; does a proxy answer instead?"))
        #expect(CopyAnswer(apple: Self.response(403, "")) == .unusable("it answers 403"))
        #expect(CopyAnswer(apple: Self.response(200, "{}", isTruncated: true)) == .unusable("its answer is too long"))
        let page = CopyAnswer(apple: Self.response(200, "\n <html>"))
        #expect(page == .unusable("it answers a page instead of the file"))
        let fields = [
            ("apple-failure-reason", "SWCERR00101 Bad HTTP Response: 403 Forbidden"),
            ("apple-failure-details", "{\"status\":\"403 Forbidden\"}"),
        ]
        guard case .failure(let text) = CopyAnswer(apple: Self.response(404, "Not Found", fields)) else {
            return #expect(Bool(false), "it is a failure")
        }
        #expect(text.contains("SWCERR00101 Bad HTTP Response: 403 Forbidden; {\"status\":\"403 Forbidden\"}"))
        #expect(text.hasSuffix("answer AASA-Bot with 200, from everywhere"))
    }

    @Test(
        arguments: [
            ("{\"maxAge\":\"3599.9s\"}", .statements([], maxAgeSeconds: 3_599)),
            ("{}", .statements([], maxAgeSeconds: nil)), ("[]", .unusable("it answers something other than JSON")),
            ("<html>", .unusable("it answers something other than JSON")),
            (
                "{\"errorCode\":[\"ERROR_CODE_REDIRECT\"],\"maxAge\":\"60s\"}",
                .failure("Google's service says ERROR_CODE_REDIRECT: the host answered with a redirect")
            ),
        ] as [(String, CopyAnswer)])
    func `reads what Google's service answers`(body: String, answer: CopyAnswer) {
        #expect(CopyAnswer(google: Self.response(200, body)) == answer)
        #expect(CopyAnswer(google: Self.response(400, body)) == .unusable("it answers 400"))
    }

    @Test func `the reasons of a failure are bounded`() {
        let codes = [String](repeating: "\"ERROR_CODE_NEW\"", count: 10_000).joined(separator: ",")
        guard case .failure(let text) = CopyAnswer(google: Self.response(200, "{\"errorCode\":[\(codes)]}")) else {
            return #expect(Bool(false), "it is a failure")
        }
        #expect(text.split(separator: ";").count == 8)
    }

    @Test func `a file and Google's list of it name the same apps`() {
        let relation = "delegate_permission/common.handle_all_urls"
        let file = """
            [{"relation":["delegate_permission/common.get_login_creds","\(relation)"],"target":{"namespace":"android_app",
            "package_name":"com.a","sha256_cert_fingerprints":["AA","BB"]}}]
            """
        let statements = ["AA", "BB"].map {
            """
            {"relation":"\(relation)","target":{"androidApp":{"packageName":"com.a","certificate":{"sha256Fingerprint":"\($0)"}}}}
            """
        }
        let answer = CopyAnswer(google: Self.response(200, "{\"statements\":[\(statements.joined(separator: ","))]}"))
        let apps = CopyAnswer.apps(in: Array(file.utf8))
        let logins = ["AA", "BB"].map { "delegate_permission/common.get_login_creds com.a \($0)" }
        #expect(apps == Set(["com.a AA", "com.a BB"] + logins))
        // Google does not list the logins.
        #expect(answer == .statements(["com.a AA", "com.a BB"], maxAgeSeconds: nil))
        #expect(CopyAnswer.apps(in: Array("[{\"include\":\"https://a.example/x\"}]".utf8)) == nil)
    }

    private static let relation = "delegate_permission/common.handle_all_urls"

    /// A file with rules, and Google's list of it with others, as JSON.
    private static func comparison(_ rules: String, _ seen: String) -> (message: String, fix: String?)? {
        let file = """
            [{"relation":["\(relation)"],"relation_extensions":{"\(relation)":\(rules),"other/kind":{"a":1}},"target":{
            "namespace":"android_app","package_name":"com.a","sha256_cert_fingerprints":["AA","BB"]}}]
            """
        let statements = ["BB", "AA"].map {
            """
            {"relation":"\(relation)","relationExtensions":\(seen),
            "target":{"androidApp":{"packageName":"com.a","certificate":{"sha256Fingerprint":"\($0)"}}}}
            """
        }
        let body = "{\"statements\":[\(statements.joined(separator: ","))]}"
        return GoogleAnswer(response: response(200, body)).problem(comparedWith: Array(file.utf8))
    }

    @Test(
        arguments: [
            (
                #"{"dynamic_app_link_components":[{"/":"/a/*","exclude":true},{"/":"*"}]}"#,
                #"{"delegate_permission/common.handle_all_urls":{"dynamic_app_link_components":[{"exclude":true,"/":"\u002Fa/*"}, {"/":"*"}]}}"#,
                true
            ),
            (
                #"{"dynamic_app_link_components":[{"/":"/a/*"},{"/":"*"}]}"#,
                #"{"delegate_permission/common.handle_all_urls":{"dynamic_app_link_components":[{"/":"*"},{"/":"/a/*"}]}}"#,
                false
            ),
            (#"{"dynamic_app_link_components":[{"/":"*"}]}"#, "{}", false),
            ("{}", "{}", true), ("{}", #"{"delegate_permission/common.handle_all_urls":{}}"#, true),
        ])
    func `dynamic rules are compared as JSON`(own: String, seen: String, isEqual: Bool) {
        let problem = Self.comparison(own, seen)
        #expect((problem == nil) == isEqual)
        let message = "Google's service sees other dynamic rules than the host serves"
        #expect(isEqual || problem?.message == message)
    }
}
