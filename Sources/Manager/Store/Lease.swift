// Leases for tasks that one node at a time should do, such as removing old rows. A lease only saves effort: a task that must
// not run twice is `Work`, where each claim has a number.

public import Database

/// The right to do a task for some time.
public enum Lease {
    /// Takes the lease if it is free, or extends it.
    /// - Returns: false if another holder has it.
    public static func take(
        _ name: String, by holder: String, milliseconds: Int64, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            "insert into lease (name, holder, epoch, until) values (?, '', 0, 0) on conflict do nothing", name)
        let rows = try transaction.lock("select holder, until from lease where name = ?", name)
        let (holderBefore, until): (String, Int64) = (try rows[0][0], try rows[0][1])
        // Read after the lock, because getting the lock may take time.
        let now = try transaction.now()
        let isOurs = holderBefore == holder && until > now
        // A lease that lasts much longer was taken when the database's clock was ahead.
        guard isOurs || until <= now || until > now + 2 * milliseconds else { return false }
        try transaction.execute(
            "update lease set holder = ?, until = ? where name = ?", holder, now + milliseconds, name)
        return true
    }
}
