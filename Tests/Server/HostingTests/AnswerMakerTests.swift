// Turning a document into a prepared answer.

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

    @Test func `pages do not allow other origins`() {
        #expect(
            !String(decoding: answer("{}", kind: .page).identity.sharedFields.bytes, as: UTF8.self).contains(
                "allow-origin"))
    }

    @Test func `an ETag is half of the SHA-256 of the bytes`() {
        // printf '{}' | openssl dgst -sha256
        #expect(answer("{}").identity.entityTag == "\"44136fa355b3678a1146ad16f7e8649e\"")
    }

    @Test func `a gzip form exists only if it saves bytes, and has its own ETag`() throws {
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

    /// The sizes of one host's documents, and which of them have a gzip form.
    @Test(
        arguments: [
            ([4_194_304], [true]), ([4_194_305], [false]), ([4_000_000, 194_304, 256], [true, true, false]),
            // Small documents stay uncompressed; nothing is compressed after the budget is exhausted.
            ([100, 4_194_304, 100], [false, true, false]), ([4_194_305, 1_000], [false, false]),
        ] as [([Int], [Bool])])
    func `only a limited number of bytes of a host is compressed in one round`(sizes: [Int], hasGzip: [Bool]) {
        var budget = CompressionBudget()
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
    func `gunzip restores the bytes that were compressed`(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
        let result = try Command(["gzip", "-dc"], input: Gzip.compress(bytes)).run()
        #expect(result.bytes == bytes && result.status == 0)
    }
}
