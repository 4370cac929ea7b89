// The account key at certificate authorities: one for all authorities and all nodes, so that each server can answer every
// challenge with one thumbprint. It is created by the first manager, or imported, and stored sealed. A key that replaces it has accounts of its own; the former
// ones stay at the authorities.

public import ACME
public import Database
public import Posix
import SourceJSON
public import Store
import TLS

/// The stored account key, as one thread knows it.
public struct AccountSecret: Sendable {
    public let key: AccountKey
    /// As it is stored.
    private let sealed: [UInt8]

    private static let name = "acme-account"
    /// The place for which it is sealed.
    static let place = "secret/\(name)"

    /// The key in the store, created if there is none.
    public static func load(_ store: inout Store) throws(DatabaseError) -> AccountSecret {
        var stored = try store.read { transaction throws(DatabaseError) in try sealed(in: transaction) }
        if stored == nil {
            let key = try sealing { () throws(TLSError) in AccountKey(try SigningKey(.p256)) }
            stored = try save(key, &store).sealed
        }
        let (secret, isOutdated) = try open(stored ?? [], store.keys)
        // Sealed with a sealing key that is being replaced, and still the same account.
        return isOutdated ? try secret.replace(by: secret.key, &store) : secret
    }

    private static func sealed(in transaction: borrowing Transaction) throws(DatabaseError) -> [UInt8]? {
        try transaction.query("select sealed from secret where name = ?", name).first.map { row throws(DatabaseError) in
            try row[0]
        }
    }

    /// Stores a key unless there is one.
    /// - Returns: the stored one, so that several nodes that create one at the same time all use the same.
    private static func save(
        _ key: AccountKey, _ store: inout Store
    ) throws(DatabaseError) -> (sealed: [UInt8], isNew: Bool) {
        let fresh = try seal(key, store.keys)
        let stored = try store.write(isRepeatable: true) { transaction throws(DatabaseError) in
            try transaction.execute(
                "insert into secret (name, sealed) values (?, ?) on conflict do nothing", name, fresh)
            return try sealed(in: transaction) ?? fresh
        }
        return (stored, stored == fresh)
    }

    /// Whether the store has nothing newer.
    func isCurrent(in transaction: borrowing Transaction) throws(DatabaseError) -> Bool {
        try AccountSecret.sealed(in: transaction) == sealed
    }

    /// What has become of a key from elsewhere.
    public enum Adoption: Hashable, Sendable {
        /// The store had none.
        case stored
        /// The store has this key already.
        case known
        /// It is stored in place of another one.
        case replaced
        /// The store keeps another key, with this thumbprint.
        case refused(thumbprint: String)
    }

    /// Stores a key from elsewhere.
    /// - Parameter replaces: whether it takes the place of another key, whose accounts are given up.
    public static func adopt(_ key: AccountKey, replaces: Bool, _ store: inout Store) throws(DatabaseError) -> Adoption
    {
        let (sealed, isNew) = try save(key, &store)
        if isNew { return .stored }
        let present = try open(sealed, store.keys).secret
        if present.key.thumbprint == key.thumbprint { return .known }
        guard replaces else { return .refused(thumbprint: present.key.thumbprint) }
        _ = try present.replace(by: key, &store)
        // The authorities may have refused the key that was replaced.
        try store.write(isRepeatable: true) { transaction throws(DatabaseError) in
            try transaction.execute(
                "update work set due = ?, tries = 0 where kind = ? and state = ?", try transaction.now(),
                CertificateWork.kind, IssuanceState.paused.rawValue)
        }
        return .replaced
    }

    /// Stores a key in place of this one, unless another process has done so.
    /// - Returns: what is stored then.
    private func replace(by key: AccountKey, _ store: inout Store) throws(DatabaseError) -> AccountSecret {
        let (fresh, present) = (try AccountSecret.seal(key, store.keys), sealed)
        let stored = try store.write(isRepeatable: true) { transaction throws(DatabaseError) in
            try transaction.execute(
                "update secret set sealed = ? where name = ? and sealed = ?", fresh, AccountSecret.name, present)
            return try AccountSecret.sealed(in: transaction)
        }
        return try AccountSecret.open(stored ?? [], store.keys).secret
    }

    /// Writes the thumbprint of the key for the server, unless it is there.
    public func publish(at path: String) throws(SystemError) {
        let bytes = Array("\(key.thumbprint)\n".utf8)
        if (try? File.read(path, bytesMax: bytes.count + 1).bytes) == bytes { return }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.dropLast().joined(separator: "/")
        try Directory.create(folder, permissions: 0o700)
        try IssuedFiles.replace(String(parts.last ?? ""), in: folder, bytes)
    }

    /// What a warning says if this node has answered challenges with another key before; nil if it has not. Read it before `publish`.
    public func surprise(at path: String) -> String? {
        guard let bytes = try? File.read(path, bytesMax: 256).bytes else { return nil }
        let last = String(decoding: bytes, as: UTF8.self).prefix { !$0.isWhitespace }
        if last.isEmpty || last == key.thumbprint { return nil }
        return
            "the store has the account key with the thumbprint \(key.thumbprint), and this node had \(last) before; if the store was "
            + "restored from a backup, run `associated acme account new`, because the former key may have been replaced for a reason"
    }

    private static func seal(_ key: AccountKey, _ keys: SealingKeys) throws(DatabaseError) -> [UInt8] {
        try sealing { () throws(TLSError) in try keys.seal(key.key.pem, for: place) }
    }

    private static func open(
        _ sealed: [UInt8], _ keys: SealingKeys
    ) throws(DatabaseError) -> (secret: AccountSecret, isOutdated: Bool) {
        let opened: (secret: [UInt8], isOutdated: Bool)
        do throws(TLSError) { opened = try keys.open(sealed, for: place) } catch {
            throw DatabaseError(
                .wrongKey,
                "manager.key, or the file of `store.keyFile`, is not the key of this database; restore the copy that belongs "
                    + "to it")
        }
        // While a key was being replaced, earlier versions stored it in an object with others.
        let member = SourceReader.read(opened.secret, as: .json).value?.member(named: "key")?.asString
        let pem = member.map { Array($0.utf8) } ?? opened.secret
        let key = try sealing { () throws(TLSError) in AccountKey(try SigningKey(reading: pem)) }
        return (AccountSecret(key: key, sealed: sealed), opened.isOutdated)
    }

    private static func sealing<Result>(_ body: () throws(TLSError) -> Result) throws(DatabaseError) -> Result {
        do throws(TLSError) { return try body() } catch {
            throw DatabaseError(.wrongKey, "its account key cannot be used: \(error)")
        }
    }
}
