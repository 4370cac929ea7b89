// Turns a document's bytes into a prepared answer: entity tag, header fields, gzip form. This happens once, when the document is
// rendered or read.

import Catalogue
import HTTP
import Posix
import TLS

/// What an answer is made from.
struct Document {
    var kind: AnswerKind
    var contentType: String
    var content: Representation.Content
    /// A gzip form that the tenant has provided.
    var gzip: Representation.Content?
    var cacheSeconds: Int
    /// The modification time of its newest source, in seconds since 1970.
    var modified: Int64

    /// Scripts of any website may read association files, because testing tools run in browsers.
    var isForEveryOrigin: Bool { kind == .appleAssociation || kind == .statementList }
}

enum AnswerMaker {
    /// A gzip form that saves fewer bytes is not worth its memory.
    private static let gzipGainMin = 64
    /// Shorter documents fit into one packet with their head anyway, and compressing them would take a fifth of the time of a
    /// small host.
    private static let gzipBytesMin = 256

    static func answer(_ document: Document) -> PreparedAnswer {
        var budget = CompressionBudget.unlimited
        return answer(document, &budget)
    }

    /// Without a gzip form if the budget is exhausted.
    static func answer(_ document: Document, _ budget: inout CompressionBudget) -> PreparedAnswer {
        let tag = tag(of: document.content)
        let gzip = document.gzip ?? compressed(document.content, &budget)
        return PreparedAnswer(
            kind: document.kind, lastModified: document.modified,
            identity: form(document, document.content, tag: "\"\(tag)\"", coding: nil, varies: gzip != nil),
            // A strong tag identifies exact bytes, so each form has its own (RFC 9110 §8.8.3.3).
            gzip: gzip.map { content in
                let gzipTag = document.gzip.map(self.tag) ?? tag
                return form(document, content, tag: "\"\(gzipTag)-gzip\"", coding: "gzip", varies: true)
            })
    }

    /// Identifies the content; for a file that is not read, by its time and size.
    private static func tag(of content: Representation.Content) -> String {
        switch content {
        case .file(let file):
            "\(String(file.modifiedNanoseconds, radix: 36))-\(String(file.byteCount, radix: 36))"
        case .bytes(let bytes): Digest.hexadecimal(Digest.sha256(bytes).prefix(16))
        case .kept: preconditionFailure("an answer that was made is not made again")
        }
    }

    /// The gzip form, if it is worth it.
    private static func compressed(
        _ content: Representation.Content, _ budget: inout CompressionBudget
    ) -> Representation.Content? {
        guard case .bytes(let bytes) = content, bytes.count >= gzipBytesMin, budget.take(bytes.count) else {
            return nil
        }
        let gzip = Gzip.compress(bytes)
        return gzip.count + gzipGainMin <= bytes.count ? .bytes(gzip) : nil
    }

    /// A redirect that is cached for a short time only, because the target may change.
    static func redirect(to address: String) -> PreparedAnswer {
        var shared = FieldLines()
        shared.add("cache-control", "max-age=300")
        var fields = FieldLines()
        fields.add("location", address)
        fields.add("x-content-type-options", "nosniff")
        return PreparedAnswer(
            kind: .wellKnown, status: .found,
            identity: Representation(
                sharedFields: shared, contentType: "text/plain; charset=utf-8", bodyFields: fields, entityTag: "",
                content: .bytes([])))
    }

    private static func form(
        _ document: Document, _ content: Representation.Content, tag: String, coding: String?, varies: Bool
    ) -> Representation {
        var shared = FieldLines()
        shared.add("etag", tag)
        shared.add("last-modified", HTTPDate.text(document.modified))
        shared.add("cache-control", "max-age=\(document.cacheSeconds)")
        if varies { shared.add("vary", "accept-encoding") }
        if document.isForEveryOrigin { shared.add("access-control-allow-origin", "*") }
        var fields = FieldLines()
        if let coding { fields.add("content-encoding", coding) }
        if document.kind == .page { fields.add("accept-ranges", "bytes") }
        fields.add("x-content-type-options", "nosniff")
        return Representation(
            sharedFields: shared, contentType: document.contentType, bodyFields: fields, entityTag: tag,
            content: content)
    }
}
