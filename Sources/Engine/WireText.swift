// The texts of every response that do not come from the catalogue: status lines, the date, `connection`.

import HTTP
import Posix

/// The ready-made lines of one worker.
struct WireText: ~Copyable {
    private let statusLines: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>
    private let date: UnsafeMutableRawBufferPointer
    private(set) var seconds: Int64 = -1
    /// What separates the parts of a body in several parts: 128 random bits, so no page contains it.
    let boundary: [UInt8]
    /// `strict-transport-security`, for answers over TLS; empty when nothing is to be said.
    let strictTransport: [UInt8]
    /// The port of a redirect to TLS, with its colon; empty for the usual one.
    let redirectPort: [UInt8]

    static let dateName: StaticString = "date: "
    static let close: StaticString = "connection: close\r\n"
    static let keepAlive: StaticString = "connection: keep-alive\r\n"
    static let length: StaticString = "content-length: "
    static let range: StaticString = "content-range: bytes "
    static let multipartType: StaticString = "content-type: multipart/byteranges; boundary="
    /// RFC 9110 §15.5.6 wants it in every 405.
    static let allow: StaticString = "allow: GET, HEAD, OPTIONS\r\n"
    static let wrongPort: StaticString = "This port speaks HTTPS: use https:// instead of http://.\n"
    static let plainText: StaticString = "content-type: text/plain; charset=utf-8\r\n"
    /// RFC 8555 §8.3.
    static let bytesType: StaticString = "content-type: application/octet-stream\r\n"
    static let noStore: StaticString = "cache-control: no-store\r\n"
    static let end: StaticString = "\r\n"

    init(_ settings: EngineSettings) {
        let seconds = settings.strictTransportSeconds
        strictTransport = seconds > 0 ? Array("strict-transport-security: max-age=\(seconds)\r\n".utf8) : []
        let port = settings.publicSecurePort ?? 443
        redirectPort = port == 443 ? [] : Array(":\(port)".utf8)
        boundary = Array((0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined().utf8)
        statusLines = .allocate(capacity: 600)
        statusLines.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0))
        for status in Status.allCases {
            let line = StatusLine.bytes(status)
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: line.count, alignment: 8)
            memory.copyBytes(from: line)
            statusLines[Int(status.rawValue)] = UnsafeRawBufferPointer(memory)
        }
        let name = WireText.dateName
        date = .allocate(byteCount: name.utf8CodeUnitCount + HTTPDate.byteCount + 2, alignment: 8)
        date.copyMemory(from: UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        date[date.count - 2] = UInt8(ascii: "\r")
        date[date.count - 1] = UInt8(ascii: "\n")
    }

    deinit {
        for line in statusLines { line.deallocate() }
        statusLines.deallocate()
        date.deallocate()
    }

    func statusLine(_ status: Status) -> UnsafeRawBufferPointer { statusLines[Int(status.rawValue)] }

    var dateLine: UnsafeRawBufferPointer { UnsafeRawBufferPointer(date) }

    /// Writes the date anew when the second has changed.
    mutating func update(seconds: Int64) {
        if seconds == self.seconds { return }
        self.seconds = seconds
        let start = WireText.dateName.utf8CodeUnitCount
        HTTPDate.write(seconds, into: UnsafeMutableRawBufferPointer(rebasing: date[start..<start + HTTPDate.byteCount]))
    }
}
