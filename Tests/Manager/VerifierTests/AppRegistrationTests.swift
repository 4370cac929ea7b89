// What Google's API is asked about apps, what its answers mean, and what is said about them.

import Synchronization
import Testing

@testable import Client
@testable import Verifier

struct AppRegistrationTests {
    private static let base = "https://androiddeveloperidstatus.googleapis.com/"
    private static let play =
        "C1:0B:6E:F8:52:A7:3D:94:E9:20:7F:B5:48:DC:13:6A:8E:F7:05:C3:B1:5A:92:4D:E0:77:2C:A8:61:FE:39:D6"
    private static let upload =
        "5F:7A:C2:9D:1E:84:B3:60:4A:DD:F1:27:8C:39:E6:05:BA:91:73:2E:C8:46:0F:A5:D4:18:6B:E2:97:3C:50:FA"

    private static func file(_ package: String, _ prints: [String]) -> [UInt8] {
        let list = prints.map { "\"\($0)\"" }.joined(separator: ",")
        return Array(
            """
            [{"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"android_app",
            "package_name":"\(package)","sha256_cert_fingerprints":[\(list)]}}]
            """.utf8)
    }

    static func response(_ status: Int, _ body: String) -> FetchedResponse {
        FetchedResponse(
            status: status, statusLine: "", fields: [], body: Array(body.utf8), isTruncated: false,
            firstByteMilliseconds: 0, totalMilliseconds: 0, peer: nil, handshakeMilliseconds: 0)
    }

    @Test func `the pairs of a file are asked about in the form of the API`() throws {
        let pairs = AppCertificate.all(
            in: Self.file("com.acme_1.Shop", [Self.play, Self.upload.lowercased(), Self.play]))
        #expect(pairs.map(\.fingerprint) == [Self.play, Self.upload])
        let api = try #require(RegistrationAPI(key: "AIza-key", base: Self.base))
        #expect(
            api.location(of: pairs[0])?.description
                == "https://androiddeveloperidstatus.googleapis.com/v1/packages/com.acme_1.Shop/packageRegistrationStatus:check"
                + "?certificateFingerprint=c10b6ef852a73d94e9207fb548dc136a8ef705c3b15a924de0772ca861fe39d6")
        #expect(api.fields == [.init(name: "X-Goog-Api-Key", value: "AIza-key")])
        // Nothing of a file gets elsewhere into the URL, and no key into another line.
        #expect(AppCertificate.all(in: Self.file("com.a/../b?c", [Self.play])).isEmpty)
        #expect(AppCertificate.all(in: Self.file("com.a", ["AA"])).isEmpty && AppCertificate.all(in: [0x7B]).isEmpty)
        #expect(
            ["", "a b", "a\r\nB: c", "ä", String(repeating: "a", count: 201)].allSatisfy {
                RegistrationAPI(key: $0, base: Self.base) == nil
            })
    }

    @Test(
        arguments: [
            (200, #"{"name":"packages/com.a/packageRegistrationStatus","state":"REGISTERED"}"#, .state(.registered)),
            (200, #"{"state":"NOT_REGISTERED"}"#, .state(.notRegistered)),
            (200, #"{"state":"REGISTERED_WITH_ANOTHER_CERTIFICATE_FINGERPRINT"}"#, .state(.otherCertificate)),
            (200, #"{"state":"REGISTRATION_STATE_UNSPECIFIED"}"#, nil), (200, "{}", nil), (200, "<html>", nil),
            (200, #"{"state":7}"#, nil), (302, "", nil), (500, "", nil), (503, "", nil), (401, "", nil),
        ] as [(Int, String, RegistrationAnswer?)])
    func `reads the answers of the API`(status: Int, body: String, answer: RegistrationAnswer?) {
        let found = RegistrationAnswer(Self.response(status, body))
        if let answer { return #expect(found == answer) }
        guard case .unusable(_, isOfService: true) = found else { return #expect(Bool(false), "\(found)") }
    }

    @Test func `says what is wrong with a key, and what is not`() {
        let invalid = #"{"error":{"code":400,"details":[{"reason":"API_KEY_INVALID"}],"status":"INVALID_ARGUMENT"}}"#
        for (status, body) in [(403, "{}"), (400, invalid)] {
            guard case .unusable(let reason, isOfService: true) = RegistrationAnswer(Self.response(status, body)) else {
                return #expect(Bool(false), "\(status)")
            }
            #expect(reason.hasPrefix("it answers \(status): check the API key"))
        }
        guard case .unusable(let quota, isOfService: true) = RegistrationAnswer(Self.response(429, "{}")),
            case .unusable(_, isOfService: false) = RegistrationAnswer(Self.response(400, "{}"))
        else { return #expect(Bool(false), "429 is about the key, and another 400 about the pair") }
        #expect(quota.contains("the day's requests of the API key are used up"))
    }

    /// The states of two fingerprints of one app; nil without an answer.
    @Test(
        arguments: [
            (.registered, .otherCertificate, nil), (.otherCertificate, .registered, nil), (nil, .otherCertificate, nil),
            (.otherCertificate, nil, nil), (nil, nil, nil), (.otherCertificate, .otherCertificate, true),
            (.notRegistered, .notRegistered, false), (.notRegistered, .otherCertificate, true),
        ] as [(RegistrationState?, RegistrationState?, Bool?)])
    func `one registered fingerprint is enough, and a missing answer says nothing`(
        first: RegistrationState?, second: RegistrationState?, isMismatch: Bool?
    ) {
        let pairs = AppCertificate.all(in: Self.file("com.acme.shop", [Self.play, Self.upload]))
        var states: [AppCertificate: RegistrationState] = [:]
        (states[pairs[0]], states[pairs[1]]) = (first, second)
        let remarks = RegistrationRemark.all(about: pairs, states)
        #expect(remarks.map(\.isMismatch) == (isMismatch.map { [$0] } ?? []))
    }

    @Test func `names the fingerprint of the upload key`() {
        let pairs = AppCertificate.all(in: Self.file("com.acme.shop", [Self.upload]))
        let remark = RegistrationRemark.all(about: pairs, [pairs[0]: .otherCertificate]).first
        #expect(
            remark?.message.hasPrefix(
                "com.acme.shop is registered with another certificate: the fingerprint 5F:7A:C2:9D… is probably that of the upload key"
            )
                == true)
    }

    @Test func `asks about each pair once, and about nothing after an answer that all would get`() {
        let pairs = AppCertificate.all(in: Self.file("com.acme.shop", [Self.play, Self.upload]))
        let good = (200, #"{"state":"REGISTERED"}"#)
        let sent = Shared(0)
        func queries(_ answers: [(Int, String)]) -> RegistrationQueries {
            sent.value = 0
            return RegistrationQueries(RegistrationAPI(key: "k", base: Self.base)!) { _, _ in
                let (status, body) = answers[min(sent.next(), answers.count - 1)]
                return .success(Self.response(status, body))
            }
        }
        var asked = queries([good])
        for _ in 0..<3 { #expect(asked.report(on: pairs).problem == nil) }
        #expect(sent.value == 2)

        asked = queries([(429, "{}")])
        for _ in 0..<3 { #expect(asked.report(on: pairs).problem?.contains("429") == true) }
        #expect(sent.value == 1)

        asked = queries([(400, "{}"), good])
        // What is wrong with one pair is not wrong with the other.
        #expect(asked.report(on: pairs).problem?.contains("400") == true)
        #expect(sent.value == 2 && asked.report(on: [pairs[1]]).problem == nil)

        let slow = RegistrationQueries(RegistrationAPI(key: "k", base: Self.base)!) { _, _ in
            .failure(.timedOut("the answer"))
        }
        let report = slow.report(on: pairs)
        #expect(report.problem == "the answer did not arrive in time" && report.remarks.isEmpty)
    }

    private final class Shared: Sendable {
        private let number: Mutex<Int>
        init(_ value: Int) { number = Mutex(value) }
        var value: Int {
            get { number.withLock { $0 } }
            set { number.withLock { $0 = newValue } }
        }
        func next() -> Int {
            number.withLock { number in
                defer { number += 1 }
                return number
            }
        }
    }
}
