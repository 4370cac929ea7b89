// An answer of the admin listener: small, complete, and never to be kept by anybody on the way.

import HTTP
import Posix

/// A status with its text.
struct AdminResponse {
    var status: Status
    var contentType: String
    var body: [UInt8]
    /// Further fields, as whole lines.
    var fields = FieldLines()

    static let plainText = "text/plain; charset=utf-8"
    static let json = "application/json"
    /// Version 0.0.4 of the text format is what every version of Prometheus understands.
    static let metrics = "text/plain; version=0.0.4; charset=utf-8"

    init(_ status: Status, _ contentType: String, _ body: [UInt8]) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    /// Lines for people.
    init(_ status: Status, lines: [String]) {
        self.init(status, AdminResponse.plainText, Array(lines.map { "\($0)\n" }.joined().utf8))
    }

    /// All of it as it is sent.
    func bytes(wantsBody: Bool, closes: Bool) -> [UInt8] {
        var lines = fields
        lines.add("date", HTTPDate.text(Clock.wallSeconds()))
        lines.add("content-type", contentType)
        lines.add("content-length", "\(body.count)")
        lines.add("cache-control", "no-store")
        lines.add("x-content-type-options", "nosniff")
        if closes { lines.add("connection", "close") }
        return StatusLine.bytes(status) + lines.bytes + [0x0D, 0x0A] + (wantsBody ? body : [])
    }
}
