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
        return response.landing?.byteCount ?? unsentBytes(of: response.parts) ?? response.body.count
    }

    /// Writes the lines before the next part of a body in several parts, and returns the part: an empty one after the final line,
    /// nil after that.
    mutating func writeNext(of parts: inout Multipart) -> Body? {
        parts.writeNext(into: &output, boundary: wire.boundary)
    }

    func unsentBytes(of parts: Multipart?) -> Int? { parts?.byteCount(boundaryCount: wire.boundary.count) }

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
        } else if let parts = response.parts {
            unsafe output.append(form.sharedFields)
            output.append(WireText.multipartType)
            unsafe wire.boundary.withUnsafeBytes { unsafe output.append($0) }
            output.append(WireText.end)
            unsafe output.append(form.otherFields)
            appendLength(unsentBytes(of: parts) ?? 0)
        } else if let range = response.ranges?[0] {
            unsafe output.append(form.fields)
            output.append(WireText.range)
            output.append(range.lowerBound)
            output.append("-")
            output.append(range.upperBound - 1)
            output.append("/")
            output.append(form.bodyCount)
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

/// The prepared lines of one worker that do not come from the catalogue.
@safe struct WireText: ~Copyable {
    private let statusLines: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>
    private let date: UnsafeMutableRawBufferPointer
    private(set) var seconds: Int64 = -1
    /// The boundary of a body in several parts: 128 random bits, so that no page contains it.
    let boundary: [UInt8]
    /// `strict-transport-security`, for answers over TLS; empty when it is off.
    let strictTransport: [UInt8]
    /// The port of a redirect to TLS, with its colon; empty for 443.
    let redirectPort: [UInt8]

    static let dateName: StaticString = "date: "
    static let close: StaticString = "connection: close\r\n"
    static let keepAlive: StaticString = "connection: keep-alive\r\n"
    static let length: StaticString = "content-length: "
    static let range: StaticString = "content-range: bytes "
    static let multipartType: StaticString = "content-type: multipart/byteranges; boundary="
    /// RFC 9110 §15.5.6 requires it in every 405.
    static let allow: StaticString = "allow: GET, HEAD, OPTIONS\r\n"
    static let wrongPort: StaticString = "This port speaks HTTPS: use https:// instead of http://.\n"
    static let plainText: StaticString = "content-type: text/plain; charset=utf-8\r\n"
    /// The fields of a challenge's answer (RFC 8555 §8.3), and of a missing one: caches must not store either.
    static let unstoredBytes: StaticString = "content-type: application/octet-stream\r\ncache-control: no-store\r\n"
    static let unstored: StaticString = "cache-control: no-store\r\n"
    static let end: StaticString = "\r\n"

    init(_ settings: EngineSettings) {
        let seconds = settings.strictTransportSeconds
        strictTransport = seconds > 0 ? Array("strict-transport-security: max-age=\(seconds)\r\n".utf8) : []
        let port = settings.publicSecurePort ?? 443
        redirectPort = port == 443 ? [] : Array(":\(port)".utf8)
        boundary = Array((0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined().utf8)
        unsafe statusLines = .allocate(capacity: 600)
        unsafe statusLines.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0))
        for status in Status.allCases {
            let line = StatusLine.bytes(status)
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: line.count, alignment: 8)
            unsafe memory.copyBytes(from: line)
            unsafe statusLines[Int(status.rawValue)] = UnsafeRawBufferPointer(memory)
        }
        let name = WireText.dateName
        unsafe date = .allocate(byteCount: name.utf8CodeUnitCount + HTTPDate.byteCount + 2, alignment: 8)
        unsafe date.copyMemory(from: UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        unsafe date[date.count - 2] = UInt8(ascii: "\r")
        unsafe date[date.count - 1] = UInt8(ascii: "\n")
    }

    deinit {
        for index in unsafe statusLines.indices { unsafe statusLines[index].deallocate() }
        unsafe statusLines.deallocate()
        unsafe date.deallocate()
    }

    func statusLine(_ status: Status) -> UnsafeRawBufferPointer { unsafe statusLines[Int(status.rawValue)] }

    var dateLine: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(date) }

    /// Updates the date when the second has changed.
    mutating func update(seconds: Int64) {
        if seconds == self.seconds { return }
        self.seconds = seconds
        let start = WireText.dateName.utf8CodeUnitCount
        unsafe HTTPDate.write(
            seconds, into: UnsafeMutableRawBufferPointer(rebasing: date[start..<start + HTTPDate.byteCount]))
    }
}
