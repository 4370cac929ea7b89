// Servers with one fault each, by the rule that reports it.

import Association
import Client
import TestSupport
import Verifier

/// The table of faulty servers.
enum HostFault {
    typealias Fault = ServerCheckTests.Fault
    typealias Answer = ScriptedServer.Answer

    private static func answer(_ status: String, _ body: String = "", type: String? = "application/json") -> Answer {
        ServerCheckTests.answer(status, body, type: type)
    }

    private static func redirect(_ status: String, _ location: String) -> Answer {
        ServerCheckTests.answer(status, "", type: nil, "location: \(location)")
    }

    static let expected = ExpectedFiles(
        apple: Array(ServerCheckTests.apple.utf8), statements: Array(ServerCheckTests.statements.utf8))

    /// Blocks the platform's user agent.
    static let refusals = [
        "401 Unauthorized", "403 Forbidden", "407 Proxy Authentication Required", "429 Too Many Requests",
    ].map { status in Fault(rule: .ahst003) { $0.isApple ? answer(status) : nil } }

    static let apple: [Fault] = [
        Fault(rule: .ahst001) { $0.isApple || $0.isStatements ? answer("404 Not Found") : nil },
        Fault(rule: .ahst001, severity: .note) { $0.isApple ? answer("404 Not Found") : nil },
        Fault(rule: .ahst001) { _ in .text("nonsense") },
        Fault(rule: .ahst001) { _ in .text("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nshort") },
        Fault(rule: .ahst001, answer: { _ in nil }, host: "does-not-exist.invalid"),
        Fault(rule: .ahst002) { $0.isApple ? redirect("301 Moved", "http://shop.example/x") : nil },
        Fault(rule: .ahst002) { redirect("302 Found", "https://shop.example\($0.path)") },
        Fault(rule: .ahst003) { $0.isApple && $0.agent.contains("CFNetwork") ? answer("403 Forbidden") : nil },
        Fault(rule: .ahst004) { $0.isApple ? answer("503 Service Unavailable") : nil },
        Fault(rule: .ahst005) { $0.isApple ? answer("200 OK", "\n<!doctype html>", type: "text/html") : nil },
        Fault(rule: .ahst006, severity: .warning) {
            $0.isApple ? answer("200 OK", ServerCheckTests.apple, type: "application/octet-stream") : nil
        },
        Fault(rule: .ahst007, severity: .note) {
            $0.isApple ? answer("200 OK", ServerCheckTests.apple, type: "application/pkcs7-mime") : nil
        },
        Fault(rule: .ahst008, severity: .warning) { request in
            request.isApple
                ? answer("404 Not Found")
                : request.path == "/apple-app-site-association" ? answer("200 OK", ServerCheckTests.apple) : nil
        },
        Fault(rule: .ahst009, severity: .warning) {
            $0.path == "/apple-app-site-association" ? answer("200 OK", "{}") : nil
        },
        Fault(rule: .ahst010) { request in
            request.isApple
                ? answer("404 Not Found") : request.path.hasSuffix("association.json") ? answer("200 OK", "{}") : nil
        },
        Fault(rule: .ahst011, answer: { _ in nil }, certificate: "other.example"),
        Fault(rule: .ahst012, severity: .warning, answer: { _ in nil }, chain: .withoutIntermediate),
        Fault(rule: .ahst013) { $0.isApple ? .stall([]) : nil },
        Fault(rule: .ahst013) {
            $0.isApple ? .stall(Array("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{".utf8)) : nil
        },
        Fault(rule: .ahst014, answer: { _ in nil }, host: "localhost"),
        Fault(
            rule: .ahst015, severity: .note, answer: { $0.host == "copies.example" ? answer("200 OK", "{}") : nil },
            adjust: { $0.appleCDN = WebLocation("http://copies.example/a/v1/") }),
        Fault(
            rule: .ahst016,
            answer: { request in
                request.host == "copies.example"
                    ? ServerCheckTests.answer(
                        "404 Not Found", "", type: nil, "apple-failure-reason: SWCERR00301 Timeout",
                        "cache-control: max-age=3600") : nil
            }, adjust: { $0.appleCDN = WebLocation("http://copies.example/a/v1/") }),
        Fault(rule: .ahst017, severity: .warning) {
            $0.isApple && $0.agent.hasPrefix("associated") ? answer("200 OK", "{}") : nil
        },
        Fault(rule: .ahst018, severity: .warning) { request in
            request.isApple && request.fields["accept-encoding"] != nil
                ? ServerCheckTests.answer("200 OK", ServerCheckTests.apple, "content-encoding: gzip") : nil
        },
        Fault(rule: .ahst019, severity: .warning) { $0.method == "HEAD" ? answer("405 No") : nil },
        Fault(rule: .ahst020, severity: .warning) {
            $0.isApple ? ServerCheckTests.answer("200 OK", ServerCheckTests.apple, "cache-control: max-age=86401") : nil
        },
        Fault(
            rule: .ahst022, answer: { $0.isApple ? answer("404 Not Found") : nil },
            adjust: {
                $0.expected = { _ in ExpectedFiles(apple: nil, statements: expected.statements, wildcardsBelow: .apple)
                }
            }),
        Fault(rule: .ahst026, severity: .warning) { request in
            request.isApple && request.host == "shop.example"
                ? answer("404 Not Found") : request.isApple ? answer("200 OK", ServerCheckTests.apple) : nil
        },
        Fault(rule: .ahst027, severity: .warning) {
            $0.path == "/"
                ? answer("200 OK", "<meta content='app-argument=x' name=apple-itunes-app>", type: "text/html") : nil
        },
        Fault(rule: .aasa001) { $0.isApple ? answer("200 OK", #"{"applinks":{"details":[],}}"#) : nil },
    ]

    static let android: [Fault] = [
        Fault(rule: .ghst001) { $0.isApple || $0.isStatements ? answer("404 Not Found") : nil },
        Fault(rule: .ghst001) { $0.isStatements ? answer("500 Oh") : nil },
        Fault(rule: .ghst002) { $0.isStatements ? redirect("307 Elsewhere", "/assetlinks.json") : nil },
        Fault(rule: .ghst003) {
            $0.isStatements ? answer("200 OK", ServerCheckTests.statements, type: "text/plain") : nil
        },
        Fault(rule: .ghst003) { $0.isStatements ? answer("200 OK", "<html>", type: "text/html") : nil },
        Fault(rule: .ghst004, answer: { _ in nil }, certificate: "other.example"),
        Fault(rule: .ghst005) { $0.isStatements ? .stall([]) : nil },
        Fault(rule: .ghst006) { $0.isStatements ? answer("200 OK", String(repeating: " ", count: 2_200_000)) : nil },
        Fault(rule: .ghst007, severity: .warning) {
            $0.path == "/robots.txt" ? answer("200 OK", "User-agent: *\nDisallow: /", type: "text/plain") : nil
        },
        Fault(rule: .ghst008, severity: .warning) {
            $0.isStatements && $0.host.hasSuffix(".") ? answer("404 Not Found") : nil
        },
        Fault(
            rule: .ghst009, severity: .warning, answer: { $0.isStatements ? answer("404 Not Found") : nil },
            adjust: {
                $0.expected = { _ in ExpectedFiles(apple: expected.apple, statements: nil, wildcardsBelow: .android) }
            }),
        Fault(
            rule: .ghst010, severity: .warning, answer: { $0.isStatements ? answer("404 Not Found") : nil },
            adjust: { $0.expected = { _ in expected } }),
        Fault(rule: .ghst011, severity: .warning) {
            $0.isStatements && $0.agent.contains("Googlebot") ? answer("403 Forbidden") : nil
        },
        Fault(rule: .ghst012, severity: .note) {
            $0.isStatements
                ? ServerCheckTests.answer("200 OK", ServerCheckTests.statements, "cache-control: max-age=7200") : nil
        },
        Fault(
            rule: .ghst013, severity: .warning,
            answer: {
                $0.host == "copies.example"
                    ? answer("200 OK", #"{"errorCode":["ERROR_CODE_REDIRECT"],"maxAge":"3600s"}"#) : nil
            }, adjust: { $0.google = WebLocation("http://copies.example/v1/statements:list") }),
        Fault(
            rule: .ghst013, severity: .warning,
            answer: { $0.host == "copies.example" ? answer("200 OK", #"{"statements":[]}"#) : nil },
            adjust: { $0.google = WebLocation("http://copies.example/v1/statements:list") }),
        registration(
            .ghst018, .warning, answer("200 OK", #"{"state":"REGISTERED_WITH_ANOTHER_CERTIFICATE_FINGERPRINT"}"#)),
        registration(.ghst019, .note, answer("200 OK", #"{"state":"NOT_REGISTERED"}"#)),
        registration(.ghst020, .note, answer("403 Forbidden", "{}")),
        registration(.ghst020, .note, answer("429 Too Many Requests", "{}")),
        registration(.ghst020, .note, answer("200 OK", "<html>")), registration(.ghst020, .note, .stall([])),
        Fault(rule: .ghst014, severity: .warning) {
            $0.isStatements ? answer("200 OK", "\u{FEFF}\(ServerCheckTests.statements)") : nil
        },
    ]

    /// What Google's registration API answers, to a request with the key.
    private static func registration(_ rule: RuleID, _ severity: Severity, _ answer: Answer) -> Fault {
        Fault(
            rule: rule, severity: severity,
            answer: { request in
                request.path.hasPrefix(
                    "/v1/packages/dev.associated.shop/packageRegistrationStatus:check?certificateFingerprint=5f7a")
                    || request.path.hasPrefix(
                        "/v1/packages/dev.associated.shop/packageRegistrationStatus:check?certificateFingerprint=c10b")
                    ? request.fields["x-goog-api-key"] == "AIza-key" ? answer : HostFault.answer("401 No key") : nil
            }, adjust: { $0.registration = RegistrationAPI(key: "AIza-key", base: "http://copies.example/") })
    }

    static let server: [Fault] = [
        Fault(rule: .srv001) { $0.path.contains("should-not-exist") ? answer("200 OK") : nil },
        Fault(rule: .srv002, severity: .warning) {
            $0.host.hasSuffix(".invalid") ? answer("200 OK", ServerCheckTests.apple) : nil
        },
        Fault(rule: .srv003, severity: .warning) { $0.isApple && $0.host.hasSuffix(".") ? answer("404 No") : nil },
        Fault(rule: .srv004, severity: .warning) {
            $0.path.contains("acme-challenge") ? redirect("301 Moved", "https://other.example/") : nil
        },
        Fault(
            rule: .srv005, severity: .warning, answer: { _ in nil },
            adjust: { $0.limits.milliseconds = 10_000 }, firstHandshakeMilliseconds: 2_100),
        Fault(rule: .srv006, severity: .warning) {
            $0.path.hasSuffix("change-password") ? redirect("301 Moved", "/account") : nil
        },
        Fault(rule: .srv006, severity: .warning) {
            $0.path.hasSuffix("change-password") ? redirect("302 Found", "https://other.example/") : nil
        },
        Fault(rule: .srv006, severity: .warning) {
            $0.path.hasSuffix("change-password") ? redirect("302 Found", "https://another-shop.example/") : nil
        },
        Fault(rule: .srv007) { $0.path.hasSuffix("webauthn") ? answer("200 OK", "{}", type: "text/plain") : nil },
        Fault(rule: .srv008, severity: .warning) {
            $0.path.hasSuffix("passkey-endpoints") ? redirect("302 Found", "https://other.example/") : nil
        },
        Fault(rule: .srv009, severity: .warning) {
            $0.path.hasSuffix("identity-association.json")
                ? answer("200 OK", "{}", type: "application/json; charset=utf-8") : nil
        },
        Fault(rule: .srv010, severity: .warning) {
            $0.path.hasSuffix("security.txt") ? answer("200 OK", "Contact: x", type: "text/plain") : nil
        },
        Fault(rule: .srv011) {
            $0.path.hasSuffix("merchantid-domain-association") ? answer("200 OK", "7B\r\n", type: "text/plain") : nil
        },
        Fault(rule: .srv012, severity: .warning) {
            $0.path.hasSuffix("windows-app-web-link.json") ? answer("200 OK", "[]") : nil
        },
        Fault(rule: .srv013, severity: .warning) {
            $0.path.hasSuffix("applinking.json") ? answer("200 OK", "{}") : nil
        },
        Fault(rule: .srv014, severity: .note) { request in
            let rules =
                #""relation_extensions":{"delegate_permission/common.handle_all_urls":{"dynamic_app_link_components":"#
                + #"[{"/":"/b/*"}]}},"target""#
            return request.isStatements
                ? answer("200 OK", ServerCheckTests.statements.replacing(#""target""#, with: rules)) : nil
        },
        Fault(
            rule: .srv015, severity: .warning, answer: { _ in nil },
            adjust: { $0.overrides.append(AddressOverride("shop.example:443:[::1]:1")!) }),
        Fault(
            rule: .srv016, answer: { $0.isApple ? answer("200 OK", "{}") : nil },
            adjust: { $0.expected = { _ in expected } }),
    ]
}
