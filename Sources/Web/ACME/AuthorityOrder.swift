// Orders, authorizations and challenges in responses of a certificate authority (RFC 8555 §7.1.3 to §7.1.5), and the answers to
// challenges. Unknown members and challenge types are ignored; an unknown status is `unknown`.

import SourceJSON
import TLS

/// The members of an order that `OrderSteps` needs.
struct AuthorityOrder: Hashable, Sendable {
    enum Status: String, Hashable, Sendable {
        case pending, ready, processing, valid, invalid, unknown
    }

    let status: Status
    let authorizations: [AuthorityURL]
    let finalize: AuthorityURL
    let certificate: AuthorityURL?
    let profile: String?
    /// The `renewalID` of the certificate that is replaced (RFC 9773 §5).
    let replaces: String?
    let problem: AuthorityProblem?

    /// - Parameter hosts: the ordered hosts.
    init(reading response: AuthorityResponse, hosts: [String]) throws(AuthorityProblem) {
        guard let object = response.object else { throw .unusable("the order is not a JSON object") }
        let names = object.member(named: "identifiers")?.asArray?.compactMap {
            $0.member(named: "value")?.asString?.lowercased()
        }
        guard Set(names ?? []) == Set(hosts) else { throw .unusable("the order is for other hosts") }
        guard let finalize = object.url("finalize") else {
            throw .unusable("the order does not have an https URL in finalize")
        }
        let authorizations = object.strings("authorizations")
        self.authorizations = authorizations.prefix(CertificateRequest.hostsMax).compactMap(AuthorityURL.init)
        guard self.authorizations.count == authorizations.count else {
            throw .unusable("the order has too many authorizations, or one without an https URL")
        }
        status = object.member(named: "status")?.asString.flatMap(Status.init) ?? .unknown
        self.finalize = finalize
        certificate = object.url("certificate")
        profile = object.member(named: "profile")?.asString
        replaces = object.member(named: "replaces")?.asString
        let problem = object.member(named: "error")
        self.problem = problem?.asObject == nil ? nil : problem.map { AuthorityProblem($0) }
    }
}

struct HostAuthorization: Hashable, Sendable {
    enum Status: String, Hashable, Sendable {
        case pending, valid, invalid, deactivated, expired, revoked, unknown
    }

    /// A challenge of a known type.
    struct Challenge: Hashable, Sendable {
        let kind: ChallengeKind
        let url: AuthorityURL
        let token: String
        /// Whether the authority is waiting to be told that the answer is in place.
        let isPending: Bool
        let problem: AuthorityProblem?
    }

    /// As it was ordered, so a wildcard begins with `*.`.
    let host: String
    let status: Status
    let challenges: [Challenge]
    /// The types of all challenges, known or not.
    let offered: [String]

    init(reading response: AuthorityResponse, hosts: [String]) throws(AuthorityProblem) {
        guard let object = response.object,
            let name = object.member(named: "identifier")?.member(named: "value")?.asString?.lowercased()
        else { throw .unusable("an authorization does not name a host") }
        let isWildcard = object.member(named: "wildcard")?.asBool ?? false
        host = isWildcard ? "*.\(name)" : name
        // Only control of the ordered hosts may be proved.
        guard hosts.contains(host) else { throw .unusable("an authorization is for another host") }
        status = object.member(named: "status")?.asString.flatMap(Status.init) ?? .unknown
        let challenges = (object.member(named: "challenges")?.asArray ?? []).prefix(32)
        offered = challenges.compactMap { $0.member(named: "type")?.asString }.map { String($0.prefix(40)) }
        self.challenges = challenges.compactMap(Challenge.init)
    }

    /// Why the host was not validated.
    var problem: AuthorityProblem {
        let reason = challenges.compactMap(\.problem).first
        var problem = reason ?? AuthorityProblem(.unknown, "the authorization is \(status.rawValue)")
        if problem.host == nil { problem.host = host }
        return problem
    }
}

extension HostAuthorization.Challenge {
    fileprivate init?(_ object: SourceValue) {
        guard let kind = object.member(named: "type")?.asString.flatMap(ChallengeKind.init),
            let url = object.url("url"), let token = object.member(named: "token")?.asString,
            AuthorityLimits.isToken(token, bytes: 16...128)
        else { return nil }
        (self.kind, self.url, self.token) = (kind, url, token)
        isPending = object.member(named: "status")?.asString == "pending"
        let problem = object.member(named: "error")
        self.problem = problem?.asObject == nil ? nil : problem.map { AuthorityProblem($0) }
    }
}

/// How to prove control of a host.
public enum ChallengeKind: String, Hashable, Sendable, CaseIterable {
    /// A file below `/.well-known/acme-challenge/`, over plain HTTP (RFC 8555 §8.3).
    case http = "http-01"
    /// A TXT record (RFC 8555 §8.4). Wildcards allow only this type.
    case dns = "dns-01"
}

/// The answer to a challenge of an order: what the authority expects to find for a host.
public struct OrderAnswer: Hashable, Sendable {
    public let kind: ChallengeKind
    public let host: String
    public let token: String
    /// The content of the file.
    public let keyAuthorization: String

    public var recordName: String { OrderAnswer.recordName(of: host) }

    /// The name of the TXT record for a host.
    public static func recordName(of host: String) -> String {
        "_acme-challenge.\(host.hasPrefix("*.") ? String(host.dropFirst(2)) : host)"
    }

    /// The content of the TXT record.
    public var recordValue: String { Base64URL.text(Digest.sha256(Array(keyAuthorization.utf8))) }
}
