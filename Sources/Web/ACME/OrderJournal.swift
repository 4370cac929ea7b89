// What must survive a crash during an order. The certificate's key and the signing request are made before the order. That the
// order will be requested is stored before the request, and its URL before it is used, so an order can be found and finished
// after a crash. Everything else is read from the authority again.

import SourceJSON
public import TLS

/// The stored state of an order for one certificate.
public struct OrderJournal: Hashable, Sendable {
    /// The URL of the authority's directory.
    public let directory: AuthorityURL
    public let hosts: [String]
    public let challenge: ChallengeKind
    /// The certificate profile, used if the authority supports it.
    public let profile: String?
    /// Selects the chain with this issuer at its end, if the authority offers several chains.
    public let preferredIssuer: String?
    /// The failed attempts before this order.
    public let tries: Int64
    /// The `renewalID` of the certificate that this one replaces.
    public internal(set) var replaces: String?
    /// The certificate's private key in PEM.
    public let key: [UInt8]
    /// The signing request in DER.
    let request: [UInt8]
    /// When the order was first requested, in seconds since 1970. Stored before the request, so the authority may have the
    /// order even if its URL is not known.
    var requestedAt: Int64?
    /// The order's URL; nil until the authority has sent it.
    public internal(set) var order: AuthorityURL?
    /// When the authority last got something to do, such as a validation. Longer waits follow as time passes.
    var waitingSince: Int64 = 0
    /// The answers to challenges that are in place, and have to be withdrawn at the end.
    public internal(set) var published: [OrderAnswer] = []

    /// Starts a new order.
    /// - Parameter hosts: names in lower case, `*.example.com` included.
    public init(
        for hosts: [String], at directory: AuthorityURL, key: SigningKey, by challenge: ChallengeKind = .http,
        profile: String? = nil, replaces: String? = nil, preferredIssuer: String? = nil, tries: Int64 = 0
    ) throws(TLSError) {
        self.hosts = Set(hosts).sorted()
        request = try CertificateRequest.der(for: self.hosts, key: key)
        self.key = key.pem
        (self.directory, self.challenge, self.profile) = (directory, challenge, profile)
        (self.replaces, self.preferredIssuer, self.tries) = (replaces, preferredIssuer, tries)
    }

    /// The kind of the certificate's key; nil if it cannot be read.
    public var keyKind: SigningKey.Kind? {
        (try? SigningKey(reading: key)).flatMap { SigningKey.Kind(rawValue: $0.kindName) }
    }

    private static let version = 1

    /// The journal as one line of JSON. It contains the private key, so seal it before you store it.
    public var text: String {
        var members: [(String, SourceValue)] = [
            ("version", .integer(OrderJournal.version)), ("directory", .string(directory.text)),
            ("hosts", .array(hosts.map { .string($0) })), ("challenge", .string(challenge.rawValue)),
            ("key", .string(String(decoding: key, as: UTF8.self))), ("request", .string(Base64URL.text(request))),
            ("tries", .integer(Int(tries))), ("waitingSince", .integer(Int(waitingSince))),
            ("published", .array(published.map(OrderJournal.value))),
        ]
        if let requestedAt { members.append(("requestedAt", .integer(Int(requestedAt)))) }
        let options = [
            ("profile", profile), ("replaces", replaces), ("preferredIssuer", preferredIssuer), ("order", order?.text),
        ]
        members += options.compactMap { name, text in text.map { (name, .string($0)) } }
        return String(decoding: SourceWriter.minified(.object(members)), as: UTF8.self)
    }

    /// Nil if the text is not a journal of this version.
    public init?(text: String) {
        let document = SourceReader.read(Array(text.utf8), as: .json, limits: AuthorityLimits.json)
        guard document.isAcceptable, let object = document.value,
            object.member(named: "version")?.asInt == OrderJournal.version, let directory = object.url("directory"),
            let challenge = object.member(named: "challenge")?.asString.flatMap(ChallengeKind.init),
            let key = object.member(named: "key")?.asString,
            let request = object.member(named: "request")?.asString.flatMap(Base64URL.bytes),
            let waitingSince = object.member(named: "waitingSince")?.asInt
        else { return nil }
        requestedAt = object.member(named: "requestedAt")?.asInt.map { Int64($0) }
        order = object.url("order")
        guard order == nil || requestedAt != nil else { return nil }
        (self.directory, self.challenge, self.key, self.request) = (directory, challenge, Array(key.utf8), request)
        hosts = object.strings("hosts")
        tries = Int64(object.member(named: "tries")?.asInt ?? 0)
        self.waitingSince = Int64(waitingSince)
        published = (object.member(named: "published")?.asArray ?? []).compactMap(OrderJournal.answer)
        profile = object.member(named: "profile")?.asString
        replaces = object.member(named: "replaces")?.asString
        preferredIssuer = object.member(named: "preferredIssuer")?.asString
    }

    private static func value(_ answer: OrderAnswer) -> SourceValue {
        .object([
            ("kind", .string(answer.kind.rawValue)), ("host", .string(answer.host)), ("token", .string(answer.token)),
            ("keyAuthorization", .string(answer.keyAuthorization)),
        ])
    }

    private static func answer(_ object: SourceValue) -> OrderAnswer? {
        guard let kind = object.member(named: "kind")?.asString.flatMap(ChallengeKind.init),
            let host = object.member(named: "host")?.asString, let token = object.member(named: "token")?.asString,
            let keyAuthorization = object.member(named: "keyAuthorization")?.asString
        else { return nil }
        return OrderAnswer(kind: kind, host: host, token: token, keyAuthorization: keyAuthorization)
    }
}
