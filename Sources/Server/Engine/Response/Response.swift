// The answer to one request, decided when its head has been parsed. A plain value that refers to bytes in the catalogue;
// `ResponseWriter` writes its bytes.

import Catalogue
import HTTP
import Telemetry

/// The decision about one request.
struct Response {
    var status: Status
    /// The field lines and the body; nil for an answer without either.
    var form: AnswerForm?
    /// The part of the body to send when the status is 206.
    var range: Range<Int>?
    /// The whole body's length, for a 416.
    var completeCount: Int?
    /// Whether the body is left out (HEAD).
    var isHeadOnly = false
    var closes = false
    /// Whether an HTTP/1.0 client must be told that the connection stays open.
    var announcesKeepAlive = false
    /// Whether to send `allow`.
    var allowsMethods = false
    /// The target of a 308: the requested URL, whose bytes must still be in the input.
    var location: RequestLocation?
    /// A landing page; its fields are in `form`.
    var landing: LandingPlace?
    /// Whether it contains parts of the request, so that it must be written before the input is overwritten.
    var repeatsRequest = false
    var document = RequestedDocument.none
    /// Whether the host is served here.
    var isOfServedHost = false

    /// The body to send.
    var body: Body {
        guard let form, !isHeadOnly, status != .notModified else { return .none }
        return form.part(range ?? 0..<form.bodyCount)
    }
}

/// A body, or the rest of it, which is not copied.
@safe enum Body {
    case none
    /// In the catalogue, or in memory of the caller that outlives the call.
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

    /// The rest after the first `count` bytes.
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
    /// A range of the body.
    func part(_ range: Range<Int>) -> Body {
        if range.isEmpty { return .none }
        if let file { return .file(file, range) }
        return unsafe .memory(UnsafeRawBufferPointer(rebasing: body[range]))
    }
}
