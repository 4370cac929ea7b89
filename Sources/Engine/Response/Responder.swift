// Decides what a request is answered: which document, and which of the answers that HTTP allows about it. A function of
// the head, the catalogue, the time and, for a page that may be redirected, of whether its host has a certificate.

import Catalogue
import HTTP
import Telemetry

/// What a request's connection has to do with the answer.
@safe struct ConnectionFacts {
    /// The name that the client asked for in the handshake; nil in plain HTTP, and when it named none.
    var serverName: UnsafeRawBufferPointer?
    /// Plain HTTP, where pages are to be fetched over TLS.
    var redirectsPages = false
}

enum Responder {
    /// The answer to a well-formed request.
    /// - Parameters:
    ///   - now: in seconds since 1970.
    ///   - expectsCertificate: asked where a page would be redirected to TLS. Without a certificate it is better answered
    ///     in plain HTTP than sent to a handshake that fails.
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
            // Who gets nothing may still have asked for an association file.
            response.document =
                subject.document == .none
                ? RequestedDocument(naming: bytes.extracting(head.path.range)) : subject.document
            return response
        case .options:
            return Response(status: .noContent, allowsMethods: true)
        case .connect, .notServed:
            return Response(status: .methodNotAllowed, allowsMethods: true)
        case .unknown:
            return Response(status: .notImplemented)
        }
    }

    /// What a request turned out to be about.
    private struct Subject {
        var document = RequestedDocument.none
        var isOfServedHost = false
    }

    private static func find(
        _ head: RequestHead, _ bytes: Span<UInt8>, _ view: CatalogueView, _ channel: ConnectionFacts, _ now: Int64,
        _ subject: inout Subject, _ expectsCertificate: (Span<UInt8>) -> Bool
    ) -> Response {
        let host = bytes.extracting(head.host.range)
        if view.isUnread(host: host) { return Response(status: .serviceUnavailable) }
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
        // RFC 9110 §13.2.1: conditions are about a 200, and a redirect stays one whatever the client has.
        if answer.status != .ok { return Response(status: answer.status, form: form) }
        let conditions = unsafe Conditions(
            entityTag: form.entityTag, lastModified: answer.lastModified, now: now)
        switch conditions.verdict(head, bytes) {
        case .failed: return Response(status: .preconditionFailed)
        case .notModified: return Response(status: .notModified, form: form)
        case .holds: return partial(head, bytes, answer, form, conditions)
        }
    }

    /// A host's page for paths that it does not have. It is sent whole and as a 404, whatever the request's conditions.
    private static func notFound(_ page: Answer?, _ head: RequestHead, _ bytes: Span<UInt8>) -> Response {
        guard let page else { return Response(status: .notFound) }
        let coding = page.hasGzip ? AcceptEncoding.choose(head.acceptEncoding, in: bytes) : nil
        return Response(status: .notFound, form: page.form(coding ?? .identity))
    }

    /// The page for a link that an app on this host would open. A path that cannot be decoded names nothing, as elsewhere.
    /// A link that makes the page longer than there is room for is too long for any client.
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

    /// RFC 9110 §15.5.20: the client made its connection for another host. That is fine as long as one site serves both, as
    /// under a wildcard; otherwise a certificate shown for one tenant would vouch for another.
    private static func isMisdirected(
        _ host: Span<UInt8>, _ name: UnsafeRawBufferPointer, _ site: CatalogueView.Site, _ view: CatalogueView
    ) -> Bool {
        let end = unsafe name.last == UInt8(ascii: ".") ? name.count - 1 : name.count
        let name = unsafe Span<UInt8>(_unsafeBytes: UnsafeRawBufferPointer(rebasing: name[..<end]))
        return !host.equalsIgnoringCase(name) && view.site(host: name) != site
    }

    /// Whatever is not a verifier's business: not below `/.well-known/`, and no association file elsewhere, nor the place at
    /// the root where one is looked for.
    private static func isPage(_ answer: Answer?, _ path: Span<UInt8>) -> Bool {
        if let answer, answer.kind != .page { return false }
        if path.equals(CatalogueView.appleRoot) { return false }
        let prefix: StaticString = "/.well-known/"
        return path.count < prefix.utf8CodeUnitCount
            || !path.extracting(0..<prefix.utf8CodeUnitCount).equals(prefix)
    }

    /// A part of the body, where a page is asked for one. Association files are always sent whole: their readers ask for
    /// nothing else, and half of one is worse than none.
    private static func partial(
        _ head: RequestHead, _ bytes: Span<UInt8>, _ answer: Answer, _ form: AnswerForm, _ conditions: Conditions
    ) -> Response {
        let whole = Response(status: answer.status, form: form)
        guard head.range.isPresent, !head.range.isRepeated, head.method == .get, answer.kind == .page,
            conditions.allowsRange(head, bytes)
        else { return whole }
        switch ByteRanges.read(bytes.extracting(head.range.range.range), bodyCount: form.bodyCount) {
        case .ignored:
            return whole
        case .unsatisfiable:
            return Response(status: .rangeNotSatisfiable, completeCount: form.bodyCount)
        case .satisfiable(let ranges):
            return Response(status: .partialContent, form: form, ranges: ranges)
        }
    }

    /// Lends the path with its percent-encodings decoded, once (RFC 3986 §2.4). Nothing is resolved: a path with dot
    /// segments or doubled slashes is the name of nothing that is served.
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
