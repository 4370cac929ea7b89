// What went wrong at a certificate authority: a problem document (RFC 9457, RFC 8555 §6.7), a failed response without one, a
// response that cannot be used, or no response. What to do next depends on the request, so `OrderSteps` decides it.

import SourceJSON

/// Why a request to a certificate authority failed, or a host was not validated.
public struct AuthorityProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The types of RFC 8555 §6.7, RFC 9773 §7.4 and of certificate profiles.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case accountDoesNotExist, alreadyReplaced, alreadyRevoked, badCSR, badNonce, badPublicKey, badRevocationReason
        case badSignatureAlgorithm, caa, compound, connection, dns, externalAccountRequired, incorrectResponse
        case invalidContact, invalidProfile, malformed, orderNotReady, rateLimited, rejectedIdentifier, serverInternal
        case tls, unauthorized, unsupportedContact, unsupportedIdentifier, userActionRequired
        /// An unknown type, or none.
        case unknown
        /// The request failed without a response.
        case noAnswer
        /// The response cannot be used.
        case unusable
        /// The account cannot be registered.
        case accountRefused
    }

    public var kind: Kind
    /// The authority's text; this program's own if there is none.
    public var detail: String
    /// The HTTP status of the response, if any.
    public var status: Int?
    /// The host concerned.
    public var host: String?
    public var retryAfterSeconds: Int64?
    /// A page with more information.
    public var instance: AuthorityURL?
    /// The terms that the operator has to agree to.
    public var termsOfService: AuthorityURL?
    /// Problems of single hosts.
    public var subproblems: [AuthorityProblem] = []

    init(_ kind: Kind, _ detail: String) { (self.kind, self.detail) = (kind, detail) }

    /// Reads a response with a status other than 2xx.
    init(_ response: AuthorityResponse) {
        if let object = response.object, object.member(named: "type") != nil || object.member(named: "detail") != nil {
            self.init(object)
        } else {
            let kind: Kind =
                switch response.status {
                case 429: .rateLimited
                case 500...: .serverInternal
                default: .unknown
                }
            self.init(kind, "the authority answers \(response.status) without a reason")
        }
        status = response.status
        retryAfterSeconds = response.retryAfterSeconds
        termsOfService = response.links("terms-of-service").first
    }

    /// Reads a problem document, such as the `error` of a challenge.
    init(_ object: SourceValue, isSubproblem: Bool = false) {
        let type = object.member(named: "type")?.asString ?? ""
        let prefix = "urn:ietf:params:acme:error:"
        let name = type.hasPrefix(prefix) ? String(type.dropFirst(prefix.count)) : ""
        let kind = AuthorityProblem.standard.contains(name) ? Kind(rawValue: name) : nil
        let detail = object.member(named: "detail")?.asString ?? object.member(named: "title")?.asString ?? type
        self.init(kind ?? .unknown, String(detail.prefix(AuthorityLimits.detailCharactersMax)))
        host = object.member(named: "identifier")?.member(named: "value")?.asString.flatMap {
            $0.utf8.count <= 255 ? $0 : nil
        }
        instance = object.url("instance")
        guard !isSubproblem else { return }
        subproblems = (object.member(named: "subproblems")?.asArray ?? []).prefix(AuthorityLimits.subproblemsMax)
            .filter { $0.asObject != nil }.map { AuthorityProblem($0, isSubproblem: true) }
    }

    /// The kinds that appear in problem documents.
    private static let standard = Set(
        Kind.allCases.filter { ![.unknown, .noAnswer, .unusable, .accountRefused].contains($0) }.map(\.rawValue))

    /// The request failed, for this reason.
    public static func noAnswer(_ reason: String) -> AuthorityProblem { AuthorityProblem(.noAnswer, reason) }

    static func unusable(_ reason: String) -> AuthorityProblem { AuthorityProblem(.unusable, reason) }

    /// Whether the same request may succeed later.
    public var isTransient: Bool {
        switch kind {
        case .serverInternal, .badNonce, .noAnswer: true
        default: status.map { $0 >= 500 || $0 == 408 } ?? false
        }
    }

    /// The page where the operator can unpause hosts. Let's Encrypt pauses hosts that failed validation for a long time, and puts
    /// the page's URL into the detail of a `rateLimited` problem.
    public var unpausePage: AuthorityURL? {
        guard kind == .rateLimited || kind == .unauthorized else { return nil }
        return detail.split(separator: " ").first { $0.hasPrefix("https://") && $0.contains("unpause") }
            .flatMap { AuthorityURL(String($0)) }
    }

    public var description: String {
        let own = host.map { "\($0): \(detail)" } ?? detail
        return ([own] + subproblems.map(\.description)).joined(separator: "; ")
    }
}
