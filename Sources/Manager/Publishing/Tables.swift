// The tables of publishing, which join those of the store. Text without a variable: a change of the program does not change history.

public import Database

public enum PublishingTables {
    public static let tables = [
        Migration(version: 4, readerMin: 1) { dialect in
            [
                // `incarnation` is unused. To drop it would lock out programs that know only this migration.
                "create table feed (one bigint not null primary key, seq bigint not null, incarnation text not null)",
                "insert into feed values (1, 0, '')",
                """
                create table tenant (
                    name text not null primary key, created bigint not null, approval bigint not null, live bigint not null,
                    last bigint not null, seq bigint not null)
                """,
                "create index tenant_seq on tenant (seq)",
                """
                create table release (
                    tenant text not null, number bigint not null, base bigint not null, state text not null, retires bigint not null,
                    message text not null, source text not null, author text not null, created bigint not null, publish_at bigint,
                    approver text, live_at bigint, ended_at bigint, reason text, report text not null,
                    primary key (tenant, number))
                """,
                "create index release_due on release (state, publish_at)",
                """
                create table release_file (
                    tenant text not null, number bigint not null, name text not null, digest text not null,
                    primary key (tenant, number, name))
                """,
                "create index release_file_digest on release_file (digest)",
                "create table blob (digest text not null primary key, body \(dialect.blob) not null)",
                """
                create table outcome (
                    tenant text not null, node text not null, number bigint not null, state text not null, detail text not null,
                    at bigint not null, primary key (tenant, node))
                """,
                """
                create table claim (
                    host text not null, tenant text not null, state text not null, proof text not null, secret text not null,
                    created bigint not null, verified bigint, checked bigint, problem text not null, primary key (host, tenant))
                """,
                "create index claim_tenant on claim (tenant, host)",
                "create index claim_checked on claim (proof, checked)",
                """
                create table token (
                    id text not null primary key, hash \(dialect.blob) not null, tenant text not null, label text not null,
                    scopes text not null, author text not null, created bigint not null, expires bigint not null, used bigint)
                """,
                """
                create table audit (
                    seq bigint not null primary key, at bigint not null, actor text not null, tenant text not null,
                    action text not null, object text not null, detail text not null, hash text not null)
                """,
                "create index audit_tenant on audit (tenant, seq)",
            ]
        },
        Migration(version: 5, readerMin: 1) { _ in
            ["alter table release add column bytes bigint not null default 0"]
        },
    ]
}

/// What orders all changes of publishing: a writer locks its only row first, so that sequence order is commit order, and a reader that
/// has a number has everything below it.
enum Feed {
    /// Locks the feed until the transaction ends.
    static func lock(in transaction: borrowing Transaction) throws(DatabaseError) {
        _ = try transaction.lock("select seq from feed where one = 1")
    }

    /// Has all nodes look at a tenant again.
    static func advance(_ tenant: String, in transaction: borrowing Transaction) throws(DatabaseError) {
        try transaction.execute("update feed set seq = seq + 1 where one = 1")
        try transaction.execute(
            "update tenant set seq = (select seq from feed where one = 1) where name = ?", tenant)
    }
}
