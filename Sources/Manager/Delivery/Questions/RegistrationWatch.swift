// What Google says about the certificates in a host's file, as a part of the look at Google's copy: each pair of a package and a
// fingerprint is asked about once a week, whichever hosts have it, and within the daily quota of the API. What is known stays as long as
// there is no answer.

import Client
import Database
import Posix
import Store
import TLS
import Verifier

/// The questions of one worker.
struct RegistrationWatch: ~Copyable {
    private let api: RegistrationAPI
    private let control: WorkControl
    private var web: WebSession
    /// By the monotonic clock.
    private var breaker = DeliveryBreaker()

    /// What is known about the apps of a file.
    struct Outcome: Sendable {
        /// For people; empty if there is nothing to say.
        var text = ""
        /// Whether pairs wait only for the quota.
        var isShort = false
    }

    private static let milliseconds = 5_000
    /// In one look, so that a slow answer does not hold up the looks for long.
    private static let requestsMax = 5
    private static let namedMax = 3
    static let keptMilliseconds = DeliveryPlan.weekMilliseconds
    /// For all nodes together: at most 800 requests in any 24 hours. The API answers 1,000; the others are for `check` and `why`.
    static let quota = Bucket(
        scope: "registration", subject: "google", capacity: 400, fillMilliseconds: DeliveryPlan.dayMilliseconds)

    init(
        _ api: RegistrationAPI, _ rules: DeliveryRules, _ context: ClientContext, timeoutMilliseconds: Int,
        _ control: WorkControl
    ) {
        (self.api, self.control) = (api, control)
        var settings = WebSessionSettings()
        (settings.userAgent, settings.proxy) = (rules.userAgent, rules.proxy)
        settings.limits.milliseconds = min(timeoutMilliseconds, RegistrationWatch.milliseconds)
        settings.limits.bodyBytesMax = 65_536
        web = WebSession(context, settings)
    }

    /// Asks about the pairs of a host's file whose answer is missing or a week old.
    mutating func look(at file: [UInt8], of host: String, _ store: inout Store) throws(DatabaseError) -> Outcome {
        let certificates = AppCertificate.all(in: file)
        var (states, due) = try store.read { transaction throws(DatabaseError) in
            try RegistrationWatch.load(certificates, in: transaction)
        }
        var (outcome, hasChanged, left) = (Outcome(), false, RegistrationWatch.requestsMax)
        for certificate in due {
            guard breaker.waitMilliseconds(now: Clock.monotonicMilliseconds()) == 0, !control.isStopping else { break }
            guard left > 0, try RegistrationWatch.takeRequest(from: &store) else {
                outcome.isShort = true
                break
            }
            left -= 1
            guard let state = ask(about: certificate) else { continue }
            try store.write { transaction throws(DatabaseError) in
                try RegistrationWatch.save(certificate, state, in: transaction)
            }
            hasChanged = hasChanged || states[certificate] != state
            states[certificate] = state
        }
        let remarks = RegistrationRemark.all(about: certificates, states)
        outcome.text = remarks.prefix(RegistrationWatch.namedMax).map(\.message).joined(separator: "; ")
        if remarks.count > RegistrationWatch.namedMax {
            outcome.text += "; and so on for \(remarks.count - RegistrationWatch.namedMax) more"
        }
        if hasChanged {
            for remark in remarks.prefix(RegistrationWatch.namedMax) where remark.isMismatch {
                control.logHost("\(host): \(remark.message); \(remark.fix)")
            }
        }
        return outcome
    }

    private static func takeRequest(from store: inout Store) throws(DatabaseError) -> Bool {
        try store.write { transaction throws(DatabaseError) in
            try Bucket.take([Bucket.Charge(quota)], in: transaction) == nil
        }
    }

    /// - Returns: nil without a usable answer.
    private mutating func ask(about certificate: AppCertificate) -> RegistrationState? {
        guard let location = api.location(of: certificate) else { return nil }
        let response: FetchedResponse
        do throws(FetchError) { response = try web.send(location, fields: api.fields) } catch {
            noteFailure("\(error)", isRefusal: false)
            return nil
        }
        switch RegistrationAnswer(response) {
        case .state(let state):
            if breaker.noteAnswer() { control.log(.info, "Google answers again whether apps are registered") }
            return state
        case .unusable(let reason, let isOfService):
            if isOfService {
                noteFailure(
                    reason, isRefusal: [400, 401, 403, 429, 503].contains(response.status),
                    retryAfterSeconds: response.retryAfterSeconds(now: Clock.wallSeconds()))
            }
            return nil
        }
    }

    private mutating func noteFailure(_ reason: String, isRefusal: Bool, retryAfterSeconds: Int64? = nil) {
        let isNew = breaker.noteFailure(
            reason, isRefusal: isRefusal, retryAfterSeconds: retryAfterSeconds, now: Clock.monotonicMilliseconds(),
            draw: .random(in: .min ... .max))
        if isNew {
            control.log(.warning, "cannot ask Google whether apps are registered: \(reason); what is known stays")
        }
    }

    /// The last answers, and those to ask for.
    private static func load(
        _ certificates: [AppCertificate], in transaction: borrowing Transaction
    ) throws(DatabaseError) -> ([AppCertificate: RegistrationState], due: [AppCertificate]) {
        let before = try transaction.now() - keptMilliseconds
        var (states, due): ([AppCertificate: RegistrationState], [AppCertificate]) = ([:], [])
        for certificate in certificates {
            let rows = try transaction.query(
                "select state, looked from registration where package = ? and fingerprint = ?", certificate.package,
                certificate.fingerprint)
            guard let row = rows.first, let state = RegistrationState(rawValue: try row[0]) else {
                due.append(certificate)
                continue
            }
            states[certificate] = state
            let looked: Int64 = try row[1]
            if looked <= before { due.append(certificate) }
        }
        return (states, due)
    }

    private static func save(
        _ certificate: AppCertificate, _ state: RegistrationState, in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            """
            insert into registration (package, fingerprint, state, looked) values (?, ?, ?, ?)
            on conflict (package, fingerprint) do update set state = excluded.state, looked = excluded.looked
            """, certificate.package, certificate.fingerprint, state.rawValue, try transaction.now())
    }

    /// Removes pairs that no host has had for long.
    static func purge(in transaction: borrowing Transaction) throws(DatabaseError) {
        try transaction.execute(
            "delete from registration where looked < ?", try transaction.now() - 3 * DeliveryRecord.keptMilliseconds)
    }
}
