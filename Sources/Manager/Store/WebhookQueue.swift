// Messages to receivers that the operator names, with the body of Standard Webhooks. A message is work in the store, with its body as the
// journal, so it survives a restart. It is added in the transaction of what it tells, and sent again until the receiver accepts it.

public import Database
import Posix
import TLS

/// Where messages wait, for whoever has one.
public struct WebhookQueue: Sendable {
    /// One for each receiver, so that a receiver that hangs delays no other.
    private let kinds: [Work.Kind]

    public static let kindPrefix = "webhook/"
    /// The only state, so that its time is that of the event.
    public static let waiting = "waiting"
    private static let lifeMilliseconds: Int64 = 86_400_000

    public init(_ kinds: [Work.Kind] = []) { self.kinds = kinds }

    public var isEmpty: Bool { kinds.isEmpty }

    /// - Parameters:
    ///   - type: what has happened, such as `release.live`.
    ///   - tenant: whose turn the message has.
    ///   - data: an object in JSON.
    public func add(
        _ type: String, of tenant: String, _ data: [UInt8], in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let (now, id) = (try transaction.now(), Digest.hexadecimal((0..<16).map { _ in .random(in: .min ... .max) }))
        let seconds = now / 1_000
        let time = [seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        let body =
            "{\"type\":\"\(type)\",\"timestamp\":\"\(Clock.day(seconds))T\(time.joined(separator: ":"))Z\",\"data\":"
            + "\(String(decoding: data, as: UTF8.self))}"
        for kind in kinds {
            try Work.add(kind, id, tenant: tenant, state: WebhookQueue.waiting, due: now, in: transaction)
            try transaction.execute("update work set journal = ? where kind = ? and key = ?", body, kind, id)
        }
    }

    /// How many messages no receiver has accepted at the first attempt, and why; nil if there are none.
    public static func refused(
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> (count: Int, problem: String)? {
        let row = try transaction.query(
            "select count(*), max(problem) from work where kind like ? and tries > 0", "\(kindPrefix)%")[0]
        let (count, problem): (Int64, String?) = (try row[0], try row[1])
        return count == 0 ? nil : (Int(count), problem ?? "")
    }

    /// Removes the messages that are a day old. They include those to receivers that are only in the settings of other nodes, or
    /// no longer in any.
    /// - Returns: how many there were.
    public static func removeOld(in transaction: borrowing Transaction) throws(DatabaseError) -> Int {
        let now = try transaction.now()
        return try transaction.execute(
            "delete from work where kind like ? and since < ? and (until is null or until <= ?)", "\(kindPrefix)%",
            now - lifeMilliseconds, now)
    }
}
