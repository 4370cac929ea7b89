// From a document's bytes to the answer that is sent: entity tags, field lines, the gzip form. All of it happens once, when
// the document is rendered or read.

import Catalogue
import HTTP
import TLS

/// What an answer is made of.
struct Document {
    var kind: AnswerKind
    var contentType: String
    var bytes: [UInt8]
    var cacheSeconds: Int
    /// Seconds since 1970 of the newest file that it was made from.
    var modified: Int64

    /// The fetchers of association files are other people's programs, browsers among them: they may read it from anywhere.
    var isForEveryOrigin: Bool { kind == .appleAssociation || kind == .statementList }
}

enum AnswerMaker {
    /// Below this many bytes saved, the gzip form is not worth the memory it takes.
    private static let gzipGainMin = 64

    static func answer(_ document: Document) -> PreparedAnswer {
        let digest = hexadecimal(Digest.sha256(document.bytes).prefix(16))
        let compressed = Gzip.compress(document.bytes)
        let hasGzip = compressed.count + gzipGainMin <= document.bytes.count
        return PreparedAnswer(
            kind: document.kind, lastModified: document.modified,
            identity: form(document, document.bytes, tag: "\"\(digest)\"", coding: nil, varies: hasGzip),
            // A strong tag stands for exact bytes, so each form has its own (RFC 9110 §8.8.3.3).
            gzip: hasGzip ? form(document, compressed, tag: "\"\(digest)-gzip\"", coding: "gzip", varies: true) : nil)
    }

    private static func form(
        _ document: Document, _ body: [UInt8], tag: String, coding: String?, varies: Bool
    ) -> Representation {
        var shared = FieldLines()
        shared.add("etag", tag)
        shared.add("last-modified", HTTPDate.text(document.modified))
        shared.add("cache-control", "public, max-age=\(document.cacheSeconds)")
        if varies { shared.add("vary", "accept-encoding") }
        if document.isForEveryOrigin { shared.add("access-control-allow-origin", "*") }
        var fields = FieldLines()
        fields.add("content-type", document.contentType)
        fields.add("content-length", "\(body.count)")
        if let coding { fields.add("content-encoding", coding) }
        fields.add("x-content-type-options", "nosniff")
        return Representation(sharedFields: shared, bodyFields: fields, entityTag: tag, body: body)
    }

    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }.joined()
    }
}
