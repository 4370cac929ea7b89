// Formats a line of the access log. Fields from clients are limited, so that the longest line is known.

import HTTP
import Posix

/// Writes lines; caches the text of the current second.
struct LogLine {
    private let format: LogFormat
    private var second = Int64.min
    private var stamp = InlineArray<26, UInt8>(repeating: 0)

    /// The most bytes of each field, escapes included.
    private enum Limit {
        static let method = 64
        static let host = 512
        static let path = 4_096
        static let query = 2_048
        static let userAgent = 1_024
        static let referer = 1_024
        static let traceParent = 64
        static let requestID = 128
    }

    static let bytesMax = 12_288

    init(_ format: LogFormat) { self.format = format }

    mutating func write(_ entry: borrowing AccessEntry, to cursor: inout LineCursor) {
        let seconds = entry.wallMicroseconds / 1_000_000
        if seconds != second { update(seconds) }
        switch format {
        case .json: writeJSON(entry, &cursor)
        case .combined: writeCombined(entry, &cursor)
        }
    }

    private mutating func update(_ seconds: Int64) {
        second = seconds
        let format = format
        var target = stamp.mutableSpan
        switch format {
        case .json: HTTPDate.writeTimestamp(seconds, into: &target)
        case .combined: HTTPDate.writeCommonLog(seconds, into: &target)
        }
    }

    private func putStamp(_ count: Int, _ cursor: inout LineCursor) {
        unsafe withUnsafeBytes(of: stamp) { unsafe cursor.put(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    private func writeJSON(_ entry: borrowing AccessEntry, _ line: inout LineCursor) {
        let remote = entry.remote
        line.put("{\"time\":\"")
        putStamp(HTTPDate.timestampByteCount, &line)
        line.put(".")
        line.put(Int(entry.wallMicroseconds % 1_000_000 / 1_000), digits: 3)
        line.put("Z\",\"remote\":\"")
        unsafe line.put(addressBy: remote.write, bytesMax: RemoteAddress.textBytesMax)
        line.put("\"")
        if remote.port != 0 {
            line.put(",\"port\":")
            line.put(Int(remote.port))
        }
        if let handshake = entry.handshake {
            line.put(",\"handshake\":\"")
            line.put(handshake.name)
            line.put("\"")
            if let secure = entry.secure {
                unsafe put(",\"serverName\":\"", json: secure.serverName, Limit.host, &line)
            }
            return line.put("}\n")
        }
        unsafe put(",\"method\":\"", json: entry.method, Limit.method, &line)
        unsafe put(",\"host\":\"", json: entry.host, Limit.host, &line)
        if unsafe entry.path.baseAddress != nil {
            line.put(",\"path\":\"")
            unsafe line.put(json: entry.path, bytesMax: Limit.path)
            if unsafe entry.query.baseAddress != nil {
                line.put("?")
                unsafe line.put(json: entry.query, bytesMax: Limit.query)
            }
            line.put("\"")
        }
        line.put(",\"status\":")
        line.put(Int(entry.status), digits: 3)
        line.put(",\"bytes\":")
        line.put(entry.bodyBytes)
        line.put(",\"duration\":")
        let duration = Int(max(0, entry.durationMicroseconds))
        line.put(duration / 1_000_000)
        line.put(".")
        line.put(duration % 1_000_000, digits: 6)
        if let secure = entry.secure {
            line.put(secure.isTLS13 ? ",\"tls\":\"TLSv1.3\"" : ",\"tls\":\"TLSv1.2\"")
            line.put(secure.isResumed ? ",\"resumed\":true" : ",\"resumed\":false")
            unsafe put(",\"serverName\":\"", json: secure.serverName, Limit.host, &line)
        }
        unsafe put(",\"userAgent\":\"", json: entry.userAgent, Limit.userAgent, &line)
        unsafe put(",\"requestId\":\"", json: entry.requestID, Limit.requestID, &line)
        unsafe put(",\"traceparent\":\"", json: entry.traceParent, Limit.traceParent, &line)
        if entry.verifier != .none {
            line.put(",\"verifier\":\"")
            line.put(entry.verifier.name)
            line.put("\"")
        }
        line.put("}\n")
    }

    /// A member whose value is text from a client; nothing if it is absent.
    @inline(__always)
    private func put(
        _ name: StaticString, json bytes: UnsafeRawBufferPointer, _ bytesMax: Int, _ line: inout LineCursor
    ) {
        guard unsafe bytes.baseAddress != nil else { return }
        line.put(name)
        unsafe line.put(json: bytes, bytesMax: bytesMax)
        line.put("\"")
    }

    /// `host - - [time] "request" status bytes "referer" "user agent"`.
    private func writeCombined(_ entry: borrowing AccessEntry, _ line: inout LineCursor) {
        unsafe line.put(addressBy: entry.remote.write, bytesMax: RemoteAddress.textBytesMax)
        line.put(" - - [")
        putStamp(HTTPDate.commonLogByteCount, &line)
        line.put("] \"")
        if unsafe entry.method.baseAddress != nil, unsafe entry.path.baseAddress != nil {
            unsafe line.put(combined: entry.method, bytesMax: Limit.method)
            line.put(" ")
            // An absolute target may have no path (RFC 9112 §3.2.2), but two blanks in a row would break the format.
            if unsafe entry.path.isEmpty { line.put("/") }
            unsafe line.put(combined: entry.path, bytesMax: Limit.path)
            if unsafe entry.query.baseAddress != nil {
                line.put("?")
                unsafe line.put(combined: entry.query, bytesMax: Limit.query)
            }
            line.put(entry.minorVersion == 0 ? " HTTP/1.0\" " : " HTTP/1.1\" ")
        } else {
            line.put("-\" ")
        }
        line.put(Int(entry.status), digits: 3)
        line.put(" ")
        line.put(entry.bodyBytes)
        line.put(" \"")
        unsafe put(combined: entry.referer, Limit.referer, &line)
        line.put("\" \"")
        unsafe put(combined: entry.userAgent, Limit.userAgent, &line)
        line.put("\"\n")
    }

    private func put(combined bytes: UnsafeRawBufferPointer, _ bytesMax: Int, _ line: inout LineCursor) {
        if unsafe bytes.isEmpty { line.put("-") } else { unsafe line.put(combined: bytes, bytesMax: bytesMax) }
    }
}
