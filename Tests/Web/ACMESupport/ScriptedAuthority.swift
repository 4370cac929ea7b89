// A certificate authority without a network: it answers requests as RFC 8555 requires, checks every signature and nonce, and has
// the oddities that a test selects. It validates challenges with what the test has published. `AuthorityServer` adds HTTPS.

import Posix
import SourceJSON
import TLS

@testable import ACME

final class ScriptedAuthority {
    /// How it differs from a simple authority.
    struct Oddities: Sendable {
        /// Every second signed request is refused for its nonce.
        var refusesNonces = false
        /// A repeated request for an order returns the same order while it is pending, as at Let's Encrypt.
        var reusesOrders = true
        /// The account has a list of its orders, with two on each page.
        var listsOrders = true
        var listsNewestFirst = false
        /// How often an authorization is read as pending, and an order as processing.
        var polls = 1
        /// A challenge stays `pending` during validation.
        var hidesProcessing = false
        /// Statuses that the order shows first, instead of the real ones.
        var orderStatuses: [String] = []
        /// The problem type if an order is not ready, or is finalized already.
        var notReadyType = "orderNotReady"
        /// The response to finalization is the order as it was before.
        var answersFinalizeEarly = false
        var offered = ["tls-alpn-01", "http-01", "device-attest-01", "dns-01"]
        var hasAlternates = false
        /// Hosts that are validated already.
        var validHosts: Set<String> = []
        /// Added to each JSON object.
        var more = #", "unheardOf": {"a": [1, null]}, "status2": 7"#
        var retryAfter: Int64?
        /// Every host answers challenges with the thumbprint of the account's key, as the server of this project does.
        var findsThumbprint = false
        /// The account is refused, and cannot be registered again.
        var isAccountDeactivated = false
        /// Of the account.
        var contact: [String] = []
        var renewalExplanation = ""
        /// The reasons for which certificates were revoked.
        var revocations: [Int] = []
        /// Hosts that do not answer challenges, whatever is published.
        var unreachableHosts: Set<String> = []
        /// Of renewal information.
        var renewalRetryAfter: Int64?
        /// Requests and certificates are forgotten as soon as they are answered, so that many of them need no memory.
        var isForgetful = false
    }

    struct Order: Sendable {
        var hosts: [String]
        var payload: String
        /// Of its hosts, in the list of all.
        var firstHost: Int
        var pollsLeft: Int
        var certificate: String?
        var isDone = false
    }

    /// What an authority counts for its rate limits.
    struct Event: Sendable {
        enum Kind: Sendable {
            case order, failure, certificate
        }
        var kind: Kind
        var host: String
        /// In milliseconds since 1970.
        var time: Int64
    }

    struct Host: Sendable {
        var name: String
        var status: String
        var isAnswered = false
        var pollsLeft: Int
        var problem: String?
    }

    /// The beginning of all its URLs.
    var base = "https://ca.example"
    var oddities: Oddities
    /// Responses to the next requests whose paths contain a text.
    var instead: [(path: String, response: AuthorityResponse)] = []
    /// What the authority finds: paths of hosts, and names of records.
    var world: [String: String] = [:]
    /// The days from now on which certificates should be renewed: of all certificates, and of some by their renewal IDs. Without
    /// any, it has no renewal information.
    var renewalDays: ClosedRange<Int64>?
    var renewalDaysOf: [String: ClosedRange<Int64>] = [:]
    /// What happens elsewhere before it answers the next request whose path contains the text.
    var meanwhile: (path: String, happens: () -> Void)?

    /// By how much its clock is ahead, for `events`.
    var leadMilliseconds: Int64 = 0

    private(set) var events: [Event] = []
    private(set) var complaints: [String] = []
    private(set) var orders: [Order] = []
    private(set) var hosts: [Host] = []
    private(set) var certificateCount = 0
    private(set) var requests: [AuthorityRequest] = []
    /// The requests by the first part of their paths, without those that were refused for their nonces. `new-account` are
    /// registrations.
    private(set) var counts: [String: Int] = [:]
    private(set) var lastPayload: [UInt8] = []
    /// By payload, and by name: there may be thousands.
    private var ordersOf: [String: [Int]] = [:]
    private var hostsOf: [String: [Int]] = [:]
    /// Of the account.
    var key: AccountKey
    private let issuer: TestIssuer
    private var nonces: Set<String> = []
    private var nonceCount = 0
    private var signedCount = 0

    init(_ key: AccountKey, _ issuer: TestIssuer, _ oddities: Oddities = Oddities()) {
        (self.key, self.issuer, self.oddities) = (key, issuer, oddities)
    }

    var directory: AuthorityDirectory {
        get throws {
            try AuthorityDirectory(
                reading: AuthorityResponse(status: 200, fields: [], body: Array(directoryText.utf8)))
        }
    }

    private var directoryText: String {
        """
        { "newNonce": "\(base)/nonce", "newAccount": "\(base)/account", "newOrder": "\(base)/new-order",
          "revokeCert": "\(base)/revoke",
          "renewalInfo": "\(base)/renewal",
          "meta": { "profiles": { "tlsserver": "" } } }
        """
    }

    /// Ends all waits: what is in progress is done at the next look.
    func finishWork() {
        for number in orders.indices { orders[number].pollsLeft = 0 }
        for number in hosts.indices { hosts[number].pollsLeft = 0 }
    }

    /// Lets no later order use what was validated for an earlier one.
    func forgetValidations() { hostsOf = [:] }

    func answer(_ request: AuthorityRequest) -> AuthorityResponse {
        if oddities.isForgetful { requests = [] }
        requests.append(request)
        let path = String(request.url.text.dropFirst(base.utf8.count))
        let kind = path == "/account" ? "new-account" : path.split(separator: "/").first.map(String.init) ?? ""
        counts[kind, default: 0] += 1
        if let event = meanwhile, path.contains(event.path) {
            meanwhile = nil
            event.happens()
        }
        if let place = instead.firstIndex(where: { path.contains($0.path) }) {
            return instead.remove(at: place).response
        }
        guard request.method == .post else { return answerUnsigned(path, request.method) }
        let message = ReceivedMessage(request.body ?? [])
        lastPayload = message.payload
        check(message, request)
        signedCount += 1
        if oddities.refusesNonces, signedCount % 2 == 1 {
            counts[kind, default: 0] -= 1
            return respond(400, #"{"type": "urn:ietf:params:acme:error:badNonce", "detail": "old nonce"}"#)
        }
        if oddities.isAccountDeactivated { return refuse(403, "unauthorized", "the account is deactivated") }
        return answer(path, message)
    }

    private func answerUnsigned(_ path: String, _ method: AuthorityRequest.Method) -> AuthorityResponse {
        let parts = path.split(separator: "/").map(String.init)
        switch parts.first {
        case "nonce": return respond(200, "")
        case "dir": return respond(200, directoryText)
        case "renewal" where parts.count == 2:
            guard let days = renewalDaysOf[parts[1]] ?? renewalDays else { return refuse(404, "malformed") }
            let times = [days.lowerBound, days.upperBound].map { days in
                "\(Clock.day(Clock.wallSeconds() + days * 86_400))T00:00:00Z"
            }
            let page = oddities.renewalExplanation
            return respond(
                200,
                #"{"suggestedWindow": {"start": "\#(times[0])", "end": "\#(times[1])"}, "explanationURL": "\#(page)"}"#,
                retryAfter: oddities.renewalRetryAfter)
        default:
            complaints.append("\(method) \(path)")
            return respond(200, "")
        }
    }

    private func check(_ message: ReceivedMessage, _ request: AuthorityRequest) {
        // Signed with the key of a certificate.
        if request.url.text == "\(base)/revoke" { return }
        if request.url.text == "\(base)/account", isSearchOfOtherKey(message) { return }
        if !message.isSigned(by: key.key) { complaints.append("a wrong signature") }
        if message.head("url") != request.url.text { complaints.append("a message for another address") }
        if request.url.text == "\(base)/account" {
            if message.thumbprint != key.thumbprint { complaints.append("a registration of another key") }
        } else if message.head("kid") != "\(base)/account/1" {
            complaints.append("a message of another account")
        }
        if nonces.remove(message.head("nonce") ?? "") == nil { complaints.append("a nonce that is not ours, or used") }
    }

    /// Whether a key that has no account looks for one.
    private func isSearchOfOtherKey(_ message: ReceivedMessage) -> Bool {
        message.thumbprint != key.thumbprint && message.object.member(named: "onlyReturnExisting")?.asBool == true
    }

    private func respond(
        _ status: Int, _ body: String, _ fields: [(name: String, value: String)] = [], retryAfter: Int64? = nil
    ) -> AuthorityResponse {
        nonceCount += 1
        nonces.insert("nonce-\(nonceCount)")
        let isObject = body.hasSuffix("}")
        return AuthorityResponse(
            status: status,
            fields: fields + [("Replay-Nonce", "nonce-\(nonceCount)"), ("Link", "<\(base)/dir>;rel=\"index\"")],
            body: Array((isObject ? body.dropLast() + oddities.more + "}" : body).utf8),
            retryAfterSeconds: status < 400 ? retryAfter ?? oddities.retryAfter : nil)
    }

    private func refuse(_ status: Int, _ type: String, _ detail: String = "refused") -> AuthorityResponse {
        respond(status, #"{"type": "urn:ietf:params:acme:error:\#(type)", "detail": "\#(detail)"}"#)
    }

    private func answer(_ path: String, _ message: ReceivedMessage) -> AuthorityResponse {
        let parts = path.split(separator: "/").map(String.init)
        let number = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        switch parts.first {
        case "new-order": return newOrder(message)
        case "account":
            if isSearchOfOtherKey(message) { return refuse(400, "accountDoesNotExist") }
            let contact = message.object.member(named: "contact")?.asArray?.compactMap(\.asString)
            if parts.count > 1, let contact { oddities.contact = contact }
            return respond(200, account, [("Location", "\(base)/account/1")])
        case "revoke":
            if !oddities.revocations.isEmpty { return refuse(400, "alreadyRevoked") }
            oddities.revocations.append(message.object.member(named: "reason")?.asInt ?? 0)
            return respond(200, "")
        case "orders" where oddities.listsOrders: return listOrders(number)
        case "order" where orders.indices.contains(number): return respond(200, read(number))
        case "authz" where hosts.indices.contains(number):
            validate(number)
            return respond(200, authorization(number))
        case "challenge" where hosts.indices.contains(number):
            if hosts[number].status != "pending" || hosts[number].isAnswered { return refuse(400, "malformed") }
            hosts[number].isAnswered = true
            hosts[number].problem = problem(number, kind: parts[2])
            return respond(200, challenge(number, parts[2]))
        case "finalize" where orders.indices.contains(number): return finalize(number, message)
        case "certificate" where orders.indices.contains(number): return download(number, isAlternate: parts.count > 2)
        default: return refuse(404, "malformed")
        }
    }

    private var account: String {
        let list = ", \"orders\": \"\(base)/orders/0\""
        let contact = oddities.contact.map { "\"\($0)\"" }.joined(separator: ", ")
        return "{\"status\": \"valid\", \"contact\": [\(contact)]\(oddities.listsOrders ? list : "")}"
    }

    private func listOrders(_ page: Int) -> AuthorityResponse {
        let numbers = oddities.listsNewestFirst ? orders.indices.reversed() : Array(orders.indices)
        let urls = numbers.dropFirst(2 * page).prefix(2).map { "\"\(base)/order/\($0)\"" }
        let next = "<\(base)/orders/\(page + 1)>;rel=\"next\""
        return respond(
            200, #"{"orders": [\#(urls.joined(separator: ", "))]}"#,
            2 * page + 2 < orders.count ? [("Link", next)] : [])
    }

    private func newOrder(_ message: ReceivedMessage) -> AuthorityResponse {
        let payload = String(decoding: message.payload, as: UTF8.self)
        let names = message.object.member(named: "identifiers")?.asArray?.compactMap {
            $0.member(named: "value")?.asString
        }
        let known = ordersOf[payload]?.first { orders[$0].certificate == nil && !isInvalid($0) }
        let number = known.flatMap { oddities.reusesOrders ? $0 : nil } ?? orders.count
        if number == orders.count {
            ordersOf[payload, default: []].append(number)
            orders.append(
                Order(hosts: names ?? [], payload: payload, firstHost: hosts.count, pollsLeft: oddities.polls))
            for name in names ?? [] {
                let isValid = oddities.validHosts.contains(name)
                note(.order, name)
                hostsOf[name, default: []].append(hosts.count)
                hosts.append(Host(name: name, status: isValid ? "valid" : "pending", pollsLeft: oddities.polls))
            }
        }
        return respond(number == orders.count - 1 ? 201 : 200, show(number), [("Location", "\(base)/order/\(number)")])
    }

    private func note(_ kind: Event.Kind, _ host: String) {
        events.append(Event(kind: kind, host: host, time: Clock.wallSeconds() * 1_000 + leadMilliseconds))
    }

    /// Shows an order, which makes progress each time.
    private func read(_ number: Int) -> String {
        if orders[number].certificate != nil {
            if orders[number].pollsLeft == 0 { orders[number].isDone = true } else { orders[number].pollsLeft -= 1 }
        }
        return show(number)
    }

    /// The hosts of an order. Those that were validated for another one are valid for it, too.
    private func own(_ number: Int) -> [Int] {
        let order = orders[number]
        return order.hosts.flatMap { hostsOf[$0] ?? [] }.sorted().filter {
            $0 >= order.firstHost || hosts[$0].status != "invalid"
        }
    }

    private func isInvalid(_ number: Int) -> Bool { own(number).contains { hosts[$0].status == "invalid" } }

    private func show(_ number: Int) -> String {
        let order = orders[number]
        let own = own(number)
        var status = own.allSatisfy { hosts[$0].status == "valid" } ? "ready" : "pending"
        if isInvalid(number) { status = "invalid" }
        if order.certificate != nil { status = order.isDone ? "valid" : "processing" }
        if !oddities.orderStatuses.isEmpty { status = oddities.orderStatuses.removeFirst() }
        let names = order.hosts.map { #"{"type": "dns", "value": "\#($0)"}"# }.joined(separator: ", ")
        let urls = own.map { "\"\(base)/authz/\($0)\"" }.joined(separator: ", ")
        let certificate = order.isDone ? ", \"certificate\": \"\(base)/certificate/\(number)\"" : ""
        return """
            {"status": "\(status)", "identifiers": [\(names)], "authorizations": [\(urls)], \
            "expires": "2030-01-01T00:00:00Z", "finalize": "\(base)/finalize/\(number)"\(certificate)}
            """
    }

    /// Validates a host whose challenge is answered, after some polls.
    private func validate(_ number: Int) {
        guard hosts[number].isAnswered, hosts[number].status == "pending" else { return }
        if hosts[number].pollsLeft > 0 {
            hosts[number].pollsLeft -= 1
        } else {
            hosts[number].status = hosts[number].problem == nil ? "valid" : "invalid"
            if hosts[number].problem != nil { note(.failure, hosts[number].name) }
        }
    }

    private func token(_ number: Int) -> String { "token-of-the-host-number-\(number)" }

    private func problem(_ number: Int, kind: String) -> String? {
        let name = hosts[number].name.hasPrefix("*.") ? String(hosts[number].name.dropFirst(2)) : hosts[number].name
        if oddities.findsThumbprint, !oddities.unreachableHosts.contains(name) { return nil }
        let expected = key.keyAuthorization(token(number))
        let found =
            kind == "http-01"
            ? world["\(name)/.well-known/acme-challenge/\(token(number))"] == expected
            : world["_acme-challenge.\(name) \(Base64URL.text(Digest.sha256(Array(expected.utf8))))"] != nil
        if found { return nil }
        return #"{"type": "urn:ietf:params:acme:error:unauthorized", "detail": "Nothing is there", "status": 403}"#
    }

    private func challenge(_ number: Int, _ kind: String) -> String {
        let host = hosts[number]
        var status = host.status
        if host.status == "pending", host.isAnswered, !oddities.hidesProcessing { status = "processing" }
        let problem =
            host.status == "invalid" && kind == "http-01" ? host.problem.map { ", \"error\": \($0)" } ?? "" : ""
        return """
            {"type": "\(kind)", "url": "\(base)/challenge/\(number)/\(kind)", "status": "\(status)", \
            "token": "\(token(number))"\(problem)}
            """
    }

    private func authorization(_ number: Int) -> String {
        let host = hosts[number]
        let isWildcard = host.name.hasPrefix("*.")
        let kinds = oddities.offered.filter { !isWildcard || $0 == "dns-01" }
        let challenges = kinds.map { challenge(number, $0) }.joined(separator: ", ")
        return """
            {"identifier": {"type": "dns", "value": "\(isWildcard ? String(host.name.dropFirst(2)) : host.name)"}, \
            "status": "\(host.status)", "challenges": [\(challenges)]\(isWildcard ? ", \"wildcard\": true" : "")}
            """
    }

    private func finalize(_ number: Int, _ message: ReceivedMessage) -> AuthorityResponse {
        guard show(number).contains("\"ready\"") else { return refuse(403, oddities.notReadyType) }
        let request = message.object.member(named: "csr")?.asString.flatMap(Base64URL.bytes) ?? []
        guard let certificate = issuer.issue(request) else { return refuse(400, "badCSR") }
        let before = show(number)
        orders[number].certificate = certificate
        certificateCount += 1
        for host in orders[number].hosts { note(.certificate, host) }
        return respond(200, oddities.answersFinalizeEarly ? before : show(number))
    }

    private func download(_ number: Int, isAlternate: Bool) -> AuthorityResponse {
        guard orders[number].isDone, let certificate = orders[number].certificate else {
            return refuse(404, "malformed")
        }
        if oddities.isForgetful { orders[number].certificate = "" }
        let link = "<\(base)/certificate/\(number)/1>;rel=\"alternate\""
        return respond(
            200, certificate + issuer.chains[isAlternate ? 1 : 0],
            oddities.hasAlternates && !isAlternate ? [("Link", link)] : [])
    }
}
