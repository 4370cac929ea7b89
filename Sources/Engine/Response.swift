// What will be answered to one request, decided when its head is understood. A plain value that refers to bytes in the
// catalogue; putting it into bytes is the worker's business.

import Catalogue
import HTTP

/// The decision about one request.
struct Response {
    var status: Status
    /// Where the field lines and the body come from; nil for an answer without either.
    var form: AnswerForm?
    /// HEAD: everything but the body.
    var isHeadOnly = false
    var closes = false
    /// An HTTP/1.0 client is told that the connection stays open.
    var announcesKeepAlive = false
    var allowsMethods = false

    /// The field lines to send.
    var fields: UnsafeRawBufferPointer? {
        guard let form else { return nil }
        return status == .notModified ? form.sharedFields : form.fields
    }

    var body: UnsafeRawBufferPointer {
        guard let form, !isHeadOnly, status == .ok else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return form.body
    }
}
