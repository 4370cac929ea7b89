// The account key at certificate authorities: one for all authorities and all nodes, so that each server can answer every
// challenge with one thumbprint. It is created by the first manager and stored sealed.

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
        return try sealing { () throws(TLSError) in
            AccountKey(try SigningKey(reading: try store.keys.open(sealed, for: place).secret))
        }
    }

    /// Writes the thumbprint of the key for the server.
    public static func publish(_ key: AccountKey, at path: String) throws(SystemError) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.dropLast().joined(separator: "/")
        try Directory.create(folder, permissions: 0o700)
        try IssuedFiles.replace(String(parts.last ?? ""), in: folder, Array("\(key.thumbprint)\n".utf8))
    }

    private static func sealing<Result>(_ body: () throws(TLSError) -> Result) throws(DatabaseError) -> Result {
        do throws(TLSError) { return try body() } catch {
            throw DatabaseError(.wrongKey, "its account key cannot be used: \(error)")
        }
    }
}
