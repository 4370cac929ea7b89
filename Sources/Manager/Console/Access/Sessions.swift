// Who is signed in. A browser has an opaque random cookie; what it stands for is in memory, so a restart of the manager or the end of the
// token ends the session, and nothing of a token is kept in a browser.

import Posix
import Publishing
import Service
import Synchronization
import TLS

/// Who asks for a page.
struct Session: Sendable {
    let identity: Identity
    /// Nobody had to sign in: a development server, on its own machine.
    var isOpen = false

    func may(_ scope: String) -> Bool { identity.scopes.contains(Scope(scope)) }
    var isReadOnly: Bool { !["publish", "approve", "hosts", "tokens", "admin"].contains(where: may) }
}

final class Sessions: Sendable {
    private struct State {
        /// The tokens by the digests of cookies.
        var known: [[UInt8]: (token: (id: String, person: String), until: Int64)] = [:]
        var failures = (count: 0, minute: Int64(0))
    }

    private let state = Mutex(State())
    private let publisher: Publisher

    /// In the first, which a browser takes over TLS only, no other host of the domain can write.
    static let cookies = ["__Host-associated", "associated"]
    static let seconds: Int64 = 8 * 3_600
    private static let sessionsMax = 10_000
    static let perPersonMax = 50
    /// A token cannot be guessed; this is so that a flood of attempts fills no log and keeps nobody else out.
    static let failuresPerMinuteMax = 30

    init(_ publisher: Publisher) { self.publisher = publisher }

    enum Outcome {
        /// The value of the new cookie.
        case begun(String)
        case refused
        /// It was refused, as many others in this minute.
        case limited
    }

    func begin(_ token: String, now: Int64 = Clock.monotonicMilliseconds()) -> Outcome {
        guard let token = publisher.token(token) else {
            let count = state.withLock { state in
                if state.failures.minute != now / 60_000 { state.failures = (0, now / 60_000) }
                state.failures.count += 1
                return state.failures.count
            }
            return count > Sessions.failuresPerMinuteMax ? .limited : .refused
        }
        let secret = Digest.hexadecimal((0..<32).map { _ in UInt8.random(in: .min ... .max) })
        state.withLock { state in
            state.known = state.known.filter { $0.value.until > now }
            // Whoever signs in again and again ends own sessions first.
            let own = state.known.filter { $0.value.token.person == token.person }
            let crowded =
                own.count >= Sessions.perPersonMax ? own : state.known.count >= Sessions.sessionsMax ? state.known : [:]
            if let oldest = crowded.min(by: { $0.value.until < $1.value.until }) { state.known[oldest.key] = nil }
            state.known[Sessions.key(secret)] = (token, now + Sessions.seconds * 1_000)
        }
        return .begun(secret)
    }

    /// Nil if the session, or its token, has ended.
    func find(_ secret: String, now: Int64 = Clock.monotonicMilliseconds()) -> Session? {
        guard let found = state.withLock({ $0.known[Sessions.key(secret)] }), now < found.until else { return nil }
        return publisher.identity(ofTokenID: found.token.id).map { Session(identity: $0) }
    }

    func end(_ secret: String) { state.withLock { $0.known[Sessions.key(secret)] = nil } }

    /// A look into a table by a digest says nothing about how much of a guess is right.
    private static func key(_ secret: String) -> [UInt8] { Digest.sha256(Array(secret.utf8)) }
}

extension ServiceRequest {
    /// The values of the console's cookies. Another host of the domain may have added some.
    var sessionSecrets: [String] {
        guard case .once(let text) = field("cookie") else { return [] }
        let pairs = text.split(separator: ";").map { $0.drop { $0 == " " }.split(separator: "=", maxSplits: 1) }
        return pairs.filter { $0.count == 2 && Sessions.cookies.contains(String($0[0])) }.map { String($0[1]) }
    }

    /// Whether it announces a body of more than so many bytes, or does not say how many.
    func announcesMore(than count: Int) -> Bool {
        if field("transfer-encoding") != .absent { return true }
        guard case .once(let text) = field("content-length") else { return false }
        return Int(text).map { $0 > count } ?? true
    }

    /// The name that the browser used, with its port. A proxy may have changed the field, and a page of another site cannot set this one.
    private var authority: String? {
        if case .once(let text) = field("x-forwarded-host") { return text.lowercased() }
        if case .once(let text) = field("host") { return text.lowercased() }
        return nil
    }

    /// Whether a page of the console sent the form.
    var isOfOwnPage: Bool {
        guard case .once(let origin) = field("origin"), let authority else { return false }
        return origin == "https://\(authority)" || origin == "http://\(authority)"
    }

    /// Whether the browser and this server are on one machine, with nothing between them: the name is one that no other can have, so a
    /// page of another site that leads its own name here is a stranger.
    var isLocal: Bool {
        let marks: [StaticString] = [
            "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-port", "x-forwarded-server",
            "forwarded",
            "via", "x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip",
        ]
        for mark in marks where field(mark) != .absent { return false }
        return host == "localhost" || host.hasSuffix(".localhost") || host == "127.0.0.1" || host == "[::1]"
            || host == "::1"
    }

    /// Whether a browser with TLS is in front of the proxy.
    var isSecure: Bool { field("x-forwarded-proto") == .once("https") }
}
