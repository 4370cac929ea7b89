// The manager's questions to Google's registration API, with a stand-in for it: the key from its file, in a sandbox.

import Foundation
import TestSupport
import Testing

struct RegistrationTests {
    private static let print =
        "5F:7A:C2:9D:1E:84:B3:60:4A:DD:F1:27:8C:39:E6:05:BA:91:73:2E:C8:46:0F:A5:D4:18:6B:E2:97:3C:50:FA"

    private static func answer(_ request: String) -> String {
        if request.hasPrefix(
            "GET /v1/packages/com.acme.shop/packageRegistrationStatus:check?certificateFingerprint=5f7a")
        {
            guard request.contains("\r\nX-Goog-Api-Key: AIza-secret\r\n") else { return "{}" }
            return #"{"state":"REGISTERED_WITH_ANOTHER_CERTIFICATE_FINGERPRINT"}"#
        }
        return #"{"statements":[{"relation":"delegate_permission/common.handle_all_urls","target":{"androidApp":{"#
            + #""packageName":"com.acme.shop","certificate":{"sha256Fingerprint":"\#(print)"}}}}],"maxAge":"60s"}"#
    }

    @Test func `the status of a host tells of an upload key, and nothing shows the API key`() throws {
        let folder = try Folder()
        let services = try ScriptedServer(certificates: nil) { request in
            let body = RegistrationTests.answer(request)
            return .text("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
        let app = "{ package: 'com.acme.shop', fingerprints: [{ sha256: '\(Self.print)', note: 'Play' }] }"
        try folder.write(
            "config/apps/a.json", "{ name: 'App', hosts: ['a.example.com'], android: \(app), links: [{ '/': '/a' }] }")
        try folder.write("google.key", "AIza-secret\n")
        let base = "http://\(services.address)"
        try folder.write(
            "config/server.json",
            """
            { tests: { appleURL: '\(base)/a/', googleURL: '\(base)/g', registrationURL: '\(base)/' },
              delivery: { registrationKeyFile: '\(folder.path)/google.key' } }
            """)
        let places = [
            "--config", "\(folder.path)/config", "--public", "\(folder.path)/public", "--state", "\(folder.path)/state",
        ]
        let server = try RunningServer(places + ["--http", "127.0.0.1:0"])
        let words =
            "com.acme.shop is registered with another certificate: the fingerprint 5F:7A:C2:9D… is probably that of the upload key"
        #expect(server.line(beginning: "a.example.com: \(words)") != nil)
        let status = try Subject.run(["status", "a.example.com"] + places.prefix(2) + places.suffix(2))
        #expect(status.output.contains(words), "\(status.output) \(status.errors)")
        #expect(!status.output.contains("AIza-secret"))
    }
}
