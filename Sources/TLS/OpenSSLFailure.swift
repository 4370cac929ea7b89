// What OpenSSL says went wrong. It keeps a queue of errors for each thread; whoever sees a call fail drains the queue at
// once, so that a later call on the same thread does not read an old error as its own.

import COpenSSL

/// The errors of this thread, oldest first, taken out of OpenSSL's queue.
struct OpenSSLFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// In OpenSSL's own words, such as `key values mismatch`.
    let reasons: [String]

    /// Empties the queue of this thread. The corresponding C function is `ERR_get_error_all`.
    static func drain() -> OpenSSLFailure {
        var reasons: [String] = []
        while true {
            var data: UnsafePointer<CChar>?
            var flags: Int32 = 0
            let code = ERR_get_error_all(nil, nil, nil, &data, &flags)
            if code == 0 { break }
            let reason = words(code, flags & ERR_TXT_STRING != 0 ? data : nil)
            // The layers of OpenSSL often repeat what the one below said.
            if reasons.last != reason { reasons.append(reason) }
        }
        return OpenSSLFailure(reasons: reasons)
    }

    /// Forgets what is in the queue, where a failure is an expected outcome. The corresponding C function is
    /// `ERR_clear_error`.
    static func forget() { ERR_clear_error() }

    var description: String {
        reasons.isEmpty ? "no reason given" : reasons.joined(separator: "; ")
    }

    private static func words(_ code: UInt, _ data: UnsafePointer<CChar>?) -> String {
        let reason = ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)"
        guard let data, data.pointee != 0 else { return reason }
        return "\(reason) (\(String(cString: data)))"
    }
}
