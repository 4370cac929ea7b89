// What will be answered to one request, decided when its head is understood. A plain value that refers to bytes in the
// catalogue; putting it into bytes is the worker's business.

import Catalogue
import HTTP
import Telemetry

/// The decision about one request.
struct Response {
    var status: Status
    /// Where the field lines and the body come from; nil for an answer without either.
    var form: AnswerForm?
    /// The stretches to send when the status is 206.
    var ranges: ByteRanges?
    /// The whole body's length, for a 416.
    var completeCount: Int?
    /// HEAD: everything but the body.
    var isHeadOnly = false
    var closes = false
    /// An HTTP/1.0 client is told that the connection stays open.
    var announcesKeepAlive = false
    var allowsMethods = false
    /// Where a 308 leads: the host, the path and the query of the request itself, whose bytes must still be there.
    var location: RequestLocation?
    /// The page for a link whose app is not installed; its fields are in `form`.
    var landing: LandingPlace?
    /// Whether it has to be given while the request is at hand, because it repeats some of it.
    var repeatsRequest = false
    /// What was asked for, for the records.
    var document = RequestedDocument.none
    /// Whether the host is one of this server's.
    var isOfServedHost = false

    /// The body to send, unless it is one in several parts.
    var body: Body {
        guard let form, !isHeadOnly, status != .notModified else { return .none }
        guard let ranges else { return form.part(0..<form.bodyCount) }
        return ranges.count == 1 ? form.part(ranges[0]) : .none
    }

    /// The body to send in several parts.
    var parts: Multipart? {
        guard let form, let ranges, ranges.count > 1 else { return nil }
        return Multipart(ranges, of: form)
    }
}

/// A body, or what is left of it, that stays where it is until it is sent.
@safe enum Body {
    case none
    /// In the catalogue, or in memory that the caller keeps until it returns.
    case memory(UnsafeRawBufferPointer)
    /// In a file that the catalogue keeps open.
    case file(Int32, Range<Int>)

    var count: Int {
        switch self {
        case .none: 0
        case .memory(let bytes): bytes.count
        case .file(_, let range): range.count
        }
    }

    /// The same without its first bytes.
    func dropping(_ count: Int) -> Body {
        switch self {
        case .none: return .none
        case .memory(let bytes):
            return unsafe bytes.count == count ? .none : .memory(UnsafeRawBufferPointer(rebasing: bytes[count...]))
        case .file(let fd, let range): return range.count == count ? .none : .file(fd, range.dropFirst(count))
        }
    }
}

extension AnswerForm {
    /// A stretch of the body.
    func part(_ range: Range<Int>) -> Body {
        if range.isEmpty { return .none }
        if let file { return .file(file, range) }
        return unsafe .memory(UnsafeRawBufferPointer(rebasing: body[range]))
    }
}
