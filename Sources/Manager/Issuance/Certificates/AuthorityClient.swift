// Requests to certificate authorities over HTTPS, and the accounts there. A session is opened by the first order and kept. The
// account is never stored: registering a key that has an account returns that account.

public import ACME
import Client
import Posix
import Synchronization
public import TLS

/// The connections to certificate authorities. Used by one thread.
public struct AuthorityClient: ~Copyable {
    private let rules: IssuanceRules
    private var account: AccountSecret
    private var web: WebSession
    private var directories: [AuthorityURL: (directory: AuthorityDirectory, readAt: Int64)] = [:]
    private var sessions: [AuthorityURL: AuthoritySession] = [:]
    /// Why authorities refused the account, and until when they are not asked again, by the monotonic clock.
    private var refusals: [AuthorityURL: (problem: AuthorityProblem, until: Int64)] = [:]
    private let silences: AuthoritySilences
    /// Until when authorities that did not answer are asked for no renewal information, by the monotonic clock.
    private var silentUntil: [AuthorityURL: Int64] = [:]
    /// What an operator should know that no order depends on.
    private var notes: [String] = []
    /// By how much the clock of the authority is ahead of this machine's.
    private var clockLeadSeconds: Int64 = 0

    /// With a clock that is this wrong, certificates are renewed at wrong times.
    private static let clockLeadSecondsMax: Int64 = 3_600
    private static let silenceMilliseconds: Int64 = 300_000
    private static let refusalMilliseconds: Int64 = 3_600_000

    /// - Parameter silences: those that other workers have met.
    public init(
        _ rules: IssuanceRules, _ account: AccountSecret, userAgent: String,
        silences: AuthoritySilences = AuthoritySilences()
    ) throws(TLSError) {
        (self.rules, self.account, self.silences) = (rules, account, silences)
        var settings = WebSessionSettings()
        settings.userAgent = userAgent
        settings.limits.milliseconds = rules.patience.answerMilliseconds
        settings.limits.bodyBytesMax = AuthorityLimits.bodyBytesMax
        settings.redirectsMax = 3
        settings.proxy = rules.proxy
        web = WebSession(try ClientContext(authorityFile: rules.authorityFile), settings)
    }

    /// Sends one request; any status is a response.
    mutating func send(_ request: AuthorityRequest) throws(AuthorityProblem) -> AuthorityResponse {
        guard let location = WebLocation(request.url.text) else { throw .noAnswer("cannot connect to \(request.url)") }
        var fields: [FetchedResponse.Field] = []
        if let accept = request.accept { fields.append(.init(name: "Accept", value: accept)) }
        if request.body != nil { fields.append(.init(name: "Content-Type", value: AuthorityRequest.contentType)) }
        do throws(FetchError) {
            let response = try web.send(location, method: request.method.rawValue, fields: fields, body: request.body)
            let now = Clock.wallSeconds()
            clockLeadSeconds = response.date(now: now).map { $0 - now } ?? 0
            silences.note(request.url.host, nil)
            return AuthorityResponse(
                status: response.status, fields: response.fields.map { ($0.name, $0.value) }, body: response.body,
                isTruncated: response.isTruncated, retryAfterSeconds: response.retryAfterSeconds(now: now))
        } catch {
            silences.note(request.url.host, error.isTimeOut ? "\(location.hostField): \(error)" : nil)
            throw .noAnswer("the authority \(location.hostField): \(error)")
        }
    }

    /// The directory, read again if the authority has not answered for some time.
    private mutating func directory(_ url: AuthorityURL) throws(AuthorityProblem) -> AuthorityDirectory {
        let now = Clock.monotonicMilliseconds()
        if let silence = silences.present(url.host, of: rules.patience.silenceMilliseconds) {
            var problem = AuthorityProblem.noAnswer(
                "the authority \(silence.reason), at a request for another host; it is tried once a minute")
            problem.retryAfterSeconds = silence.millisecondsLeft / 1_000 + 1
            throw problem
        }
        if let known = directories[url], now - known.readAt < rules.patience.directoryMilliseconds {
            return known.directory
        }
        let directory = try AuthorityDirectory(reading: send(AuthorityDirectory.request(url)))
        guard abs(clockLeadSeconds) <= AuthorityClient.clockLeadSecondsMax else {
            let direction = clockLeadSeconds > 0 ? "behind" : "ahead of"
            throw .noAnswer(
                "this machine's clock is \(abs(clockLeadSeconds) / 60) minutes \(direction) that of \(url.host); correct it"
            )
        }
        directories[url] = (directory, now)
        return directory
    }

    /// The kept session, or a new one with the account of our key.
    mutating func session(_ url: AuthorityURL) throws(AuthorityProblem) -> AuthoritySession {
        if let refusal = refusals[url], Clock.monotonicMilliseconds() < refusal.until { throw refusal.problem }
        let directory = try directory(url)
        if var session = sessions[url] {
            session.directory = directory
            return session
        }
        var session = AuthoritySession(directory, key: account.key)
        let registration = AuthorityAccount.registration(
            session, contact: rules.contact, binding: rules.externalAccount)
        do throws(AuthorityProblem) {
            let answer = try perform(registration, &session)
            let known = try AuthorityAccount(reading: answer)
            session.account = known.url
            // That of a new account (201) is as it should be; registering an older one again does not change it.
            let isOld = answer.status == 200 && !rules.contact.isEmpty
            if isOld, Set(known.contact) != Set(rules.contact) {
                do throws(AuthorityProblem) {
                    _ = try perform(known.update(contact: rules.contact), &session)
                } catch { notes.append("\(url.host) does not take `acme.contact`: \(error.detail)") }
            }
        } catch {
            throw noted(error, at: url)
        }
        if let profile = rules.profile, directory.profiles[profile] == nil {
            let offered = directory.profiles.keys.sorted().prefix(10).joined(separator: ", ")
            notes.append(
                "\(url.host) does not offer the profile \"\(profile)\" of `acme.profile`, so certificates have its default; "
                    + (offered.isEmpty ? "it offers none" : "it offers \(offered)"))
        }
        sessions[url] = session
        return session
    }

    /// What has been noted since the last call.
    mutating func takeNotes() -> [String] {
        defer { notes = [] }
        return notes
    }

    /// Revokes a certificate with its own key, which needs no account.
    mutating func revoke(
        _ chain: IssuedChain, _ reason: Revocation.Reason, signedBy key: SigningKey, at url: AuthorityURL
    ) throws(AuthorityProblem) {
        var session = AuthoritySession(try directory(url), key: account.key)
        guard let call = Revocation.call(chain, reason, session, signedBy: key) else {
            throw .noAnswer("it does not revoke certificates")
        }
        do throws(AuthorityProblem) {
            _ = try perform(call, &session)
        } catch {
            if error.kind != .alreadyRevoked { throw error }
        }
    }

    /// The URL of our account; nil if there is none.
    public mutating func account(at url: AuthorityURL) throws(AuthorityProblem) -> AuthorityURL? {
        var session = AuthoritySession(try directory(url), key: account.key)
        do throws(AuthorityProblem) {
            return try AuthorityAccount(reading: perform(AuthorityAccount.search(session), &session)).url
        } catch {
            if error.kind == .accountDoesNotExist { return nil }
            throw error
        }
    }

    private mutating func perform(
        _ call: SignedCall, _ session: inout AuthoritySession
    ) throws(AuthorityProblem) -> AuthorityResponse {
        try session.perform(call) { request throws(AuthorityProblem) in try send(request) }
    }

    /// Remembers that the account was refused: each host would ask for it again.
    private mutating func noted(_ problem: AuthorityProblem, at url: AuthorityURL) -> AuthorityProblem {
        if problem.isTransient || [.rateLimited, .unusable].contains(problem.kind) { return problem }
        var problem = problem
        if problem.kind != .userActionRequired {
            problem.detail =
                "\(url.host) refuses the account of this server: \(problem.detail); if it is deactivated, run "
                + "`associated acme account new`; if not, check `acme.contact` and `acme.eab`"
            problem.kind = .accountRefused
        }
        refusals[url] = (problem, Clock.monotonicMilliseconds() + AuthorityClient.refusalMilliseconds)
        return problem
    }

    /// What the first authority that has something to say about the renewal of a certificate says. It needs no account. An authority
    /// that did not answer is left alone for some time, because each question would hold up the worker for as long as it waits for an
    /// answer.
    mutating func renewalInfo(_ id: String) -> RenewalInfo? {
        for url in rules.directories where silentUntil[url] ?? .min <= Clock.monotonicMilliseconds() {
            do throws(AuthorityProblem) {
                guard let request = RenewalInfo.request(id, try directory(url)) else { continue }
                return try RenewalInfo(reading: send(request))
            } catch {
                if error.kind == .noAnswer {
                    silentUntil[url] = Clock.monotonicMilliseconds() + AuthorityClient.silenceMilliseconds
                }
            }
        }
        return nil
    }

    /// Keeps the nonces of a session for the next order, unless the session was forgotten.
    mutating func keep(_ session: AuthoritySession, _ url: AuthorityURL) {
        if sessions[url] != nil { sessions[url] = session }
    }

    /// Reads the directory and registers the account again before the next order.
    mutating func forget(_ url: AuthorityURL) { (sessions[url], directories[url]) = (nil, nil) }

    /// The operator has done what the authorities asked for.
    mutating func forgetRefusals() { refusals = [:] }

    /// Uses another account key from now on.
    mutating func use(_ account: AccountSecret) { (self.account, sessions, refusals) = (account, [:], [:]) }
}

/// The authorities that did not answer in time, as all workers know them. Of the workers, one asks again after some time: otherwise
/// each of them would wait for the answer.
public final class AuthoritySilences: Sendable {
    /// The beginnings by host, by the monotonic clock, and what was seen.
    private let silences = Mutex<[String: (since: Int64, reason: String)]>([:])

    public init() {}

    func note(_ host: String, _ reason: String?, now: Int64 = Clock.monotonicMilliseconds()) {
        silences.withLock { $0[host] = reason.map { (now, $0) } }
    }

    /// For how much longer no worker asks; nil if the caller may ask. After a silence, others wait for what comes of that.
    func present(
        _ host: String, of milliseconds: Int64, now: Int64 = Clock.monotonicMilliseconds()
    ) -> (millisecondsLeft: Int64, reason: String)? {
        silences.withLock { silences in
            guard let (since, reason) = silences[host] else { return nil }
            if now - since < milliseconds { return (since + milliseconds - now, reason) }
            silences[host]?.since = now
            return nil
        }
    }
}

extension AuthorityProblem {
    /// Whether a limit is one of the whole account or of this machine. Let's Encrypt names the domain in all others but one.
    func isLimitOfAccount(_ domain: String) -> Bool {
        guard kind == .rateLimited, unpausePage == nil else { return false }
        return !detail.contains(domain) && !detail.contains("exact set")
    }

    /// What the operator has to do, with the page for it if the authority names one.
    var demand: String { (instance ?? termsOfService).map { "\(self); see \($0)" } ?? description }
}
