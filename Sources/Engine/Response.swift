// What will be answered to one request, decided when its head is understood. A plain value that refers to bytes in the
// catalogue; putting it into bytes is the worker's business.

import Catalogue
import HTTP
import Telemetry

/// A request's own place, for telling its client about it.
struct RequestLocation {
    var host: ByteRange
    var path: ByteRange
    var query: ByteRange
}

/// A page into which the request's own place is put, and that place, whose bytes must still be there.
struct LandingPlace {
    var page: Landing
    var link: RequestLocation
}

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
    /// What was asked for, for the records.
    var document = DocumentKind.none
    /// Whether the host is one of this server's.
    var isOfServedHost = false

    /// The body to send, unless it is one in several parts.
    var body: Body {
        guard let form, !isHeadOnly, status != .notModified else { return .none }
        var range = 0..<form.bodyCount
        if let ranges {
            if ranges.count > 1 { return .none }
            range = ranges[0]
        }
        return form.part(range)
    }
}
