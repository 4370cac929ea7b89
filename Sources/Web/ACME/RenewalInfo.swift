// When a certificate authority wants a certificate to be renewed (RFC 9773): early if it will be revoked, and spread over days so
// that not all clients come at once.

import SourceJSON

/// The time window in which a certificate should be renewed.
public struct RenewalInfo: Hashable, Sendable {
    /// Seconds since 1970.
    public let start: Int64
    public let end: Int64
    /// A page that explains an unusual window.
    public let explanation: AuthorityURL?
    /// When to ask again: after a minute to a day (default: six hours).
    public let nextCheckSeconds: Int64

    /// Nil if the authority does not support renewal information.
    /// - Parameter renewalID: the certificate's, from `IssuedChain`.
    public static func request(_ renewalID: String, _ directory: AuthorityDirectory) -> AuthorityRequest? {
        guard let base = directory.renewalInfo?.text else { return nil }
        return AuthorityURL(base.hasSuffix("/") ? base + renewalID : "\(base)/\(renewalID)").map {
            AuthorityRequest(.get, $0)
        }
    }

    public init(reading response: AuthorityResponse) throws(AuthorityProblem) {
        guard response.isSuccess else { throw AuthorityProblem(response) }
        guard let object = response.object, let window = object.member(named: "suggestedWindow"),
            let start = window.date("start"), let end = window.date("end"), start < end
        else { throw .unusable("the suggested window does not have a start and a later end as dates of RFC 3339") }
        (self.start, self.end) = (start, end)
        explanation = object.url("explanationURL")
        nextCheckSeconds = min(max(60, response.retryAfterSeconds ?? 21_600), 86_400)
    }
}
