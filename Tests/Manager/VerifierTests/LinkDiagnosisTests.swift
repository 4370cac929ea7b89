// The cause that a diagnosis names first, for hosts that are wrong in one way or in several: from the answers of the host, through the
// rules of the check.

import Association
import Testing

@testable import Client
@testable import Posix
@testable import TLS
@testable import Verifier

struct LinkDiagnosisTests {
    /// A host with faults, the first cause, and words of its message or its fix.
    struct Setup: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Nil if nothing is wrong.
        let stage: LinkDiagnosis.Stage?
        let words: String
        var url = "https://shop.example/a/1"
        var platforms: ExpectedFiles.Platforms = [.apple, .android]
        var answers: @Sendable (inout HostAnswers) -> Void = { _ in }
        var verdicts: @Sendable (inout LinkVerdicts) -> Void = { _ in }
        var adjust: @Sendable (inout CheckSettings) -> Void = { _ in }

        init(
            _ name: String, _ stage: LinkDiagnosis.Stage?, _ words: String,
            answers: @escaping @Sendable (inout HostAnswers) -> Void = { _ in }
        ) { (testDescription, self.stage, self.words, self.answers) = (name, stage, words, answers) }

        /// The same with changes.
        func with(_ change: (inout Setup) -> Void) -> Setup {
            var setup = self
            change(&setup)
            return setup
        }
    }

    private static let trusted = PeerFacts(
        version: "TLSv1.3", isOutdated: false, cipher: "", certificates: [], problem: nil)

    private static func response(
        _ status: Int, _ body: String = "", type: String = "application/json", _ fields: [String: String] = [:],
        peer: PeerFacts = trusted
    ) -> FetchedResponse {
        let all = ["content-type": type].merging(fields) { _, new in new }
        return FetchedResponse(
            status: status, statusLine: "HTTP/1.1 \(status)",
            fields: all.map { FetchedResponse.Field(name: $0.key, value: $0.value) }, body: Array(body.utf8),
            isTruncated: false, firstByteMilliseconds: 10, totalMilliseconds: 10, peer: peer, handshakeMilliseconds: 10)
    }

    private static func response(_ problem: PeerFacts.Problem.Kind, _ message: String) -> FetchedResponse {
        var peer = trusted
        peer.problem = PeerFacts.Problem(problem, message)
        return response(200, ServerCheckTests.apple, peer: peer)
    }

    /// The answers of a host with both files, and of both services.
    private static func good(_ host: CheckedHost) throws -> HostAnswers {
        var answers = HostAnswers(host)
        answers.addresses = [try #require(SocketAddress("9.9.9.9:443"))]
        answers.answers = [
            .file(.apple): .success(response(200, ServerCheckTests.apple)),
            .file(.statements): .success(response(200, ServerCheckTests.statements)),
        ]
        answers.appleCopy = .success(response(200, ServerCheckTests.apple))
        answers.googleAnswer = .success(response(200, #"{"statements":\#(ServerCheckTests.statements)}"#))
        return answers
    }

    private static func diagnose(_ setup: Setup) throws -> LinkDiagnosis {
        let url = try #require(LinkURL(setup.url))
        var answers = try good(try #require(CheckedHost("shop.example")))
        setup.answers(&answers)
        var settings = CheckSettings()
        setup.adjust(&settings)
        var verdicts = LinkVerdicts()
        verdicts.apple = [RuleVerdict(["one"], .opensApp, "rule 0 matches")]
        verdicts.android = [RuleVerdict(["two"], .manifestDecides, "no rules")]
        setup.verdicts(&verdicts)
        let report = ServerCheckReport(answers, settings)
        return LinkDiagnosis(of: url, report, verdicts, platforms: setup.platforms)
    }

    static let setups: [Setup] = [
        Setup("in order", nil, ""),
        Setup("an address in the URL", .url, "link to the name of the host").with { $0.url = "https://192.0.2.1/a" },
        Setup("no such name", .dns, "there is no such host") { answers in
            answers.addresses = []
            answers.lookUpError = NameLookupError(description: "cannot look up shop.example", isUnknownName: true)
        },
        Setup("a name without addresses", .dns, "add an A or AAAA record") { $0.addresses = [] },
        Setup("a private address", .dns, "10.1.2.3; Apple's fetcher rejects it") { answers in
            answers.addresses = [SocketAddress("10.1.2.3:443")].compactMap(\.self)
        },
        Setup("a closed port", .tls, "make the host reachable on port 443") { answers in
            let refused = FetchError.cannotConnect(SystemError(call: "connect", number: 111))
            answers.answers = [.file(.apple): .failure(refused)]
        },
        Setup("a handshake that fails", .tls, "support TLS 1.2 or 1.3") { answers in
            answers.answers = [.file(.apple): .failure(.handshake(.failed("unsupported protocol")))]
        },
        Setup("a name without a certificate", .tls, "`associated status shop.example` there says") { answers in
            let reason = "tlsv1 unrecognized name (SSL alert number 112)"
            answers.answers = [.file(.apple): .failure(.handshake(.failed(reason)))]
        },
        Setup("an expired certificate", .tls, "expired on 2026-06-01; renew it") { answers in
            answers.answers[.file(.apple)] = .success(response(.expired, "the certificate expired on 2026-06-01"))
        },
        Setup("a private authority", .tls, "name it with --ca") { answers in
            answers.answers[.file(.apple)] = .success(response(.unknownAuthority, "\"CN=own\" is not trusted"))
        },
        Setup("an incomplete chain", .tls, "certbot's fullchain.pem") { answers in
            answers.answers[.file(.apple)] = .success(response(.missingIntermediate, "R11 is not sent"))
        },
        Setup("a redirect, and a stale copy", .appleFile, "301 to https://www.shop.example/") { answers in
            answers.answers[.file(.apple)] = .success(response(301))
            answers.steps[.apple] = ["301 to https://www.shop.example/", "200"]
            answers.appleCopy = .success(response(200, "{}"))
        },
        Setup("a login in front of the file", .appleFile, "exempt the path from every login") { answers in
            answers.answers[.file(.apple)] = .success(response(403))
        },
        Setup("a file at the root only", .appleFile, "serve it at /.well-known/apple-app-site") { answers in
            answers.answers[.file(.apple)] = .success(response(404))
            answers.answers[.rootCopy] = .success(response(200, ServerCheckTests.apple))
        },
        Setup("a file on www only", .appleFile, "is on www.shop.example but not here") { answers in
            answers.answers[.file(.apple)] = .success(response(404))
            answers.answers[.sibling(.apple)] = .success(response(200, ServerCheckTests.apple))
        },
        Setup("a file on www only, whose certificate is for another name", .appleFile, "no iOS app is associated") {
            answers in
            answers.answers[.file(.apple)] = .success(response(404))
            answers.answers[.sibling(.apple)] = .success(response(.wrongName, "the certificate is for shop.example"))
        },
        Setup("a file on www, and at the root", .appleFile, "is only at the root") { answers in
            answers.answers[.file(.apple)] = .success(response(404))
            answers.answers[.rootCopy] = .success(response(200, ServerCheckTests.apple))
            answers.answers[.sibling(.apple)] = .success(response(200, ServerCheckTests.apple))
        },
        Setup("a page instead of the file", .appleFile, "route /.well-known/ before the catch-all") { answers in
            answers.answers[.file(.apple)] = .success(response(200, "<!doctype html>", type: "text/html"))
        }.with { $0.verdicts = { $0.apple = nil } },
        Setup("broken JSON", .appleFile, "Apple ignores the whole file") { answers in
            answers.answers[.file(.apple)] = .success(response(200, #"{"applinks":{},}"#))
        }.with { $0.verdicts = { $0.apple = nil } },
        Setup("broken JSON where the configuration has a file", .appleFile, "Apple ignores the whole file") { answers in
            answers.answers[.file(.apple)] = .success(response(200, #"{"applinks":{},}"#))
        }.with {
            $0.verdicts = { $0.apple = nil }
            $0.adjust = { $0.expected = { _ in ExpectedFiles(apple: [0x7B, 0x7D], statements: nil) } }
        },
        Setup("a command with the options that were given", .appleFile, "render shop.example --diff --config --public")
            .with {
                $0.adjust = { settings in
                    settings.expected = { _ in ExpectedFiles(apple: [0x7B, 0x7D], statements: nil) }
                    settings.options = { names in names.prefix(2).map { " \($0)" }.joined() }
                }
                $0.verdicts = { $0.apple = [] }
            },
        Setup("a proxy with a file of its own", .appleFile, "differs from the one of this configuration").with {
            $0.adjust = { $0.expected = { _ in ExpectedFiles(apple: [0x7B, 0x7D], statements: nil) } }
            $0.verdicts = { $0.apple = [] }
        },
        Setup("no file for Android", .androidFile, "no Android app is associated") { answers in
            answers.answers[.file(.statements)] = .success(response(404))
        }.with { $0.verdicts = { $0.android = nil } },
        Setup("no file for Android, which is not asked about", nil, "") { answers in
            answers.answers[.file(.statements)] = .success(response(404))
        }.with { $0.platforms = .apple },
        Setup("a content type that Google rejects", .androidFile, "send application/json") { answers in
            answers.answers[.file(.statements)] = .success(
                response(200, ServerCheckTests.statements, type: "text/plain"))
        },
        Setup("an old copy that does not open the app", .appleCopy, "by the copy, no rule matches") { answers in
            answers.appleCopy = .success(response(200, "{}"))
        }.with { $0.verdicts = { $0.appleCopy = [RuleVerdict(["one"], .staysInBrowser, "no rule matches")] } },
        Setup("an old copy that opens the app", nil, "") { answers in answers.appleCopy = .success(response(200, "{}"))
        }.with { $0.verdicts = { $0.appleCopy = $0.apple } },
        Setup("a copy from another server", .appleCopy, "Apple reaches another server") { answers in
            answers.appleCopy = .success(response(200, #"{"webcredentials":{"apps":["A1B2C3D4E5.other"]}}"#))
        }.with { $0.verdicts = { $0.appleCopy = $0.apple } },
        Setup("a page in place of the copy", .appleCopy, "is no file that phones can read: it answers a page") {
            answers in
            answers.appleCopy = .success(response(200, "<!doctype html>", type: "text/html"))
        },
        Setup("no copy at Apple", .appleCopy, "SWCERR00301") { answers in
            answers.appleCopy = .success(response(404, "", ["apple-failure-reason": "SWCERR00301 Timeout"]))
        },
        Setup("a CDN that cannot be asked", nil, "") { answers in
            answers.appleCopy = .failure(.timedOut("the answer"))
            answers.googleAnswer = .failure(.timedOut("the answer"))
        },
        Setup("an error at Google", .googleView, "it does not trust the host's certificate") { answers in
            answers.googleAnswer = .success(
                response(200, #"{"errorCode":["ERROR_CODE_FAILED_SSL_VALIDATION"],"maxAge":"60s"}"#))
        },
        Setup("the fingerprint of an upload key", .registration, "list the fingerprint of App integrity") { answers in
            let pairs = AppCertificate.all(in: Array(ServerCheckTests.statements.utf8))
            let states = Dictionary(uniqueKeysWithValues: pairs.map { ($0, RegistrationState.otherCertificate) })
            answers.registrations = RegistrationReport(remarks: RegistrationRemark.all(about: pairs, states))
        },
        Setup("a quota of Google that is used up", nil, "") { answers in
            answers.registrations = RegistrationReport(remarks: [], problem: "it answers 429")
        },
        Setup("a rule that excludes the URL", .appleRules, "one: rule 0 excludes the URL").with {
            $0.verdicts = { $0.apple = [RuleVerdict(["one"], .staysInBrowser, "rule 0 excludes the URL")] }
        },
        Setup("a second app that opens the link", nil, "").with {
            $0.verdicts = { $0.apple?.append(RuleVerdict(["other"], .staysInBrowser, "no rule matches")) }
        },
        Setup("a file without apps", .appleRules, "add the app to the file").with { $0.verdicts = { $0.apple = [] } },
        Setup("a query that no rule for Android has", .androidRules, "two: no rule matches").with {
            $0.verdicts = { $0.android = [RuleVerdict(["two"], .staysInBrowser, "no rule matches")] }
        },
    ]

    @Test(arguments: setups)
    func `names the true cause first`(setup: Setup) throws {
        let diagnosis = try LinkDiagnosisTests.diagnose(setup)
        let cause = diagnosis.cause
        #expect(cause?.stage == setup.stage)
        let text = "\(cause?.message ?? ""); \(cause?.fix ?? "")"
        #expect(text.contains(setup.words))
    }

    @Test func `a host in order has all stages, in their order`() throws {
        let setup = try #require(LinkDiagnosisTests.setups.first)
        let diagnosis = try LinkDiagnosisTests.diagnose(setup)
        #expect(
            diagnosis.steps.map(\.stage) == [
                .url, .dns, .tls, .appleFile, .androidFile, .appleCopy, .googleView, .appleRules, .androidRules,
            ])
        #expect(diagnosis.steps.allSatisfy { $0.status == .ok })
    }

    @Test func `a question about registrations is a stage if it is asked, and a note without an answer`() throws {
        for (problem, status) in [(nil, .ok), ("it answers 429", .note)] as [(String?, LinkDiagnosis.Status)] {
            let setup = Setup("", nil, "") {
                $0.registrations = RegistrationReport(remarks: [], problem: problem)
            }
            let step = try LinkDiagnosisTests.diagnose(setup).steps.first { $0.stage == .registration }
            #expect(step?.status == status)
        }
    }

    @Test(arguments: [
        ("http://shop.example/a/1", "begins with http"), ("https://shop.example:8443/a/1", "names port 8443"),
    ])
    func `the scheme and the port of the URL are notes`(url: String, words: String) throws {
        let setup = Setup("", nil, "").with { $0.url = url }
        let step = try #require(try LinkDiagnosisTests.diagnose(setup).steps.first)
        #expect(step.status == .note)
        #expect(step.message.contains(words))
    }

    @Test func `one problem of both platforms is one cause with the rules of both`() throws {
        let setup = try #require(LinkDiagnosisTests.setups.first { $0.testDescription == "an incomplete chain" })
        let cause = try #require(try LinkDiagnosisTests.diagnose(setup).cause)
        #expect(cause.rules == [.ahst011, .ghst004, .ahst012])
        #expect(cause.more == 0)
    }

    @Test func `stages behind a host that does not answer are missing`() throws {
        let setup = try #require(LinkDiagnosisTests.setups.first { $0.testDescription == "a closed port" })
        #expect(try LinkDiagnosisTests.diagnose(setup).steps.map(\.stage) == [.url, .dns, .tls])
        let url = try #require(LinkURL("https://[::1]/"))
        let literal = LinkDiagnosis(of: url, nil, LinkVerdicts(), platforms: .apple)
        #expect(literal.cause?.stage == .url)
        #expect(literal.steps.count == 1)
    }

    @Test func `a mistake that concerns other links is a note`() throws {
        let answers: @Sendable (inout HostAnswers) -> Void = { answers in
            let file = ServerCheckTests.apple.replacing("7QK4Z2M9XA.dev.associated.shop\"]}}", with: "bad id\"]}}")
            answers.answers[.file(.apple)] = .success(LinkDiagnosisTests.response(200, file))
            answers.appleCopy = .success(LinkDiagnosisTests.response(200, file))
        }
        let opening = Setup("", nil, "", answers: answers)
        let diagnosis = try LinkDiagnosisTests.diagnose(opening)
        #expect(diagnosis.cause == nil)
        #expect(diagnosis.steps.contains { $0.stage == .appleFile && $0.status == .note })
        let unread = opening.with { $0.verdicts = { $0.apple = [] } }
        #expect(try LinkDiagnosisTests.diagnose(unread).cause?.stage == .appleFile)
    }

    @Test(
        arguments: [
            ([], .noApp), ([.noApp, .staysInBrowser], .staysInBrowser),
            ([.staysInBrowser, .manifestDecides], .manifestDecides),
            ([.staysInBrowser, .manifestDecides, .opensApp], .opensApp),
        ] as [([RuleVerdict.Outcome], RuleVerdict.Outcome)])
    func `one app that opens is enough`(outcomes: [RuleVerdict.Outcome], expected: RuleVerdict.Outcome) {
        #expect(RuleVerdict.outcome(of: outcomes.map { RuleVerdict([""], $0, "") }) == expected)
    }
}
