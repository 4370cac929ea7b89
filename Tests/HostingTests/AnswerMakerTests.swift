// From a document to the answer that is sent.

import Catalogue
import HTTP
import TestSupport
import Testing

@testable import Hosting

struct AnswerMakerTests {
    private func answer(_ text: String, kind: AnswerKind = .appleAssociation) -> PreparedAnswer {
        AnswerMaker.answer(
            Document(
                kind: kind, contentType: "application/json", content: .bytes(Array(text.utf8)), cacheSeconds: 60,
                modified: 784_111_777))
    }

    @Test func `an association file has exactly these fields`() {
        let form = answer("{}").identity
        let tag = form.entityTag
        #expect(
            String(decoding: form.sharedFields.bytes, as: UTF8.self) == """
                etag: \(tag)\r
                last-modified: Sun, 06 Nov 1994 08:49:37 GMT\r
                cache-control: max-age=60\r
                access-control-allow-origin: *\r

                """)
        #expect(form.contentType == "application/json")
        #expect(String(decoding: form.bodyFields.bytes, as: UTF8.self) == "x-content-type-options: nosniff\r\n")
    }

    @Test func `pages are not for other origins`() {
        #expect(
            !String(decoding: answer("{}", kind: .page).identity.sharedFields.bytes, as: UTF8.self).contains(
                "allow-origin"))
    }

    @Test func `a tag is half of the SHA-256 of the bytes`() {
        // printf '{}' | openssl dgst -sha256
        #expect(answer("{}").identity.entityTag == "\"44136fa355b3678a1146ad16f7e8649e\"")
    }

    @Test func `equal bytes have equal tags, others have others`() {
        #expect(answer("{}").identity.entityTag == answer("{}").identity.entityTag)
        #expect(answer("{}").identity.entityTag != answer("{ }").identity.entityTag)
    }

    @Test func `a gzip form is there when it is worth it, with a tag of its own`() throws {
        #expect(answer("{}").gzip == nil)
        #expect(answer(String(repeating: " ", count: 255)).gzip == nil, "one packet in either form")
        #expect(answer(String(repeating: " ", count: 256)).gzip != nil)
        let text = String(repeating: "{\"a\":1},", count: 100)
        let answer = answer(text)
        let gzip = try #require(answer.gzip)
        guard case .bytes(let compressed) = gzip.content else {
            Issue.record("a coded form is in memory")
            return
        }
        #expect(compressed.count < text.utf8.count)
        #expect(gzip.entityTag != answer.identity.entityTag)
        for form in [answer.identity, gzip] {
            #expect(String(decoding: form.sharedFields.bytes, as: UTF8.self).contains("vary: accept-encoding\r\n"))
        }
        #expect(String(decoding: gzip.bodyFields.bytes, as: UTF8.self).contains("content-encoding: gzip\r\n"))
    }

    /// The sizes of documents of one host, and those of them that have a gzip form.
    @Test(
        arguments: [
            ([4_194_304], [true]), ([4_194_305], [false]), ([4_000_000, 194_304, 256], [true, true, false]),
            // What is small stays as it is; nothing is compressed behind the first that had to wait.
            ([100, 4_194_304, 100], [false, true, false]), ([4_194_305, 1_000], [false, false]),
        ] as [([Int], [Bool])])
    func `so many bytes of a host are compressed in one round`(sizes: [Int], hasGzip: [Bool]) {
        var budget = PackingBudget()
        let answers = sizes.map { size in
            AnswerMaker.answer(
                Document(
                    kind: .page, contentType: "text/plain", content: .bytes([UInt8](repeating: 32, count: size)),
                    cacheSeconds: 60, modified: 1), &budget)
        }
        #expect(answers.map { $0.gzip != nil } == hasGzip)
        #expect(budget.isSpent == (sizes.reduce(0) { $0 + ($1 < 256 ? 0 : $1) } > 4_194_304))
    }

    @Test(arguments: [0, 1, 100, 100_000])
    func `gunzip gives back what was compressed`(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
        let result = try Command(["gzip", "-dc"], input: Gzip.compress(bytes)).run()
        #expect(result.bytes == bytes && result.status == 0)
    }
}
