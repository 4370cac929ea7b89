// The account key at certificate authorities: one for all authorities and all nodes, so that each server can answer every
// challenge with one thumbprint. It is created by the first manager, or imported, and stored sealed.

public import ACME
public import Database
public import Posix
import TLS

/// The stored account key.
public enum AccountSecret {
    private static let name = "acme-account"

    /// The key in the store, created if there is none.
    public static func load(_ store: inout Store) throws(DatabaseError) -> AccountKey {
        let place = StoredSecret.sealingPlace(name)
        let fresh = try sealing { () throws(TLSError) in
            try store.keys.seal(try SigningKey(.p256).pem, for: place)
        }
        let sealed = try store.write(isRepeatable: true) { transaction throws(DatabaseError) in
            try StoredSecret.saveIfAbsent(name, sealed: fresh, in: transaction)
        }
        return try open(sealed, store.keys)
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
    /// - Parameter replaces: whether it takes the place of another key.
    public static func adopt(_ key: AccountKey, replaces: Bool, _ store: inout Store) throws(DatabaseError) -> Adoption
    {
        let place = StoredSecret.sealingPlace(name)
        let fresh = try sealing { () throws(TLSError) in try store.keys.seal(key.key.pem, for: place) }
        let sealed = try store.write(isRepeatable: true) { transaction throws(DatabaseError) in
            try StoredSecret.saveIfAbsent(name, sealed: fresh, in: transaction)
        }
        if sealed == fresh { return .stored }
        let present = try open(sealed, store.keys)
        if present.thumbprint == key.thumbprint { return .known }
        guard replaces else { return .refused(thumbprint: present.thumbprint) }
        try store.write(isRepeatable: true) { transaction throws(DatabaseError) in
            try StoredSecret.replace(name, sealed: fresh, in: transaction)
        }
        return .replaced
    }

    /// Writes the thumbprint of the key for the server.
    public static func publish(_ key: AccountKey, at path: String) throws(SystemError) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.dropLast().joined(separator: "/")
        try Directory.create(folder, permissions: 0o700)
        try IssuedFiles.replace(String(parts.last ?? ""), in: folder, Array("\(key.thumbprint)\n".utf8))
    }

    private static func open(_ sealed: [UInt8], _ keys: SealingKeys) throws(DatabaseError) -> AccountKey {
        let pem: [UInt8]
        do throws(TLSError) { pem = try keys.open(sealed, for: StoredSecret.sealingPlace(name)).secret } catch {
            throw DatabaseError(
                .wrongKey,
                "manager.key, or the file of `store.keyFile`, is not the key of this database; restore the copy that belongs "
                    + "to it")
        }
        return try sealing { () throws(TLSError) in AccountKey(try SigningKey(reading: pem)) }
    }

    private static func sealing<Result>(_ body: () throws(TLSError) -> Result) throws(DatabaseError) -> Result {
        do throws(TLSError) { return try body() } catch {
            throw DatabaseError(.wrongKey, "its account key cannot be used: \(error)")
        }
    }
}
