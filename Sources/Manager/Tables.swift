// The tables that the manager adds to those of the store. Text without a variable: a change of the program does not change history.

public import Database
public import Store
public import TLS

extension Store {
    static let schema = Schema(Store.tables + CertificateWork.tables + DeliveryRecord.tables)

    public init(
        _ location: DatabaseLocation, keys: SealingKeys, limits: ConnectionLimits = ConnectionLimits()
    ) throws(DatabaseError) {
        try self.init(SQLConnection(location, limits: limits), keys: keys)
    }

    init(_ connection: consuming SQLConnection, keys: SealingKeys) throws(DatabaseError) {
        try self.init(connection, keys: keys, schema: Store.schema)
    }
}

extension CertificateWork {
    static let tables = [
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

extension DeliveryRecord {
    static let tables = [
        Migration(version: 1, readerMin: 1) { dialect in
            [
                """
                create table observation (
                    name text not null, verifier text not null, state text not null, since bigint not null,
                    digest \(dialect.blob), looked bigint not null, detail text not null, primary key (name, verifier))
                """
            ]
        },
        Migration(version: 2, readerMin: 1) { dialect in
            // Compared byte by byte, as the manager sorts names.
            let name = dialect == .postgreSQL ? "text collate \"C\"" : "text"
            return [
                """
                create table delivery (
                    name \(name) not null, verifier text not null, tag text not null, digest \(dialect.blob),
                    registered bigint not null, published bigint not null, fetched bigint, equal_at bigint,
                    settled bigint not null, gone bigint, primary key (name, verifier))
                """,
                """
                create table delivery_version (
                    name \(name) not null, verifier text not null, digest \(dialect.blob) not null, at bigint not null,
                    primary key (name, verifier, digest))
                """,
            ]
        },
    ]
}
