// Tokens of the API: `asc_<id>_<secret>`. The store has a digest of the secret, which is random and long, so that a slow digest would
// protect nothing. The tokens are in memory, because each request asks for one, and a slow database must not delay the others.

public import Database
import Posix
import Service
public import SourceJSON
import Store
import Synchronization
import TLS

extension Scope {
    /// What a token of the API may be for.
    static let published = ["read", "check", "publish", "approve", "retire", "hosts", "tokens", "admin"]
}

/// A token without its secret.
public struct AccessToken: Sendable, Equatable {
    public var id: String
    var digest: [UInt8]
    /// Nil for all tenants.
    public var tenant: String?
    public var label: String
    public var scopes: [String]
    public var author: String
    /// In milliseconds since 1970.
    public var created: Int64
    public var expires: Int64
    public var used: Int64?

    public static let daysUsual: Int64 = 90
    public static let daysMax: Int64 = 3_660
    public static var scopeNames: [String] { Scope.published }

    /// In the audit log and as the author of releases: behind the name of the token that has made it.
    var name: String { author.hasPrefix(Self.prefix) ? "\(author)/\(id)" : Self.prefix + id }

    private static let prefix = "token "

    /// Whether two tokens are one person's: the first of those that have made them is the same.
    static func areOfOne(_ first: String, _ second: String) -> Bool { origin(first) == origin(second) }

    static func origin(_ name: String) -> Substring { name.prefix { $0 != "/" } }

    /// As the author of another token. A token for all tenants makes those of many people.
    static func author(_ identity: Identity) -> String {
        identity.tenant == nil ? "operator with \(identity.name)" : identity.name
    }

    static let tokensOfTenantMax: Int64 = 1_000

    /// What it may do, and for whom. A token for everything has all scopes.
    var identity: Identity {
        let names = scopes.contains("admin") ? Scope.published : scopes
        return Identity(name, Set(names.map { Scope($0) }), tenant: tenant)
    }

    static let members = """
        id: text, tenant: text?, label: text, scopes: array, author: text, created: time, expires: time, used: time?
        """

    public var value: SourceValue {
        .object([
            ("id", .string(id)), ("tenant", tenant.map { .string($0) } ?? .null), ("label", .string(label)),
            ("scopes", .array(scopes.map { .string($0) })), ("author", .string(author)),
            ("created", APITime.value(created)), ("expires", APITime.value(expires)),
            ("used", used.map { APITime.value($0) } ?? .null),
        ])
    }

    /// In one line, for people.
    public var line: String {
        let use = used.map { "used \(APITime.text($0))" } ?? "never used"
        return
            "\(id) \(tenant ?? "all tenants"): \(scopes.joined(separator: " ")), until \(APITime.text(expires)), \(use)"
            + (label.isEmpty ? "" : ": \(label)")
    }

    /// The id and the digest of the secret in a token; nil if it is none.
    static func parts(of text: String) -> (id: String, digest: [UInt8])? {
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "asc", parts[1].utf8.count == 12, parts[2].utf8.count == 64 else {
            return nil
        }
        return (String(parts[1]), Digest.sha256(Array(parts[2].utf8)))
    }

    /// Makes a token.
    /// - Returns: the whole token, which is not stored anywhere, and what the store has.
    public static func create(
        tenant: String?, label: String, scopes: [String], days: Int64 = daysUsual, endingBy end: Int64 = .max,
        author: String,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> (text: String, token: AccessToken) {
        let (id, secret) = (RandomText.hexadecimal(bytes: 6), RandomText.hexadecimal(bytes: 32))
        let now = try transaction.now()
        let token = AccessToken(
            id: id, digest: Digest.sha256(Array(secret.utf8)), tenant: tenant, label: label, scopes: scopes,
            author: author, created: now, expires: min(end, now + days * 86_400_000))
        try AuditLog.append(
            author, "token.create", id, tenant: tenant ?? "",
            detail: "\(scopes.joined(separator: " ")) for \(days) days\(label.isEmpty ? "" : ": \(label)")",
            in: transaction)
        try transaction.execute(
            "insert into token values (?, ?, ?, ?, ?, ?, ?, ?, ?)", id, token.digest, tenant ?? "", label,
            scopes.joined(separator: " "), author, now, token.expires, Int64?.none)
        return ("asc_\(id)_\(secret)", token)
    }

    /// Deletes a token, and those that it has made.
    /// - Parameter tenant: nil for one of any tenant.
    /// - Returns: whether there was one.
    public static func revoke(
        _ id: String, of tenant: String?, by author: String, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        guard let token = try all(of: tenant, in: transaction).first(where: { $0.id == id }) else { return false }
        try AuditLog.append(author, "token.revoke", id, tenant: token.tenant ?? "", in: transaction)
        return try transaction.execute(
            "delete from token where id = ? or author = ? or author like ?", id, token.name, "\(token.name)/%") > 0
    }

    /// - Parameter tenant: nil for those of all.
    public static func all(
        of tenant: String? = nil, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [AccessToken] {
        let columns = "select id, hash, tenant, label, scopes, author, created, expires, used from token"
        let rows =
            if let tenant {
                try transaction.query("\(columns) where tenant = ? order by created, id", tenant)
            } else {
                try transaction.query("\(columns) order by created, id")
            }
        return try rows.map { row throws(DatabaseError) in
            let (owner, scopes): (String, String) = (try row[2], try row[4])
            return AccessToken(
                id: try row[0], digest: try row[1], tenant: owner.isEmpty ? nil : owner, label: try row[3],
                scopes: scopes.split(separator: " ").map(String.init), author: try row[5], created: try row[6],
                expires: try row[7], used: try row[8])
        }
    }
}

/// The tokens of the store in memory, with what they have done lately.
final class TokenTable: Sendable {
    private struct State {
        var tokens: [String: AccessToken] = [:]
        /// The database's clock less this machine's.
        var skew: Int64 = 0
        /// What each token has asked for in the present minute.
        var counts: [Counted: [String: Int]] = [:]
        var minute: Int64 = 0
        var used: Set<String> = []
    }

    private let state = Mutex(State())

    /// What is counted by itself: a check stores nothing, and a program makes one before each change.
    enum Counted: String { case changes, checks }

    static let writesPerMinuteMax = 60

    /// Takes what the store has.
    func take(_ tokens: [AccessToken], now: Int64) {
        state.withLock { state in
            state.tokens = Dictionary(tokens.map { ($0.id, $0) }) { first, _ in first }
            state.skew = now - Clock.wallSeconds() * 1_000
        }
    }

    /// Who shows this token; nil if it is none, or none any more.
    func identity(_ text: String) -> Identity? {
        guard let (id, digest) = AccessToken.parts(of: text) else { return nil }
        return state.withLock { state in
            guard let token = state.tokens[id], Clock.wallSeconds() * 1_000 + state.skew < token.expires else {
                return nil
            }
            // Both are digests of the same length.
            let difference = zip(token.digest, digest).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
            guard difference == 0 else { return nil }
            state.used.insert(id)
            return token.identity
        }
    }

    /// What a token may do whose secret was shown before; nil if it has ended.
    func identity(ofID id: String) -> Identity? {
        state.withLock { state in
            guard let token = state.tokens[id], Clock.wallSeconds() * 1_000 + state.skew < token.expires else {
                return nil
            }
            return token.identity
        }
    }

    func label(ofActor name: String, for tenant: String?) -> String? {
        let token = state.withLock { state in state.tokens.values.first { $0.name == name } }
        guard let token, !token.label.isEmpty, tenant == nil || token.tenant == tenant else { return nil }
        return token.label
    }

    /// Until when a token is valid; nil if it is none.
    func expiry(of identity: Identity) -> Int64? {
        state.withLock { state in state.tokens.values.first { $0.name == identity.name }?.expires }
    }

    /// Counts a change or a check. Returns false if the token, with those that it has made, has had its number for this minute.
    func counts(
        _ kind: Counted = .changes, of name: String, now: Int64 = Clock.monotonicMilliseconds()
    ) -> Bool {
        state.withLock { state in
            if state.minute != now / 60_000 { (state.minute, state.counts) = (now / 60_000, [:]) }
            let origin = String(AccessToken.origin(name))
            state.counts[kind, default: [:]][origin, default: 0] += 1
            return state.counts[kind]?[origin] ?? 0 <= TokenTable.writesPerMinuteMax
        }
    }

    /// The tokens that were used since the last call.
    func takeUsed() -> Set<String> {
        state.withLock { state in
            defer { state.used = [] }
            return state.used
        }
    }
}

enum RandomText {
    static func hexadecimal(bytes: Int) -> String {
        Digest.hexadecimal((0..<bytes).map { _ in UInt8.random(in: .min ... .max) })
    }
}
