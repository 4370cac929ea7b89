// The heads of answers: prepared lines, with what depends on the request put in.

import Catalogue
import HTTP

extension Worker {
    /// Writes everything of an answer but its body. `length` is the body's when it is not one of the catalogue's.
    mutating func append(
        _ response: Response, isSecure: Bool = false, length: Int? = nil,
        request: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) {
        note(response, bodyBytes: response.isHeadOnly ? 0 : length ?? response.body.count)
        output.append(wire.statusLine(response.status))
        output.append(wire.dateLine)
        appendFields(response, length)
        if let location = response.location { appendLocation(location, request) }
        if isSecure { wire.strictTransport.withUnsafeBytes { output.append($0) } }
        if response.allowsMethods { output.append(WireText.allow) }
        if response.closes { output.append(WireText.close) }
        if response.announcesKeepAlive { output.append(WireText.keepAlive) }
        output.append(WireText.end)
    }

    /// Writes an answer that consists of a line for people.
    mutating func append(_ response: Response, text: StaticString) {
        note(response, bodyBytes: text.utf8CodeUnitCount)
        output.append(wire.statusLine(response.status))
        output.append(wire.dateLine)
        output.append(WireText.plainText)
        appendLength(text.utf8CodeUnitCount)
        if response.closes { output.append(WireText.close) }
        output.append(WireText.end)
        output.append(text)
    }

    /// Writes the answer to a challenge, or that there is none. It counts for this one question only.
    mutating func append(_ response: Response, challenge body: [UInt8]?, isSecure: Bool) {
        let count = body?.count ?? 0
        note(response, bodyBytes: response.isHeadOnly ? 0 : count)
        output.append(wire.statusLine(response.status))
        output.append(wire.dateLine)
        if body != nil { output.append(WireText.bytesType) }
        output.append(WireText.noStore)
        appendLength(count)
        if isSecure { wire.strictTransport.withUnsafeBytes { output.append($0) } }
        if response.closes { output.append(WireText.close) }
        if response.announcesKeepAlive { output.append(WireText.keepAlive) }
        output.append(WireText.end)
        if !response.isHeadOnly { body?.withUnsafeBytes { output.append($0) } }
    }

    private mutating func appendFields(_ response: Response, _ length: Int?) {
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
            output.append(form.sharedFields)
            return
        }
        guard let ranges = response.ranges else {
            output.append(form.fields)
            appendLength(length ?? form.bodyCount)
            return
        }
        if ranges.count == 1 {
            output.append(form.fields)
            output.append(WireText.range)
            output.append(ranges[0].lowerBound)
            output.append("-")
            output.append(ranges[0].upperBound - 1)
            output.append("/")
            output.append(form.bodyCount)
            output.append(WireText.end)
            appendLength(ranges[0].count)
        } else {
            output.append(form.sharedFields)
            output.append(WireText.multipartType)
            wire.boundary.withUnsafeBytes { output.append($0) }
            output.append(WireText.end)
            output.append(form.otherFields)
            appendLength(length ?? 0)
        }
    }

    /// The request's own place over TLS. Host and target were checked byte by byte when they were read, so nothing of them
    /// can end the line.
    private mutating func appendLocation(_ location: RequestLocation, _ request: UnsafeRawBufferPointer) {
        output.append("location: https://")
        output.append(UnsafeRawBufferPointer(rebasing: request[location.host.range]))
        wire.redirectPort.withUnsafeBytes { output.append($0) }
        if location.path.count == 0 { output.append("/") }
        output.append(UnsafeRawBufferPointer(rebasing: request[location.path.range]))
        if location.query.isPresent {
            output.append("?")
            output.append(UnsafeRawBufferPointer(rebasing: request[location.query.range]))
        }
        output.append(WireText.end)
    }

    private mutating func appendLength(_ count: Int) {
        output.append(WireText.length)
        output.append(count)
        output.append(WireText.end)
    }
}
