// Short forms for responses of a certificate authority, and for what they cause.

import Testing

@testable import ACME

extension AuthorityResponse {
    /// With a body in JSON.
    static func json(
        _ status: Int, _ body: String, _ fields: [(name: String, value: String)] = [], retryAfter: Int64? = nil
    ) -> AuthorityResponse {
        AuthorityResponse(status: status, fields: fields, body: Array(body.utf8), retryAfterSeconds: retryAfter)
    }

    /// With a problem document.
    static func problem(
        _ status: Int, _ type: String, _ detail: String = "no", _ fields: [(name: String, value: String)] = [],
        retryAfter: Int64? = nil
    ) -> AuthorityResponse {
        json(
            status, "{\"type\": \"urn:ietf:params:acme:error:\(type)\", \"detail\": \"\(detail)\", \"other\": [{}]}",
            fields,
            retryAfter: retryAfter)
    }
}

/// A URL for a test.
func address(_ text: String) throws -> AuthorityURL { try #require(AuthorityURL(text)) }

/// The problem that a call throws, if any.
func problem<Result>(_ body: () throws(AuthorityProblem) -> Result) -> AuthorityProblem? {
    do throws(AuthorityProblem) {
        _ = try body()
        return nil
    } catch {
        return error
    }
}
