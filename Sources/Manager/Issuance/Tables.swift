// The tables of certificates, which join those of the store. Text without a variable: a change of the program does not change history.

public import Database

extension CertificateWork {
    public static let tables = [
        Migration(version: 1, readerMin: 1) { dialect in
            [
                """
                create table certificate (
                    name text not null, key_kind text not null, chain text not null, issuer text not null,
                    sealed_key \(dialect.blob) not null, not_before bigint not null, not_after bigint not null, renew_at bigint not null,
                    primary key (name, key_kind))
                """
            ]
        },
        Migration(version: 3, readerMin: 1) { _ in
            // Before, priorities of certificates were 1 for renewals, and 0 and less for the hosts of a domain.
            [
                """
                update work set priority = case
                    when state = 'queued' then 0
                    when state not like 'waiting-%' and priority > 0 then 2
                    else 1 end
                where kind = 'certificate'
                """
            ]
        },
    ]
}

extension CertificateWork {
    /// How long to leave a host alone that is to get a certificate here and has none yet, after so many tries; nil for the others.
    public static func wait(
        for host: String, tries: Int64, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Int64? {
        let count: Int64 = try transaction.query(
            """
            select count(*) from work left join certificate on certificate.name = work.key
            where work.kind = ? and work.key = ? and work.state not in (?, ?) and certificate.name is null
            """, kind, host, IssuanceState.issued.rawValue, IssuanceState.leaving.rawValue)[0][0]
        return count > 0 ? RenewalPlan.preflightMilliseconds(tries: tries) : nil
    }
}
