// The output of a diagnosis for people and for programs. GoldenTests has whole outputs of hosts.

import Association
import Client
import SourceJSON
import Testing

@testable import Verifier

struct DiagnosisOutputTests {
    private static func output(_ url: String, phone: [String] = []) throws -> DiagnosisOutput {
        let url = try #require(LinkURL(url))
        let diagnosis = LinkDiagnosis(of: url, nil, LinkVerdicts(), platforms: .apple)
        return DiagnosisOutput(url: url, diagnosis: diagnosis, command: "associated check a.test", phone: phone)
    }

    @Test func `the last line is the cause, with its fix`() throws {
        let output = try Self.output("https://192.0.2.1/a")
        let problem = "the link has an address instead of a host name, and apps are bound to names only"
        #expect(
            output.text(showsAll: false, isColored: false) == """
                https://192.0.2.1/a
                  problem  URL: \(problem)
                cause: URL: \(problem); link to the name of the host

                """)
        #expect(output.text(showsAll: false, isColored: true).contains("\u{1B}[1mcause: URL: "))
        let value = try #require(SourceReader.read(output.json, as: .json).value)
        #expect(value.member(named: "cause")?.member(named: "step")?.asString == "url")
    }

    @Test(
        arguments: [
            (.apple, ["press and hold the link", "codesign"]), (.android, ["get-app-links a.b"]),
        ] as [(ExpectedFiles.Platforms, [String])])
    func `what to check on the phone is for the platforms that were asked about`(
        platforms: ExpectedFiles.Platforms, words: [String]
    ) {
        let text = PhoneChecks(host: "a.test", package: "a.b", platforms).lines.joined(separator: "\n")
        for word in words { #expect(text.contains(word)) }
        #expect(text.contains("adb") == (platforms == .android) && text.hasPrefix("installed too early"))
    }
}
