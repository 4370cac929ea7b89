// Decides the answer to a request: which document, and with which status. It depends only on the head, the catalogue, the time
// and, for a page that may be redirected, on whether its host has a certificate.

import Catalogue
import HTTP
import Telemetry

/// The properties of a connection that affect the answer.
@safe struct ConnectionFacts {
    /// The server name of the TLS handshake; nil in plain HTTP, and when the client sent none.
    var serverName: UnsafeRawBufferPointer?
    /// Whether pages are redirected to TLS.
    var redirectsPages = false
}

enum Responder {
    /// The answer to a well-formed request.
    /// - Parameters:
    ///   - now: in seconds since 1970.
    ///   - expectsCertificate: called before a page is redirected to TLS. Without a certificate the handshake would fail, so
    ///     the page is sent in plain HTTP instead.
    static func respond(
        to head: RequestHead, _ bytes: Span<UInt8>, _ view: CatalogueView, _ channel: ConnectionFacts, now: Int64,
        expectsCertificate: (_ host: Span<UInt8>) -> Bool
    ) -> Response {
        switch head.method {
        case .get, .head:
            var subject = Subject()
            var response = find(head, bytes, view, channel, now, &subject, expectsCertificate)
            response.isHeadOnly = head.method == .head
            response.isOfServedHost = subject.isOfServedHost
            // The path may name an association file even if the host has none.
            response.document =
                subject.document == .none
                ? RequestedDocument(naming: bytes.extracting(head.path.range)) : subject.document
            return response
        case .options:
            return Response(status: .noContent, allowsMethods: true)
        case .connect, .post, .put, .patch, .delete, .trace:
            return Response(status: .methodNotAllowed, allowsMethods: true)
        case .unknown:
            return Response(status: .notImplemented)
        }
    }

    /// What a request asks for, for metrics.
    private struct Subject {
        var document = RequestedDocument.none
        var isOfServedHost = false
    }

    private static func find(
        _ head: RequestHead, _ bytes: Span<UInt8>, _ view: CatalogueView, _ channel: ConnectionFacts, _ now: Int64,
        _ subject: inout Subject, _ expectsCertificate: (Span<UInt8>) -> Bool
    ) -> Response {
        let host = bytes.extracting(head.host.range)
        guard let site = view.site(host: host) else { return Response(status: .notFound) }
        subject.isOfServedHost = true
        if let name = unsafe channel.serverName, unsafe isMisdirected(host, name, site, view) {
            return Response(status: .misdirectedRequest)
        }
        let path = bytes.extracting(head.path.range)
        let found = unsafe withDecodedPath(path) { unsafe view.answer(site, path: $0) }
        if let found { subject.document = RequestedDocument(found.kind) }
        if channel.redirectsPages, isPage(found, path), expectsCertificate(host) {
            return Response(
                status: .permanentRedirect,
                location: RequestLocation(host: head.host, path: head.path, query: head.query), repeatsRequest: true)
        }
        if found == nil, let landing = landing(head, bytes, view, site) {
            subject.document = .landing
            return landing
        }
        guard let answer = unsafe found ?? withDecodedPath(path, { unsafe view.fallback(site, path: $0) }) else {
            return unsafe notFound(withDecodedPath(path) { unsafe view.missingPage(site, path: $0) }, head, bytes)
        }
        if found == nil { subject.document = .page }
        var coding = ContentCoding.identity
        if answer.hasGzip {
            guard let chosen = AcceptEncoding.choose(head.acceptEncoding, in: bytes) else {
                return Response(status: .notAcceptable)
            }
            coding = chosen
        }
        let form = answer.form(coding)
        // RFC 9110 §13.2.1: conditions apply to a 200 only.
        if answer.status != .ok { return Response(status: answer.status, form: form) }
        let conditions = unsafe Conditions(entityTag: form.entityTag, lastModified: answer.lastModified, now: now)
        switch conditions.verdict(head, bytes) {
        case .failed: return Response(status: .preconditionFailed)
        case .notModified: return Response(status: .notModified, form: form)
        case .holds: return partial(head, bytes, answer, form, conditions)
        }
    }

    /// The 404, with the host's page for it if it has one. Conditions and ranges do not apply.
    private static func notFound(_ page: Answer?, _ head: RequestHead, _ bytes: Span<UInt8>) -> Response {
        guard let page else { return Response(status: .notFound) }
        let coding = page.hasGzip ? AcceptEncoding.choose(head.acceptEncoding, in: bytes) : nil
        return Response(status: .notFound, form: page.form(coding ?? .identity))
    }

    /// The landing page for a link that an app would open. A path that cannot be decoded gets none. A link that makes the page
    /// longer than the output buffer is answered 414.
    private static func landing(
        _ head: RequestHead, _ bytes: Span<UInt8>, _ view: CatalogueView, _ site: CatalogueView.Site
    ) -> Response? {
        let path = bytes.extracting(head.path.range)
        guard unsafe withDecodedPath(path, { unsafe view.allowsPages($0) ? true : nil }) != nil else { return nil }
        let query = head.query.isPresent ? head.query.range : 0..<0
        guard let page = view.landing(site, path: path, query: bytes.extracting(query)) else { return nil }
        let link = RequestLocation(host: head.host, path: head.path, query: head.query)
        let place = LandingPlace(page, link: link, bytes)
        if place.byteCount > ResponseWriter.copiedBodyBytesMax {
            return Response(status: .uriTooLong, repeatsRequest: true)
        }
        return Response(status: .ok, form: page.form, landing: place, repeatsRequest: true)
    }

    /// RFC 9110 §15.5.20: whether the TLS connection was made for another host. It may be used if one site serves both, as with a
    /// wildcard; otherwise the certificate of one tenant would authenticate another.
    private static func isMisdirected(
        _ host: Span<UInt8>, _ name: UnsafeRawBufferPointer, _ site: CatalogueView.Site, _ view: CatalogueView
    ) -> Bool {
        let end = unsafe name.last == UInt8(ascii: ".") ? name.count - 1 : name.count
        let name = unsafe Span<UInt8>(_unsafeBytes: UnsafeRawBufferPointer(rebasing: name[..<end]))
        return !host.equalsIgnoringCase(name) && view.site(host: name) != site
    }

    /// Whether a request is for a page: no association file, nothing below `/.well-known/`, and not the path in the root at which
    /// verifiers look for an association file.
    private static func isPage(_ answer: Answer?, _ path: Span<UInt8>) -> Bool {
        if let answer, answer.kind != .page { return false }
        return !path.equals(WellKnownPath.appleAssociationAtRoot) && !path.hasPrefix(WellKnownPath.prefix)
    }

    /// The whole body, or the requested range of a page. Association files are always sent whole: their readers ask for nothing
    /// else, and half of one is worse than none.
    private static func partial(
        _ head: RequestHead, _ bytes: Span<UInt8>, _ answer: Answer, _ form: AnswerForm, _ conditions: Conditions
    ) -> Response {
        let whole = Response(status: answer.status, form: form)
        guard head.range.isPresent, !head.range.isRepeated, head.method == .get, answer.kind == .page,
            conditions.allowsRange(head, bytes)
        else { return whole }
        switch RequestedRange(bytes.extracting(head.range.range.range), bodyCount: form.bodyCount) {
        case .ignored: return whole
        case .unsatisfiable: return Response(status: .rangeNotSatisfiable, completeCount: form.bodyCount)
        case .satisfiable(let range): return Response(status: .partialContent, form: form, range: range)
        }
    }

    /// Lends the path, percent-decoded once (RFC 3986 §2.4). It is not normalised: a path with dot segments or doubled slashes
    /// matches nothing.
    private static func withDecodedPath<Found>(
        _ path: Span<UInt8>, _ body: (UnsafeRawBufferPointer) -> Found?
    ) -> Found? {
        // RFC 9112 §3.2.2: an absolute target without a path means the root.
        if path.count == 0 { return unsafe withUnsafeBytes(of: UInt8(ascii: "/"), body) }
        if path.firstIndex(of: UInt8(ascii: "%")) == nil { return unsafe path.withUnsafeBytes(body) }
        return unsafe withUnsafeTemporaryAllocation(byteCount: path.count, alignment: 8) { buffer in
            guard let count = unsafe PercentEncoding.decode(path, into: buffer) else { return nil }
            return unsafe body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }
}

extension RequestedDocument {
    fileprivate init(_ kind: AnswerKind) {
        self =
            switch kind {
            case .appleAssociation: .appleAssociation
            case .statementList: .statementList
            case .wellKnown: .wellKnown
            case .page: .page
            }
    }
}

/// The conditions of a request (RFC 9110 §13), evaluated for one answer.
@safe struct Conditions {
    /// The strong entity tag of the form that would be sent, with its quotes.
    let entityTag: UnsafeRawBufferPointer
    /// Seconds since 1970.
    let lastModified: Int64?
    let now: Int64

    enum Verdict {
        case holds
        /// 412.
        case failed
        /// 304.
        case notModified
    }

    /// Evaluates a GET or HEAD request in the order of RFC 9110 §13.2.2.
    func verdict(_ head: RequestHead, _ bytes: Span<UInt8>) -> Verdict {
        if head.ifMatch.isPresent {
            if !matches(head.ifMatch, "if-match", bytes, .strong) { return .failed }
        } else if let limit = date(head.ifUnmodifiedSince, bytes), let lastModified, lastModified > limit {
            return .failed
        }
        if head.ifNoneMatch.isPresent {
            return matches(head.ifNoneMatch, "if-none-match", bytes, .weak) ? .notModified : .holds
        }
        if let limit = date(head.ifModifiedSince, bytes), let lastModified, lastModified <= limit {
            return .notModified
        }
        return .holds
    }

    /// RFC 9110 §13.1.5: a range is sent only if the client's part is of the same version.
    func allowsRange(_ head: RequestHead, _ bytes: Span<UInt8>) -> Bool {
        guard head.ifRange.isPresent else { return true }
        if head.ifRange.isRepeated { return false }
        let value = bytes.extracting(head.ifRange.range.range)
        if value.count > 0, value[0] == UInt8(ascii: "\"") {
            return unsafe value.equals(Span<UInt8>(_unsafeBytes: entityTag))
        }
        guard let lastModified, let date = HTTPDate.read(value, now: now) else { return false }
        return date == lastModified
    }

    private func matches(
        _ field: FieldValue, _ name: StaticString, _ bytes: Span<UInt8>, _ comparison: EntityTagList.Comparison
    ) -> Bool {
        unsafe EntityTagList.matches(
            field, named: name, in: bytes, tag: Span<UInt8>(_unsafeBytes: entityTag), comparison)
    }

    /// The date in a field; nil when it is missing or malformed (then the field is ignored, §13.1.3).
    private func date(_ field: FieldValue, _ bytes: Span<UInt8>) -> Int64? {
        guard field.isPresent, !field.isRepeated else { return nil }
        return HTTPDate.read(bytes.extracting(field.range.range), now: now)
    }
}
