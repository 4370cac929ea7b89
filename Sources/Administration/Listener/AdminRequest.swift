// A request to the admin listener, taken out of the bytes it came in: here it may cost a few strings.

import HTTP

/// What was asked.
struct AdminRequest {
    var method: Method
    /// As written, without the query.
    var path: String
    /// Without the port, in lower case; empty when none was named.
    var host: String
    var isAuthorized: Bool

    init(_ head: RequestHead, _ bytes: Span<UInt8>, token: AdminToken?) {
        func text(_ range: ByteRange) -> String {
            bytes.extracting(range.range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        }
        method = head.isAboutServer ? .unknown : head.method
        path = text(head.path)
        host = text(head.host).lowercased()
        isAuthorized =
            if let token {
                head.authorization.isPresent && !head.authorization.isRepeated
                    && token.isShown(in: bytes.extracting(head.authorization.range.range))
            } else {
                true
            }
    }

    init(method: Method, path: String, host: String, isAuthorized: Bool) {
        self.method = method
        self.path = path
        self.host = host
        self.isAuthorized = isAuthorized
    }
}
