// A failure at start-up or in a command: one sentence that says what could not be done, to what, why, and what to do.

/// What stops a command. Expected outcomes are values of their own; a fault of a certificate is a `CertificateProblem`.
public struct TLSError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }

    /// With the reasons that OpenSSL has left on this thread.
    static func draining(_ what: String, fix: String? = nil) -> TLSError {
        let advice = fix.map { "; \($0)" } ?? ""
        return TLSError("\(what): \(OpenSSLFailure.drain())\(advice)")
    }
}
