// The lines of a response's head. The control plane writes the field lines once, when a catalogue is built; the data plane
// copies the status line and the date before them and `connection` after them.

/// The first line of a response.
public enum StatusLine {
    /// `HTTP/1.1 200 OK` and its line end. A server speaks its own highest version, whatever the client's (RFC 9110 §2.5).
    public static func bytes(_ status: Status) -> [UInt8] {
        Array("HTTP/1.1 \(status.rawValue) \(status.reason)\r\n".utf8)
    }

    /// The interim answer to a client that waits before it sends a body (RFC 9110 §15.2.1).
    public static let goOn = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
}

/// The field lines of a response as bytes, without `date`, `connection` and the empty line at the end.
public struct FieldLines: Sendable, Hashable {
    public private(set) var bytes: [UInt8] = []

    public init() {}

    /// The lines that `bytes` of an earlier value had.
    public init(prepared lines: UnsafeRawBufferPointer) { bytes = unsafe Array(lines) }

    /// Adds a field. Its value comes from the program or the operator and was checked before: a line break in it is a bug.
    public mutating func add(_ name: String, _ value: String) {
        var value = value
        value.withUTF8 { value in
            for index in value.indices {
                let byte = unsafe value[index]
                precondition(
                    byte >= 0x20 && byte != 0x7F || byte == Octet.tab, "a field value has no control characters")
            }
            bytes.append(contentsOf: name.utf8)
            bytes.append(UInt8(ascii: ":"))
            bytes.append(Octet.space)
            unsafe bytes.append(contentsOf: value)
            bytes.append(Octet.carriageReturn)
            bytes.append(Octet.lineFeed)
        }
    }
}

/// A status code (RFC 9110 §15).
public enum Status: UInt16, Sendable, CaseIterable {
    case ok = 200
    case created = 201
    case accepted = 202
    case noContent = 204
    case partialContent = 206
    case movedPermanently = 301
    case found = 302
    case seeOther = 303
    case notModified = 304
    case temporaryRedirect = 307
    case permanentRedirect = 308
    case badRequest = 400
    case unauthorized = 401
    case forbidden = 403
    case notFound = 404
    case methodNotAllowed = 405
    case notAcceptable = 406
    case requestTimeout = 408
    case conflict = 409
    case preconditionFailed = 412
    case contentTooLarge = 413
    case uriTooLong = 414
    case unsupportedMediaType = 415
    case rangeNotSatisfiable = 416
    case expectationFailed = 417
    case misdirectedRequest = 421
    case unprocessableContent = 422
    case locked = 423
    case preconditionRequired = 428
    case tooManyRequests = 429
    case requestHeaderFieldsTooLarge = 431
    case internalServerError = 500
    case notImplemented = 501
    case serviceUnavailable = 503
    case versionNotSupported = 505

    public var reason: StaticString {
        switch self {
        case .ok: "OK"
        case .created: "Created"
        case .accepted: "Accepted"
        case .noContent: "No Content"
        case .partialContent: "Partial Content"
        case .movedPermanently: "Moved Permanently"
        case .found: "Found"
        case .seeOther: "See Other"
        case .notModified: "Not Modified"
        case .temporaryRedirect: "Temporary Redirect"
        case .permanentRedirect: "Permanent Redirect"
        case .badRequest: "Bad Request"
        case .unauthorized: "Unauthorized"
        case .forbidden: "Forbidden"
        case .notFound: "Not Found"
        case .methodNotAllowed: "Method Not Allowed"
        case .notAcceptable: "Not Acceptable"
        case .requestTimeout: "Request Timeout"
        case .conflict: "Conflict"
        case .preconditionFailed: "Precondition Failed"
        case .contentTooLarge: "Content Too Large"
        case .uriTooLong: "URI Too Long"
        case .unsupportedMediaType: "Unsupported Media Type"
        case .rangeNotSatisfiable: "Range Not Satisfiable"
        case .expectationFailed: "Expectation Failed"
        case .misdirectedRequest: "Misdirected Request"
        case .unprocessableContent: "Unprocessable Content"
        case .locked: "Locked"
        case .preconditionRequired: "Precondition Required"
        case .tooManyRequests: "Too Many Requests"
        case .requestHeaderFieldsTooLarge: "Request Header Fields Too Large"
        case .internalServerError: "Internal Server Error"
        case .notImplemented: "Not Implemented"
        case .serviceUnavailable: "Service Unavailable"
        case .versionNotSupported: "HTTP Version Not Supported"
        }
    }
}
