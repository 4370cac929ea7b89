// What a service has, compared with what the server sends and has sent.

import TLS
import Testing
import Verifier

@testable import Delivery

private func file(_ text: String) -> [UInt8] { Array(text.utf8) }

struct DeliveryVerdictTests {
    private static let day: Int64 = 86_400_000

    private static func digest(_ text: String) -> [UInt8] { DocumentDigest.ofDocument(file(text)) }

    /// Versions 3 (current), 2 and 1.
    private static let versions = (1...3).reversed().map {
        DeliveryVersion(digest: digest("{\"version\":\($0)}"), at: Int64($0) * day)
    }

    @Test(
        arguments: [
            ("{\"a\":1,\"b\":[1,2]}", "{ \"b\" : [1, 2],\n\"a\" : 1 }", true),
            ("{\"a\":{\"y\":1,\"x\":2}}", "{\"a\":{\"x\":2,\"y\":1}}", true),
            ("{\"a\":\"\\u002F\"}", "{\"a\":\"/\"}", true), ("{\"a\":1,\"a\":2}", "{\"a\":2}", true),
            ("{\"b\":[1,2]}", "{\"b\":[2,1]}", false), ("{\"a\":1}", "{\"a\":\"1\"}", false),
            ("{\"a\":1}", "{\"A\":1}", false), ("{\"a\":1}", "{\"a\":1,\"b\":null}", false),
            ("{", "{", true), ("{", "{ ", false), ("", "", true),
        ])
    func `Apple's copy is compared as JSON`(own: String, copy: String, isEqual: Bool) {
        #expect((Self.digest(own) == Self.digest(copy)) == isEqual)
    }

    private static func statement(_ package: String, _ print: String) -> String {
        """
        {"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"android_app",
        "package_name":"\(package)","sha256_cert_fingerprints":[\(print)]}}
        """
    }

    @Test func `Google's statements are compared as a set`() {
        let (one, two) = (Self.statement("com.a", "\"AA\",\"BB\""), Self.statement("com.b", "\"CC\""))
        let digest = DocumentDigest.of(file("[\(one),\(two)]"), for: .google)
        #expect(digest == DocumentDigest.of(file("[\(two),\(one),\(two)]"), for: .google))
        #expect(digest == DocumentDigest.ofStatements(["com.a AA", "com.a BB", "com.b CC"]))
        #expect(digest != DocumentDigest.of(file("[\(one)]"), for: .google))
        #expect(
            DocumentDigest.of(file("[\(one),{\"include\":\"https://a.example/x.json\"}]"), for: .google) == nil)
    }

    /// Each row: the answer, whether the history is complete, the state, and a part of the detail.
    @Test(
        arguments: [
            (.document(file("{ \"version\": 3 }")), true, .equal, ""),
            (.document(file("{\"version\":2}")), true, .older, "Apple has your version of 1970-01-03"),
            (.document(file("{\"version\":1}")), false, .older, "Apple has your version of 1970-01-02"),
            (.document(file("{\"version\":9}")), true, .foreign, "this server never sent"),
            (.document(file("{\"version\":9}")), false, .older, "before this server was watched"),
            (.document([]), true, .foreign, "this server never sent"),
            (.failure("SWCERR00301 Timeout"), true, .failing, "SWCERR00301"),
            (.unusable("it answers 403"), true, .unknown, "Apple: it answers 403"),
        ] as [(CopyAnswer, Bool, DeliveryState, String)])
    func `judges Apple's copy`(answer: CopyAnswer, isSettled: Bool, state: DeliveryState, detail: String) {
        let verdict = DeliveryVerdict.judge(
            answer, of: .apple, current: Self.versions[0].digest, versions: Self.versions, isSettled: isSettled)
        #expect(verdict.state == state)
        #expect(detail.isEmpty ? verdict.detail.isEmpty : verdict.detail.contains(detail), "\(verdict.detail)")
    }

    @Test(
        arguments: [
            (["com.a AA"], ["com.a AA"], .equal), ([], ["com.a AA"], .absent), ([], [], .equal),
            (["com.b BB"], ["com.a AA"], .foreign), (["com.a AA", "com.b BB"], ["com.a AA"], .foreign),
            (["com.b BB"], nil, .unknown), ([], nil, .unknown),
            (["com.a AA {\"r\":1}"], ["com.a AA {\"r\":1}"], .equal), (["com.a AA"], ["com.a AA {\"r\":1}"], .older),
            (["com.a AA {\"r\":2}"], ["com.a AA {\"r\":1}"], .older), (["com.a AA {\"r\":1}"], ["com.a AA"], .older),
            (["com.b AA {\"r\":1}"], ["com.a AA {\"r\":1}"], .foreign),
        ] as [([String], [String]?, DeliveryState)])
    func `judges Google's statements`(seen: [String], own: [String]?, state: DeliveryState) {
        let current = own.map { DocumentDigest.ofStatements(Set($0)) }
        let verdict = DeliveryVerdict.judge(
            .statements(Set(seen), maxAgeSeconds: 77), of: .google, current: current,
            versions: current.map { [DeliveryVersion(digest: $0, at: 0)] } ?? [], isSettled: true)
        #expect(verdict.state == state)
        #expect(verdict.maxAgeSeconds == 77)
    }

    @Test func `a digest of apps without dynamic rules is that of earlier versions of this program`() {
        let plain = DocumentDigest.ofStatements(["com.a AA", "com.b BB"])
        #expect(plain == Digest.sha256(Array("com.a AA\ncom.b BB".utf8)))
        let ruled = DocumentDigest.ofStatements(["com.a AA {\"r\":1}", "com.b BB"])
        #expect(ruled.count == 64 && DocumentDigest.haveSameApps(plain, ruled) && plain != ruled)
    }

    /// Each row: what was seen before, what is seen now, whether the version was there before, and whether that is news.
    @Test(
        arguments: [
            (nil, .equal, false, true), (.equal, .equal, false, true), (.equal, .equal, true, false),
            (.unknown, .equal, true, false), (.foreign, .equal, true, true), (.equal, .foreign, true, true),
            (.failing, .failing, false, false), (nil, .unknown, false, false), (.older, .unknown, false, false),
            (nil, .older, false, true),
        ] as [(DeliveryState?, DeliveryState, Bool, Bool)])
    func `a change is news, and so is a version that has arrived`(
        before: DeliveryState?, state: DeliveryState, wasThere: Bool, isNews: Bool
    ) {
        let record = DeliveryRecord(
            name: "a.example", verifier: .apple, tag: "\"1\"", digest: [1], registered: 0, published: 0, fetched: nil,
            equalAt: wasThere ? 1 : nil, wasEqual: wasThere, versions: [])
        let event = DeliveryEvent(record, DeliveryVerdict(state: state), before: before)
        #expect((event != nil) == isNews)
    }
}
