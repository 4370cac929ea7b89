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
        let (key, isOutdated) = try open(sealed, store.keys)
        if isOutdated {
            // Sealed with the key that `fresh` is not sealed with any more, and still the same account.
            let renewed = try sealing { () throws(TLSError) in try store.keys.seal(key.key.pem, for: place) }
            try store.write(isRepeatable: true) { transaction throws(DatabaseError) in
                try StoredSecret.replace(name, sealed: renewed, insteadOf: sealed, in: transaction)
            }
        }
        return key
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
        let present = try open(sealed, store.keys).key
        if present.thumbprint == key.thumbprint { return .known }
        guard replaces else { return .refused(thumbprint: present.thumbprint) }
        try store.write(isRepeatable: true) { transaction throws(DatabaseError) in
            try StoredSecret.replace(name, sealed: fresh, insteadOf: sealed, in: transaction)
        }
        return .replaced
    }

    /// Writes the thumbprint of the key for the server, unless it is there.
    public static func publish(_ key: AccountKey, at path: String) throws(SystemError) {
        let bytes = Array("\(key.thumbprint)\n".utf8)
        if (try? File.read(path, bytesMax: bytes.count + 1).bytes) == bytes { return }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.dropLast().joined(separator: "/")
        try Directory.create(folder, permissions: 0o700)
        try IssuedFiles.replace(String(parts.last ?? ""), in: folder, bytes)
    }

    private static func open(
        _ sealed: [UInt8], _ keys: SealingKeys
    ) throws(DatabaseError) -> (key: AccountKey, isOutdated: Bool) {
        let opened: (secret: [UInt8], isOutdated: Bool)
        do throws(TLSError) { opened = try keys.open(sealed, for: StoredSecret.sealingPlace(name)) } catch {
            throw DatabaseError(
                .wrongKey,
                "manager.key, or the file of `store.keyFile`, is not the key of this database; restore the copy that belongs "
                    + "to it")
        }
        let key = try sealing { () throws(TLSError) in AccountKey(try SigningKey(reading: opened.secret)) }
        return (key, opened.isOutdated)
    }

    private static func sealing<Result>(_ body: () throws(TLSError) -> Result) throws(DatabaseError) -> Result {
        do throws(TLSError) { return try body() } catch {
            throw DatabaseError(.wrongKey, "its account key cannot be used: \(error)")
        }
    }
}
