// Evaluates the conditions of a request (RFC 9110 §13).

import HTTP

/// The properties of an answer that conditions refer to.
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
