// Decides what a request is answered. A pure function of the head, the catalogue and nothing else.

import Catalogue
import HTTP

enum Responder {
    /// The answer to a well-formed request.
    static func respond(to head: RequestHead, _ bytes: Span<UInt8>, _ view: CatalogueView) -> Response {
        switch head.method {
        case .get, .head:
            var response = find(head, bytes, view)
            response.isHeadOnly = head.method == .head
            return response
        case .options:
            return Response(status: .noContent, allowsMethods: true)
        case .connect, .other:
            return Response(status: .methodNotAllowed, allowsMethods: true)
        }
    }

    private static func find(_ head: RequestHead, _ bytes: Span<UInt8>, _ view: CatalogueView) -> Response {
        guard let site = view.site(host: bytes.extracting(head.host.range)) else { return Response(status: .notFound) }
        let found = withDecodedPath(bytes.extracting(head.path.range)) { view.answer(site, path: $0) }
        guard let answer = found else { return Response(status: .notFound) }

        var coding = ContentCoding.identity
        if answer.hasGzip {
            guard let chosen = AcceptEncoding.choose(head.acceptEncoding, in: bytes) else {
                return Response(status: .notAcceptable)
            }
            coding = chosen
        }
        let form = answer.form(coding)
        let isCurrent = isNotModified(head, bytes, answer, form)
        return Response(status: isCurrent ? .notModified : answer.status, form: form)
    }

    /// RFC 9110 §13.2.2: If-None-Match decides where it is present; only without it does If-Modified-Since count.
    private static func isNotModified(
        _ head: RequestHead, _ bytes: Span<UInt8>, _ answer: Answer, _ form: AnswerForm
    ) -> Bool {
        if head.ifNoneMatch.isPresent {
            let tag = Span<UInt8>(_unsafeBytes: form.entityTag)
            return EntityTagList.matches(head.ifNoneMatch, named: "if-none-match", in: bytes, tag: tag, .weak)
        }
        guard head.ifModifiedSince.isPresent, !head.ifModifiedSince.isRepeated, let modified = answer.lastModified,
            let since = HTTPDate.read(bytes.extracting(head.ifModifiedSince.range.range))
        else { return false }
        return modified <= since
    }

    /// Lends the path with its percent-encodings decoded, once (RFC 3986 §2.4). Nothing is resolved: a path with dot
    /// segments or doubled slashes is the name of nothing that is served.
    private static func withDecodedPath(
        _ path: Span<UInt8>, _ body: (UnsafeRawBufferPointer) -> Answer?
    ) -> Answer? {
        if path.firstIndex(of: UInt8(ascii: "%")) == nil {
            return path.withUnsafeBytes(body)
        }
        return withUnsafeTemporaryAllocation(byteCount: path.count, alignment: 8) { buffer in
            guard let count = PercentEncoding.decode(path, into: buffer) else { return nil }
            return body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }
}
