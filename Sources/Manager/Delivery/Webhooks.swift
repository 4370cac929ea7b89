// Messages to receivers that the operator names, as Standard Webhooks: what the delivery monitor has to tell, how a message is signed,
// and the thread that sends those in the queue. One that is not accepted is sent again with growing waits, for a day.

public import Client
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
    let published: Int64

    /// Nil if nothing has changed: the same state, no answer, or a version that the service already had.
    init?(_ record: DeliveryRecord, _ verdict: DeliveryVerdict, before: DeliveryState?) {
        let isDelivered = verdict.state == .equal && record.equalAt == nil
        let isReturn = verdict.state == .equal && before == .unknown
        guard verdict.state != .unknown, isDelivered || before != verdict.state && !isReturn else { return nil }
        (host, verifier) = (record.name, record.verifier)
        (state, previous, detail) = (verdict.state, before, verdict.detail)
        published = record.published
    }

    var type: String { "delivery.\(state.rawValue)" }

    var data: [UInt8] {
        SourceWriter.minified(
            .object([
                ("host", .string(host)), ("verifier", .string(verifier.rawValue)), ("state", .string(state.rawValue)),
                ("previous", previous.map { .string($0.rawValue) } ?? .null), ("detail", .string(detail)),
                ("next", .string(state.nextStep)), ("published", .integer(Int(published))),
            ]))
    }
}

extension WebhookQueue {
    public init(_ targets: [WebhookTarget]) { self.init(targets.map(\.workKind)) }
}

/// A receiver of messages.
public struct WebhookTarget: Sendable {
    public let location: WebLocation
    /// Signs the messages.
    private let key: [UInt8]

    public static let keyBytesMin = 16
    private static let prefix = "whsec_"

    /// - Parameter secret: `whsec_` and a key in Base64, or a key as text. Nil if the key is too short or not in Base64.
    public init?(_ location: WebLocation, secret: String) {
        let key =
            secret.hasPrefix(WebhookTarget.prefix)
            ? Base64URL.bytes(String(secret.dropFirst(WebhookTarget.prefix.count))) : Array(secret.utf8)
        guard let key, key.count >= WebhookTarget.keyBytesMin else { return nil }
        (self.location, self.key) = (location, key)
    }

    /// The kind of its messages. Each receiver has one, so that a receiver that hangs delays no other.
    var workKind: Work.Kind {
        let digest = Digest.hexadecimal(Digest.sha256(Array("\(location)".utf8)))
        return Work.Kind("\(WebhookQueue.kindPrefix)\(digest.prefix(16))")
    }

    /// The fields of Standard Webhooks. The signature is of the time, too, so that a receiver can refuse what someone recorded and sends
    /// again.
    func fields(of body: [UInt8], id: String, seconds: Int64) -> [FetchedResponse.Field] {
        let code = MessageCode.hs256.code(of: Array("\(id).\(seconds).".utf8) + body, key: key)
        return [
            .init(name: "webhook-id", value: id), .init(name: "webhook-timestamp", value: "\(seconds)"),
            .init(name: "webhook-signature", value: "v1,\(Digest.base64(code))"),
        ]
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
    /// After failed attempts, in seconds; the last one is repeated.
    private static let waits: [Int64] = [10, 60, 300, 1_800, 3_600]

    public init(
        _ number: Int, _ targets: [WebhookTarget], userAgent: String, proxy: ProxySettings?, _ control: WorkControl,
        holder: String, store: consuming Store
    ) throws(TLSError) {
        (self.number, self.control, self.targets) = (number, control, targets)
        breakers = Array(repeating: DeliveryBreaker(), count: targets.count)
        self.holder = "\(holder)/\(number)"
        var settings = WebSessionSettings()
        (settings.userAgent, settings.proxy) = (userAgent, proxy)
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
        let count = try store.write(WebhookQueue.removeOld)
        if count > 0 {
            control.log(
                .warning,
                "gave up \(count) message\(count == 1 ? "" : "s") that no webhook accepted for a day")
        }
    }

    /// - Returns: false if no message to the receiver is due.
    private mutating func send(to index: Int, now: Int64) throws(DatabaseError) -> Bool {
        let (target, holder, byAge) = (targets[index], holder, stepCount.isMultiple(of: Work.ageInterval))
        let claimed = try store.write { transaction throws(DatabaseError) in
            try Work.claim(target.workKind, by: holder, byAge: byAge, in: transaction)
        }
        guard let work = claimed else { return false }
        guard let message = work.journal, let refusal = post(Array(message.utf8), id: work.key, to: target) else {
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
                to: try transaction.now() + WebhookWorker.waitMilliseconds(tries: work.tries),
                state: WebhookQueue.waiting, problem: refusal.reason, tries: work.tries + 1, journal: message,
                in: transaction)
        }
        return true
    }

    static func waitMilliseconds(tries: Int64) -> Int64 {
        waits[Int(min(max(0, tries), Int64(waits.count - 1)))] * 1_000
    }

    /// Why a receiver has not accepted a message.
    private struct Refusal {
        let reason: String
        /// Whether the receiver itself asks to wait.
        var asksToWait = false
        var retryAfterSeconds: Int64?
    }

    /// - Returns: nil if the receiver has accepted it.
    private mutating func post(_ body: [UInt8], id: String, to target: WebhookTarget) -> Refusal? {
        let fields =
            [FetchedResponse.Field(name: "Content-Type", value: "application/json")]
            + target.fields(of: body, id: id, seconds: Clock.wallSeconds())
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
