// The account key at certificate authorities: one for all authorities and all nodes, so that each server can answer every
// challenge with one thumbprint. It is created by the first manager, or imported, and stored sealed.
//
// It is replaced in three steps, each of which is one change of one row, so a crash between them loses nothing. First the next key
// is stored with the present one, and no node begins work on certificates any more. When none is under way, the next key becomes
// the key, and the present one is kept as the previous one. Then each authority is told, before its next order at the latest:
// whether it still knows the previous key shows whether it has been told before.

public import ACME
public import Database
public import Posix
import SourceJSON
import TLS

/// The stored account key, as one thread knows it.
public struct AccountSecret: Sendable {
    public private(set) var key: AccountKey
    /// The key that takes the place of `key` when no certificate is worked on.
    public private(set) var next: AccountKey?
    /// The key before, as long as an authority may know only that one.
    public private(set) var previous: AccountKey?
    /// As it is stored.
    private var sealed: [UInt8] = []

    private static let name = "acme-account"
    /// The place for which it is sealed.
    static let place = "secret/\(name)"

    private init(_ key: AccountKey, previous: AccountKey? = nil) { (self.key, self.previous) = (key, previous) }

    /// The key in the store, created if there is none.
    public static func load(_ store: inout Store) throws(DatabaseError) -> AccountSecret {
        var stored = try store.read { transaction throws(DatabaseError) in try sealed(in: transaction) }
        if stored == nil {
            let key = try sealing { () throws(TLSError) in AccountKey(try SigningKey(.p256)) }
            stored = try save(key, &store).sealed
        }
        var (secret, isOutdated) = try open(stored ?? [], store.keys)
        // Sealed with a sealing key that is being replaced, and still the same account.
        if isOutdated { try secret.change(&store) { _ in } }
        return secret
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
        let fresh = try AccountSecret(key).seal(store.keys)
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
        var present = try open(sealed, store.keys).secret
        if present.key.thumbprint == key.thumbprint { return .known }
        guard replaces else { return .refused(thumbprint: present.key.thumbprint) }
        try present.change(&store) { $0 = AccountSecret(key) }
        // The authorities may have refused the key that was replaced.
        try store.write(isRepeatable: true) { transaction throws(DatabaseError) in
            try transaction.execute(
                "update work set due = ?, tries = 0 where kind = ? and state = ?", try transaction.now(),
                CertificateWork.kind, IssuanceState.paused.rawValue)
        }
        return .replaced
    }

    /// Stores a key that takes the place of the present one when no certificate is worked on. Does nothing if the last replacement is
    /// not complete.
    public mutating func prepare(_ next: AccountKey, _ store: inout Store) throws(DatabaseError) {
        if self.next == nil, previous == nil { try change(&store) { $0.next = next } }
    }

    /// Makes the next key the key, unless a node works on a certificate: a validation that is under way uses the present one.
    public mutating func advance(_ store: inout Store) throws(DatabaseError) {
        guard let next else { return }
        func isIdle(_ transaction: borrowing Transaction) throws(DatabaseError) -> Bool {
            try transaction.query(
                "select 1 from work where kind = ? and until > ? limit 1", CertificateWork.kind, try transaction.now()
            ).isEmpty
        }
        try change(&store, if: isIdle) { $0 = AccountSecret(next, previous: $0.key) }
    }

    /// Forgets the previous key, because all authorities know the present one.
    public mutating func finish(_ store: inout Store) throws(DatabaseError) {
        if previous != nil { try change(&store) { $0.previous = nil } }
    }

    /// Changes what is stored, unless another process has done so, and takes what is stored then.
    private mutating func change(
        _ store: inout Store, if condition: (borrowing Transaction) throws(DatabaseError) -> Bool = { _ in true },
        _ body: (inout AccountSecret) -> Void
    ) throws(DatabaseError) {
        var changed = self
        body(&changed)
        let (fresh, present) = (try changed.seal(store.keys), sealed)
        let stored = try store.write(isRepeatable: true) { transaction throws(DatabaseError) in
            if try condition(transaction) {
                try transaction.execute(
                    "update secret set sealed = ? where name = ? and sealed = ?", fresh, AccountSecret.name, present)
            }
            return try AccountSecret.sealed(in: transaction)
        }
        self = try AccountSecret.open(stored ?? [], store.keys).secret
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

    /// A key alone is stored in PEM, as by earlier versions; with others, it is in an object.
    private func seal(_ keys: SealingKeys) throws(DatabaseError) -> [UInt8] {
        var text = key.key.pem
        if next != nil || previous != nil {
            let members = [("key", key), ("next", next), ("previous", previous)]
            text = SourceWriter.minified(
                .object(
                    members.compactMap { name, key in
                        key.map { (name, .string(String(decoding: $0.key.pem, as: UTF8.self))) }
                    }))
        }
        return try AccountSecret.sealing { () throws(TLSError) in try keys.seal(text, for: AccountSecret.place) }
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
        let object = SourceReader.read(opened.secret, as: .json).value
        func key(_ text: [UInt8]) throws(DatabaseError) -> AccountKey {
            try sealing { () throws(TLSError) in AccountKey(try SigningKey(reading: text)) }
        }
        func member(_ name: String) -> [UInt8]? { object?.member(named: name)?.asString.map { Array($0.utf8) } }
        var secret = AccountSecret(try key(member("key") ?? opened.secret))
        if let next = member("next") { secret.next = try key(next) }
        if let previous = member("previous") { secret.previous = try key(previous) }
        secret.sealed = sealed
        return (secret, opened.isOutdated)
    }

    private static func sealing<Result>(_ body: () throws(TLSError) -> Result) throws(DatabaseError) -> Result {
        do throws(TLSError) { return try body() } catch {
            throw DatabaseError(.wrongKey, "its account key cannot be used: \(error)")
        }
    }
}
