// The two files of a development authority. Each appears whole or not at all, and the first to make one wins; the key is
// nobody else's to read from its first byte on.

import COpenSSL
import Posix

extension DevelopmentAuthority {
    /// Makes the key unless it is there.
    static func makeKey(_ path: String, in directory: String) throws(TLSError) {
        do throws(SystemError) {
            try Directory.create(directory, permissions: 0o755)
        } catch {
            throw TLSError(
                "cannot make \(directory) for the development authority: \(error.reason); "
                    + "name a state directory that may be written to")
        }
        if let status = try? File.status(path) {
            if status.permissions & 0o077 == 0 { return }
            throw TLSError(
                "cannot use the development authority: others on this machine may use its key, and so pretend to be any "
                    + "site; chmod 600 \(path)")
        }
        let key = try PrivateKey.generate()
        _ = try create(key, path)
    }

    /// Makes the certificate unless it is there.
    static func makeCertificate(_ path: String, for key: borrowing PrivateKey) throws(CertificateProblem) {
        if (try? File.status(path)) != nil { return }
        do throws(TLSError) {
            // A name of its own, because a browser that trusts an older one of the same name reports a bad signature.
            let number = String(UInt32.random(in: 0x10_0000...0xFF_FFFF), radix: 16)
            let draft = CertificateDraft(
                commonName: "associated development CA \(number) (do not trust elsewhere)",
                alternativeNames: nil, isAuthority: true, days: authorityDays)
            _ = try create(try draft.certificate(for: key).pem, path)
        } catch {
            throw CertificateProblem(.unreadableFile, file: path, error.description, fix: "see the reason")
        }
    }

    /// Writes a key to a new file.
    static func write(_ key: borrowing PrivateKey, to path: String) throws(TLSError) {
        if try !create(key, path) { throw TLSError("cannot write \(path): there is a file; remove it first") }
    }

    /// Writes a certificate to a new file.
    static func write(_ pem: [UInt8], to path: String) throws(TLSError) {
        if try !create(pem, path) { throw TLSError("cannot write \(path): there is a file; remove it first") }
    }

    static func failure(_ reason: String, _ certificatePath: String, _ keyPath: String) -> TLSError {
        TLSError(
            "cannot use the development authority: \(reason); remove \(certificatePath) and \(keyPath), and a new one is "
                + "made")
    }

    private static func create(_ key: borrowing PrivateKey, _ path: String) throws(TLSError) -> Bool {
        do throws(SystemError) {
            let isNew = try key.withPEM { (bytes) throws(SystemError) in
                try File.create(path, bytes, permissions: 0o600)
            }
            if let isNew { return isNew }
        } catch {
            throw TLSError("cannot write \(path): \(error.reason)")
        }
        throw .draining("cannot write \(path)")
    }

    private static func create(_ pem: [UInt8], _ path: String) throws(TLSError) -> Bool {
        do throws(SystemError) {
            return try pem.span.withUnsafeBytes { (bytes) throws(SystemError) in
                try File.create(path, bytes, permissions: 0o644)
            }
        } catch {
            throw TLSError("cannot write \(path): \(error.reason)")
        }
    }
}
