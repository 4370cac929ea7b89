// A task that one node at a time should do, such as removing old rows. It is a matter of economy, not of safety: what
// must not be done twice is work, with a number for each claim.

public import Database

/// The right to a task, for some time.
public struct Lease: Hashable, Sendable {
    public let name: String
    public let holder: String
    /// Grows each time the lease goes to another holder, or to the same one after it had lapsed.
    public let epoch: Int64

    /// Takes the lease if nobody has it, or keeps it for longer.
    /// - Returns: nil if another holder has it.
    public static func take(
        _ name: String, by holder: String, milliseconds: Int64, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Lease? {
        try transaction.execute(
            "insert into lease (name, holder, epoch, until) values (?, '', 0, 0) on conflict do nothing", name)
        let rows = try transaction.lock("select holder, epoch, until from lease where name = ?", name)
        let (holderBefore, epochBefore, until): (String, Int64, Int64) = (
            try rows[0][0], try rows[0][1], try rows[0][2]
        )
        // After the lock, for which this may have waited.
        let now = try transaction.now()
        let isOurs = holderBefore == holder && until > now
        guard isOurs || until <= now else { return nil }
        let epoch = isOurs ? epochBefore : epochBefore + 1
        try transaction.execute(
            "update lease set holder = ?, epoch = ?, until = ? where name = ?", holder, epoch, now + milliseconds, name)
        return Lease(name: name, holder: holder, epoch: epoch)
    }

    /// Gives the lease back, if it is still this one.
    public func release(in transaction: borrowing Transaction) throws(DatabaseError) {
        try transaction.execute(
            "update lease set until = 0 where name = ? and holder = ? and epoch = ?", name, holder, epoch)
    }
}
