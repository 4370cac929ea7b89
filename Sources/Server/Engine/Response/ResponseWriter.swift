// Writes answers as bytes: prepared lines, and those that depend on the request. A small body is copied after its head, so that
// an answer is one write; a larger one is sent without a copy.

import Catalogue
import HTTP

/// Assembles the answers of one turn of the connection that is being served.
struct ResponseWriter: ~Copyable {
    private(set) var output: Output
    private var wire: WireText

    /// The answers of a connection are sent when they have this many bytes, so that no more have to be kept for a client that
    /// does not read.
    static let batchBytesMax = 12_288
    /// Bodies up to this size are copied after their heads: a copy costs less than the second buffer of a gathered write.
    static let copiedBodyBytesMax = 16_384
    /// The most bytes of one response's lines, without the body and without a redirect's copy of the request line.
    private static let headBytesMax = 4_096

    init(_ settings: EngineSettings) {
        wire = WireText(settings)
        let answerBytesMax =
            ResponseWriter.copiedBodyBytesMax + ResponseWriter.headBytesMax + settings.limits.head.requestLineBytesMax
        output = Output(byteCount: ResponseWriter.batchBytesMax + answerBytesMax)
    }

    /// Sets the date of all answers, in seconds since 1970.
    mutating func setDate(_ seconds: Int64) { wire.update(seconds: seconds) }

    mutating func clear() { output.clear() }

    /// Writes an answer. Returns the body if it was not copied; the caller sends it after the output.
    /// - Parameters:
    ///   - request: the bytes that a redirect or a landing page repeats.
    ///   - isBodyKept: whether the body stays valid at least until the output is sent.
    @discardableResult
    mutating func write(
        _ response: Response, isSecure: Bool = false, request: Span<UInt8> = Span(), isBodyKept: Bool = true
    ) -> Body {
        beginHead(response.status)
        appendFields(response)
        if let location = response.location { appendLocation(location, request) }
        endHead(response, isSecure)
        if let landing = response.landing, !response.isHeadOnly {
            unsafe landing.forEachPiece(request) { unsafe output.append($0) }
            return .none
        }
        guard case .memory(let bytes) = response.body, bytes.count <= ResponseWriter.copiedBodyBytesMax else {
            return response.body
        }
        if isBodyKept { unsafe output.append(body: bytes) } else { unsafe output.append(bytes) }
        return .none
    }

    /// Writes an answer with a body that is not in the catalogue, and its field lines.
    mutating func write(_ response: Response, fields: StaticString, body: UnsafeRawBufferPointer, isSecure: Bool) {
        beginHead(response.status)
        output.append(fields)
        appendLength(body.count)
        endHead(response, isSecure)
        if !response.isHeadOnly { unsafe output.append(body) }
    }

    /// The length of an answer's body, for the access log.
    func bodyBytes(of response: Response) -> Int {
        if response.isHeadOnly { return 0 }
        return response.landing?.byteCount ?? response.body.count
    }

    private mutating func beginHead(_ status: Status) {
        unsafe output.append(wire.statusLine(status))
        unsafe output.append(wire.dateLine)
    }

    private mutating func endHead(_ response: Response, _ isSecure: Bool) {
        if isSecure { unsafe wire.strictTransport.withUnsafeBytes { unsafe output.append($0) } }
        if response.allowsMethods { output.append(WireText.allow) }
        if response.closes { output.append(WireText.close) }
        if response.announcesKeepAlive { output.append(WireText.keepAlive) }
        output.append(WireText.end)
    }

    private mutating func appendFields(_ response: Response) {
        guard let form = response.form else {
            if let count = response.completeCount {
                output.append(WireText.range)
                output.append("*/")
                output.append(count)
                output.append(WireText.end)
            }
            // RFC 9110 §8.6: a 204 has no length.
            if response.status != .noContent { appendLength(0) }
            return
        }
        if response.status == .notModified {
            unsafe output.append(form.sharedFields)
        } else if let range = response.range {
            unsafe output.append(form.fields)
            output.append(range, of: form.bodyCount)
            output.append(WireText.end)
            appendLength(range.count)
        } else {
            unsafe output.append(form.fields)
            appendLength(response.landing?.byteCount ?? form.bodyCount)
        }
    }

    /// The requested URL with `https`. Host and target were checked byte by byte when they were parsed, so they cannot contain a
    /// line end.
    private mutating func appendLocation(_ location: RequestLocation, _ request: Span<UInt8>) {
        output.append("location: https://")
        unsafe request.extracting(location.host.range).withUnsafeBytes { unsafe output.append($0) }
        unsafe wire.redirectPort.withUnsafeBytes { unsafe output.append($0) }
        if location.path.count == 0 { output.append("/") }
        unsafe request.extracting(location.path.range).withUnsafeBytes { unsafe output.append($0) }
        if location.query.isPresent {
            output.append("?")
            unsafe request.extracting(location.query.range).withUnsafeBytes { unsafe output.append($0) }
        }
        output.append(WireText.end)
    }

    private mutating func appendLength(_ count: Int) {
        output.append(WireText.length)
        output.append(count)
        output.append(WireText.end)
    }
}
