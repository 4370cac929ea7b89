// The fixed parts of answers as bytes: status lines, field names and texts of errors, prepared once for each worker.

import HTTP

/// The prepared lines of one worker that do not come from the catalogue.
@safe struct WireText: ~Copyable {
    private let statusLines: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>
    private let date: UnsafeMutableRawBufferPointer
    private(set) var seconds: Int64 = -1
    /// `strict-transport-security`, for answers over TLS; empty when it is off.
    let strictTransport: [UInt8]
    /// The port of a redirect to TLS, with its colon; empty for 443.
    let redirectPort: [UInt8]

    static let dateName: StaticString = "date: "
    static let close: StaticString = "connection: close\r\n"
    static let keepAlive: StaticString = "connection: keep-alive\r\n"
    static let length: StaticString = "content-length: "
    static let range: StaticString = "content-range: bytes "
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
        var target = unsafe MutableSpan<UInt8>(
            _unsafeBytes: UnsafeMutableRawBufferPointer(rebasing: date[start..<start + HTTPDate.byteCount]))
        HTTPDate.write(seconds, into: &target)
    }
}
