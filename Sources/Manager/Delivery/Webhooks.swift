// Messages about deliveries to receivers that the operator names. A message is work in the store, with its text as the journal, so
// it survives a restart. It is sent again with growing waits until the receiver accepts it, for a day.

import Client
import Database
import Posix
import SourceJSON
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
        guard verdict.state.isNews, isDelivered || before != verdict.state && !isReturn else { return nil }
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
    static let kind = "webhook"
    static let lifeMilliseconds = DeliveryPlan.dayMilliseconds

    /// The waits after failed attempts in seconds; the last one is repeated.
    private static let waits: [Int64] = [10, 60, 300, 1_800, 3_600]

    static func waitMilliseconds(tries: Int64) -> Int64 {
        waits[Int(min(max(0, tries), Int64(waits.count - 1)))] * 1_000
    }

    static func add(
        _ event: DeliveryEvent, to targets: [WebhookTarget], in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let id = hexadecimal((0..<16).map { _ in .random(in: .min ... .max) })
        for target in targets {
            let key = "\(target.id) \(id)"
            try Work.add(kind, key, state: "waiting", due: event.at, in: transaction)
            try transaction.execute(
                "update work set journal = ? where kind = ? and key = ?",
                "\(event.at)\n\(String(decoding: event.json(id: id), as: UTF8.self))", kind, key)
        }
    }

    static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension WebhookTarget {
    /// Its messages name it by this, so that those to a receiver that is no longer in the settings are dropped.
    var id: String { String(WebhookWork.hexadecimal(Digest.sha256(Array("\(location)".utf8))).prefix(16)) }

    /// The value of the field with the signature.
    func signature(of body: [UInt8]) -> String {
        "sha256=\(WebhookWork.hexadecimal(MessageCode.hs256.code(of: body, key: secret)))"
    }
}

/// Sends the messages. Used by one thread.
public struct WebhookWorker: ~Copyable {
    private let number: Int
    private let control: ManagerControl
    private let targets: [WebhookTarget]
    private let holder: String
    private var store: Store
    private var web: WebSession

    private static let milliseconds = 10_000
    private static let bodyBytesMax = 65_536
    private static let restMilliseconds: Int64 = 5_000

    public init(
        _ number: Int, _ rules: DeliveryRules, _ control: ManagerControl, holder: String, store: consuming Store
    ) throws(TLSError) {
        (self.number, self.control, targets) = (number, control, rules.webhooks)
        self.holder = "\(holder)/\(number)"
        var settings = WebSessionSettings()
        settings.userAgent = rules.userAgent
        settings.limits.milliseconds = WebhookWorker.milliseconds
        settings.limits.bodyBytesMax = WebhookWorker.bodyBytesMax
        web = WebSession(try ClientContext(authorityFile: nil), settings)
        self.store = store
    }

    /// Works until the process ends.
    public mutating func run() {
        while !control.isStopping {
            do throws(DatabaseError) {
                if try !step() { control.rest(number, milliseconds: WebhookWorker.restMilliseconds) }
            } catch {
                control.noteStore(error)
                control.rest(number, milliseconds: WebhookWorker.restMilliseconds)
            }
        }
    }

    /// Sends one message.
    /// - Returns: false if none is due.
    mutating func step() throws(DatabaseError) -> Bool {
        let holder = holder
        let claimed = try store.write { transaction throws(DatabaseError) in
            try Work.claim(WebhookWork.kind, by: holder, in: transaction)
        }
        guard let work = claimed else { return false }
        let parts = (work.journal ?? "").split(separator: "\n", maxSplits: 1)
        let id = work.key.split(separator: " ").first.map(String.init)
        guard parts.count == 2, let at = Int64(parts[0]), let target = targets.first(where: { $0.id == id }) else {
            try finish(work)
            return true
        }
        guard let problem = post(Array(parts[1].utf8), to: target) else {
            try finish(work)
            return true
        }
        let isLast = Clock.wallSeconds() * 1_000 - at >= WebhookWork.lifeMilliseconds
        if isLast || work.tries == 0 {
            control.log(
                .warning,
                "cannot send a message to the webhook at \(target.location.host): \(problem); "
                    + (isLast ? "giving up after a day" : "trying again for a day"))
        }
        if isLast {
            try finish(work)
            return true
        }
        let journal = work.journal
        try store.write { transaction throws(DatabaseError) in
            _ = try work.postpone(
                to: try transaction.now() + WebhookWork.waitMilliseconds(tries: work.tries), state: "failing",
                problem: problem, tries: work.tries + 1, journal: journal, in: transaction)
        }
        return true
    }

    private mutating func finish(_ work: Work) throws(DatabaseError) {
        try store.write { transaction throws(DatabaseError) in _ = try work.finish(in: transaction) }
    }

    /// - Returns: why the receiver has not accepted it; nil if it has.
    private mutating func post(_ body: [UInt8], to target: WebhookTarget) -> String? {
        let fields: [FetchedResponse.Field] = [
            .init(name: "Content-Type", value: "application/json"),
            .init(name: "Associated-Signature", value: target.signature(of: body)),
        ]
        do throws(FetchError) {
            let response = try web.send(target.location, method: "POST", fields: fields, body: body)
            return (200..<300).contains(response.status) ? nil : "it answers \(response.status)"
        } catch {
            return "\(error)"
        }
    }
}
