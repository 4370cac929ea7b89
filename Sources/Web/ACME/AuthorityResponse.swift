// Requests to a certificate authority and its responses, as values. This module makes requests and reads responses; its caller
// sends them. A response keeps only the fields that ACME uses, each within a limit.

import SourceJSON
import TLS

/// One request to a certificate authority.
public struct AuthorityRequest: Hashable, Sendable {
    public enum Method: String, Hashable, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
    }

    public var method: Method
    public var url: AuthorityURL
    public var accept: String?
    /// A signed message.
    public var body: [UInt8]?

    /// The media type of the body (RFC 8555 §6.2).
    public static let contentType = "application/jose+json"

    init(_ method: Method, _ url: AuthorityURL, accept: String? = nil, body: [UInt8]? = nil) {
        (self.method, self.url, self.accept, self.body) = (method, url, accept, body)
    }
}

/// A certificate authority's response.
public struct AuthorityResponse: Hashable, Sendable {
    public let status: Int
    /// Empty if it is too long or truncated, because the beginning of a certificate chain is also a valid chain.
    let body: [UInt8]
    let isTruncated: Bool
    let nonce: String?
    let location: AuthorityURL?
    let retryAfterSeconds: Int64?
    private let links: [Link]

    private struct Link: Hashable {
        var relation: String
        var target: AuthorityURL
    }

    /// - Parameters:
    ///   - fields: the header fields, in any case.
    ///   - isTruncated: whether the body is incomplete.
    ///   - retryAfterSeconds: the value of `Retry-After`, which may be a number or a date.
    public init(
        status: Int, fields: [(name: String, value: String)], body: [UInt8], isTruncated: Bool = false,
        retryAfterSeconds: Int64? = nil
    ) {
        self.status = status
        self.isTruncated = isTruncated || body.count > AuthorityLimits.bodyBytesMax
        self.body = self.isTruncated ? [] : body
        func first(_ name: String) -> String? { fields.first { $0.name.lowercased() == name }?.value }
        nonce = first("replay-nonce").flatMap { AuthorityLimits.isToken($0, bytes: 1...256) ? $0 : nil }
        location = first("location").flatMap(AuthorityURL.init)
        self.retryAfterSeconds = retryAfterSeconds.map { min(max(0, $0), AuthorityLimits.waitSecondsMax) }
        links = Array(
            fields.lazy.filter { $0.name.lowercased() == "link" }.flatMap { AuthorityResponse.links(in: $0.value) }
                .prefix(AuthorityLimits.linksMax))
    }

    var isSuccess: Bool { (200..<300).contains(status) }

    /// The body as a JSON object; nil for any other body.
    var object: SourceValue? {
        let document = SourceReader.read(body, as: .json, limits: AuthorityLimits.json)
        guard document.isAcceptable, document.value?.asObject != nil else { return nil }
        return document.value
    }

    /// The targets of the links with this relation (RFC 8288).
    func links(_ relation: String) -> [AuthorityURL] { links.filter { $0.relation == relation }.map(\.target) }

    private static func links(in value: String) -> [Link] {
        guard value.utf8.count <= AuthorityLimits.linkBytesMax else { return [] }
        var (links, rest) = ([Link](), Array(value.utf8)[...])
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            guard let end = rest[start...].firstIndex(of: UInt8(ascii: ">")) else { break }
            let target = AuthorityURL(String(decoding: rest[(start + 1)..<end], as: UTF8.self))
            // Parameters extend to the next target: a comma inside a quoted string does not end them.
            let next = rest[end...].firstIndex(of: UInt8(ascii: "<")) ?? rest.endIndex
            let parameters = String(decoding: rest[(end + 1)..<next], as: UTF8.self)
            for parameter in parameters.split(whereSeparator: { $0 == ";" || $0 == "," }) {
                let parts = parameter.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, parts[0].filter({ $0 != " " }).lowercased() == "rel", let target else {
                    continue
                }
                let relations = parts[1].lowercased().split { $0 == "\"" || $0 == " " }
                links += relations.map { Link(relation: String($0), target: target) }
            }
            rest = rest[next...]
        }
        return links
    }
}

/// Limits on what a certificate authority may send.
public enum AuthorityLimits {
    /// A directory has 1 KB, an order with 100 hosts 30 KB, a chain 10 KB.
    public static let bodyBytesMax = 256 * 1024
    /// Let's Encrypt's URLs have 60 bytes.
    static let urlBytesMax = 2048
    static let linkBytesMax = 8192
    /// A response has one for the directory, and one for each alternate chain.
    static let linksMax = 16
    /// For texts of the authority that the operator sees.
    static let detailCharactersMax = 1000
    /// One for each host of an order.
    static let subproblemsMax = 100
    /// Answers to challenges in one order: one for each host, and more if the authority replaces challenges.
    static let answersMax = 300
    /// Pages of the account's list of orders, and orders of it, that are read to find one order.
    static let listPagesMax = 10
    static let listedOrdersMax = 100
    /// Each response brings one, and most requests use one.
    static let noncesMax = 16
    /// How often a request is signed again after its nonce was refused.
    static let nonceRefusalsMax = 10
    /// The longest wait that `Retry-After` can ask for. Let's Encrypt's limits are for up to seven days.
    static let waitSecondsMax: Int64 = 8 * 86_400
    /// After this time an order has failed. Let's Encrypt's orders expire after seven days.
    static let orderSecondsMax: Int64 = 14 * 86_400

    static let json = SourceLimits(depth: 16, bytes: bodyBytesMax, numberBytes: 40, values: 20_000, problems: 10)

    /// Whether a text has only the characters of nonces and tokens.
    static func isToken(_ text: String, bytes: ClosedRange<Int>) -> Bool {
        bytes.contains(text.utf8.count) && text.utf8.allSatisfy(Base64URL.isDigit)
    }
}

extension SourceValue {
    /// The member as a URL; nil if it is not https.
    func url(_ name: String) -> AuthorityURL? { member(named: name)?.asString.flatMap(AuthorityURL.init) }

    /// The strings of an array; other elements are ignored.
    func strings(_ name: String) -> [String] { member(named: name)?.asArray?.compactMap(\.asString) ?? [] }

    /// The member as a date of RFC 3339, in seconds since 1970.
    func date(_ name: String) -> Int64? { member(named: name)?.asString.flatMap(Timestamp.seconds) }
}
