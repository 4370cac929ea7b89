// From a document's bytes to the answer that is sent: entity tags, field lines, the gzip form. All of it happens once, when
// the document is rendered or read.

import Catalogue
import HTTP
import Posix
import TLS

/// What an answer is made of.
struct Document {
    var kind: AnswerKind
    var contentType: String
    var content: Representation.Content
    /// The same in gzip form, where somebody else has made it.
    var packed: Representation.Content?
    var cacheSeconds: Int
    /// Seconds since 1970 of the newest file that it was made from.
    var modified: Int64

    /// The fetchers of association files are other people's programs, browsers among them: they may read it from anywhere.
    var isForEveryOrigin: Bool { kind == .appleAssociation || kind == .statementList }
}

enum AnswerMaker {
    /// Below this many bytes saved, the gzip form is not worth the memory it takes.
    private static let gzipGainMin = 64
    /// So few bytes travel with their head in one packet, in either form; a fifth of the work for a small host would be to
    /// try.
    private static let gzipBytesMin = 256

    static func answer(_ document: Document) -> PreparedAnswer {
        var budget = PackingBudget.unlimited
        return answer(document, &budget)
    }

    /// The same with no gzip form where the budget is spent.
    static func answer(_ document: Document, _ budget: inout PackingBudget) -> PreparedAnswer {
        let tag = tag(of: document.content)
        let packed = document.packed ?? packed(document.content, &budget)
        return PreparedAnswer(
            kind: document.kind, lastModified: document.modified,
            identity: form(document, document.content, tag: "\"\(tag)\"", coding: nil, varies: packed != nil),
            // A strong tag stands for exact bytes, so each form has its own (RFC 9110 §8.8.3.3).
            gzip: packed.map { content in
                let packedTag = document.packed.map(self.tag) ?? tag
                return form(document, content, tag: "\"\(packedTag)-gzip\"", coding: "gzip", varies: true)
            })
    }

    /// What tells one content from another: for a file, which is not looked at, what tells its versions apart.
    private static func tag(of content: Representation.Content) -> String {
        switch content {
        case .file(let file):
            "\(String(file.modifiedNanoseconds, radix: 36))-\(String(file.byteCount, radix: 36))"
        case .bytes(let bytes): hexadecimal(Digest.sha256(bytes).prefix(16))
        case .kept: preconditionFailure("an answer that was made is not made again")
        }
    }

    /// The gzip form of bytes, where it is worth it.
    private static func packed(
        _ content: Representation.Content, _ budget: inout PackingBudget
    ) -> Representation.Content? {
        guard case .bytes(let bytes) = content, bytes.count >= gzipBytesMin, budget.take(bytes.count) else {
            return nil
        }
        let packed = Gzip.compress(bytes)
        return packed.count + gzipGainMin <= bytes.count ? .bytes(packed) : nil
    }

    /// An answer that sends its reader elsewhere for now. It is not kept for long: where the form is may change.
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

    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
        let digits: StaticString = "0123456789abcdef"
        return unsafe String(unsafeUninitializedCapacity: bytes.count * 2) { text in
            for (index, byte) in bytes.enumerated() {
                unsafe text[index * 2] = unsafe digits.utf8Start[Int(byte >> 4)]
                unsafe text[index * 2 + 1] = unsafe digits.utf8Start[Int(byte & 15)]
            }
            return bytes.count * 2
        }
    }
}
