// Messages about deliveries to receivers that the operator names. A message is work in the store, with its text as the journal, so
// it survives a restart. It is sent again with growing waits until the receiver accepts it, for a day.

import Client
import Database
import Posix
import SourceJSON
public import Store
public import TLS

/// A change of a delivery that is worth a message.
struct DeliveryEvent: Hashable, Sendable {
    let host: String
    let verifier: DeliveryVerifier
    let state: DeliveryState
    let previous: DeliveryState?
    let detail: String
    /// In milliseconds since 1970.
    let at: Int64
    let published: Int64

    /// Nil if nothing has changed: the same state, no answer, or a version that the service already had.
    init?(_ record: DeliveryRecord, _ verdict: DeliveryVerdict, before: DeliveryState?, at: Int64) {
        let isDelivered = verdict.state == .equal && record.equalAt == nil
        let isReturn = verdict.state == .equal && before == .unknown
        guard verdict.state != .unknown, isDelivered || before != verdict.state && !isReturn else { return nil }
        (host, verifier) = (record.name, record.verifier)
        (state, previous, detail) = (verdict.state, before, verdict.detail)
        (self.at, published) = (at, record.published)
    }

    func json(id: String) -> [UInt8] {
        SourceWriter.minified(
            .object([
                ("id", .string(id)), ("type", .string("delivery")), ("host", .string(host)),
                ("verifier", .string(verifier.rawValue)), ("state", .string(state.rawValue)),
                ("previous", previous.map { .string($0.rawValue) } ?? .null), ("detail", .string(detail)),
                ("next", .string(state.nextStep)), ("at", .integer(Int(at))), ("published", .integer(Int(published))),
            ]))
    }
}

/// The messages that wait in the store.
enum WebhookWork {
    static let kindPrefix = "webhook/"
    static let lifeMilliseconds = DeliveryPlan.dayMilliseconds

    /// The waits after failed attempts in seconds; the last one is repeated.
    private static let waits: [Int64] = [10, 60, 300, 1_800, 3_600]

    static func waitMilliseconds(tries: Int64) -> Int64 {
        waits[Int(min(max(0, tries), Int64(waits.count - 1)))] * 1_000
    }

    static func add(
        _ event: DeliveryEvent, of tenant: String, to targets: [WebhookTarget], in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let id = Digest.hexadecimal((0..<16).map { _ in .random(in: .min ... .max) })
        for target in targets {
            try Work.add(target.workKind, id, tenant: tenant, state: waiting, due: event.at, in: transaction)
            try transaction.execute(
                "update work set journal = ? where kind = ? and key = ?",
                String(decoding: event.json(id: id), as: UTF8.self), target.workKind, id)
        }
    }

    /// The only state, so that its time is that of the event.
    static let waiting = "waiting"

    /// Removes the messages that are a day old. They include those to receivers that are only in the settings of other nodes, or
    /// no longer in any.
    /// - Returns: how many there were.
    static func removeOld(in transaction: borrowing Transaction) throws(DatabaseError) -> Int {
        let now = try transaction.now()
        return try transaction.execute(
            "delete from work where kind like ? and since < ? and (until is null or until <= ?)", "\(kindPrefix)%",
            now - lifeMilliseconds, now)
    }
}

extension WebhookTarget {
    /// The kind of its messages. Each receiver has one, so that a receiver that hangs delays no other.
    var workKind: Work.Kind {
        let digest = Digest.hexadecimal(Digest.sha256(Array("\(location)".utf8)))
        return Work.Kind("\(WebhookWork.kindPrefix)\(digest.prefix(16))")
    }

    /// The value of the field with the signature: of the time and the message, so that a receiver can refuse what someone recorded
    /// and sends again.
    func signature(of body: [UInt8], seconds: Int64) -> String {
        let code = MessageCode.hs256.code(of: Array("\(seconds).".utf8) + body, key: secret)
        return "t=\(seconds),sha256=\(Digest.hexadecimal(code))"
    }
}

/// Sends the messages. Used by one thread.
public struct WebhookWorker: ~Copyable {
    private let number: Int
    private let control: WorkControl
    private let targets: [WebhookTarget]
    private let holder: String
    private var store: Store
    private var web: WebSession
    /// Of each receiver.
    private var breakers: [DeliveryBreaker]
    private var removalDue: Int64 = 0
    private var stepCount = 0

    private static let milliseconds = 10_000
    private static let bodyBytesMax = 65_536
    private static let restMilliseconds: Int64 = 5_000
    private static let removalMilliseconds: Int64 = 3_600_000

    public init(
        _ number: Int, _ rules: DeliveryRules, _ control: WorkControl, holder: String, store: consuming Store
    ) throws(TLSError) {
        (self.number, self.control, targets) = (number, control, rules.webhooks)
        breakers = Array(repeating: DeliveryBreaker(), count: rules.webhooks.count)
        self.holder = "\(holder)/\(number)"
        var settings = WebSessionSettings()
        (settings.userAgent, settings.proxy) = (rules.userAgent, rules.proxy)
        settings.limits.milliseconds = WebhookWorker.milliseconds
        settings.limits.bodyBytesMax = WebhookWorker.bodyBytesMax
        web = WebSession(try ClientContext(authorityFile: nil), settings)
        self.store = store
    }

    /// Works until the process ends.
    public mutating func run() {
        control.work(number) { () throws(DatabaseError) in try step() ? 0 : WebhookWorker.restMilliseconds }
    }

    /// Sends one message to each receiver that accepts messages.
    /// - Parameter now: by a clock that never goes back.
    /// - Returns: false if none is due.
    mutating func step(now: Int64 = Clock.monotonicMilliseconds()) throws(DatabaseError) -> Bool {
        stepCount += 1
        if now >= removalDue {
            removalDue = now + WebhookWorker.removalMilliseconds
            try removeOld()
        }
        var hasSent = false
        for index in targets.indices where breakers[index].waitMilliseconds(now: now) == 0 && !control.isStopping {
            if try send(to: index, now: now) { hasSent = true }
        }
        return hasSent
    }

    private mutating func removeOld() throws(DatabaseError) {
        let count = try store.write(WebhookWork.removeOld)
        if count > 0 {
            control.log(
                .warning,
                "gave up \(count) message\(count == 1 ? "" : "s") about deliveries that no webhook accepted for a day")
        }
    }

    /// - Returns: false if no message to the receiver is due.
    private mutating func send(to index: Int, now: Int64) throws(DatabaseError) -> Bool {
        let (target, holder, byAge) = (targets[index], holder, stepCount.isMultiple(of: Work.ageInterval))
        let claimed = try store.write { transaction throws(DatabaseError) in
            try Work.claim(target.workKind, by: holder, byAge: byAge, in: transaction)
        }
        guard let work = claimed else { return false }
        guard let message = work.journal, let refusal = post(Array(message.utf8), to: target) else {
            if work.journal != nil, breakers[index].noteAnswer() {
                control.log(.info, "the webhook at \(target.location.host) accepts messages again")
            }
            try store.write { transaction throws(DatabaseError) in _ = try work.finish(in: transaction) }
            return true
        }
        let isNew = breakers[index].noteFailure(
            refusal.reason, isRefusal: refusal.asksToWait, retryAfterSeconds: refusal.retryAfterSeconds, now: now,
            draw: .random(in: .min ... .max))
        if isNew {
            control.log(
                .warning,
                "cannot send messages to the webhook at \(target.location.host): \(refusal.reason); "
                    + "trying to send each again for a day")
        }
        try store.write { transaction throws(DatabaseError) in
            _ = try work.postpone(
                to: try transaction.now() + WebhookWork.waitMilliseconds(tries: work.tries),
                state: WebhookWork.waiting, problem: refusal.reason, tries: work.tries + 1, journal: message,
                in: transaction)
        }
        return true
    }

    /// Why a receiver has not accepted a message.
    private struct Refusal {
        let reason: String
        /// Whether the receiver itself asks to wait.
        var asksToWait = false
        var retryAfterSeconds: Int64?
    }

    /// - Returns: nil if the receiver has accepted it.
    private mutating func post(_ body: [UInt8], to target: WebhookTarget) -> Refusal? {
        let fields: [FetchedResponse.Field] = [
            .init(name: "Content-Type", value: "application/json"),
            .init(name: "Associated-Signature", value: target.signature(of: body, seconds: Clock.wallSeconds())),
        ]
        do throws(FetchError) {
            let response = try web.send(target.location, method: "POST", fields: fields, body: body)
            if (200..<300).contains(response.status) { return nil }
            return Refusal(
                reason: "it answers \(response.status)", asksToWait: [429, 503].contains(response.status),
                retryAfterSeconds: response.retryAfterSeconds(now: Clock.wallSeconds()))
        } catch {
            return Refusal(reason: "\(error)")
        }
    }
}
