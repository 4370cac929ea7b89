// Certificates for working at home: an authority of this machine's own, made at its first use, and with it a certificate
// for each host, made when it is asked for and kept in memory. Its key never leaves the state directory, its name says what
// it is for, and nothing of it is ever written into `config/`.

import COpenSSL
import Posix
import Synchronization

/// A development authority: `development-ca.pem`, to be trusted by curl or a browser, and `development-ca.key`.
public final class DevelopmentAuthority: Sendable {
    static let authorityDays = 3650
    static let leafDays = 60
    static let day: Int64 = 86_400
    /// Certificates that are kept; more are made again when they are asked for.
    static let identitiesMax = 1024

    /// For `curl --cacert`.
    public let certificatePath: String
    private let authority: Credentials
    private let issued: Mutex<HostCache<ServerIdentity>>

    /// Reads the authority in a directory, or makes it there. Of several processes that do so at once, one wins and all
    /// use its authority.
    public init(directory: String) throws(TLSError) {
        certificatePath = directory + "/development-ca.pem"
        let keyPath = directory + "/development-ca.key"
        issued = Mutex(HostCache(capacity: DevelopmentAuthority.identitiesMax))
        try DevelopmentAuthority.makeKey(keyPath, in: directory)
        do throws(CertificateProblem) {
            let key = try KeyFile(reading: keyPath).open(nil)
            try DevelopmentAuthority.makeCertificate(certificatePath, for: key)
            authority = try Credentials(
                certificateFile: certificatePath, keyFile: keyPath, passphrase: nil, pool: ChainPool())
        } catch {
            throw DevelopmentAuthority.failure("\(error.file): \(error.message)", certificatePath, keyPath)
        }
        let left = authority.certificate.notAfter - Clock.wallSeconds()
        if left < Int64(DevelopmentAuthority.leafDays) * DevelopmentAuthority.day {
            throw DevelopmentAuthority.failure(
                "it expires within \(DevelopmentAuthority.leafDays) days", certificatePath, keyPath)
        }
    }

    /// The certificate for a host, made if need be (about 100 µs). The host is in lower case; an empty one stands for
    /// clients that name none, and gets a certificate for the addresses of this machine.
    func identity(for host: Span<UInt8>) throws(TLSError) -> ServerIdentity {
        if let known = knownIdentity(for: host) { return known }
        let made = unsafe ServerIdentity(
            try issue(host.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }), nil)
        issued.withLock { $0.insert(host, hash: HostKey.hash(host), made) }
        return made
    }

    /// The certificate for a host, if it was made before and is good for some time yet.
    func knownIdentity(for host: Span<UInt8>) -> ServerIdentity? {
        let hash = HostKey.hash(host)
        let known = issued.withLock { issued in issued.place(host, hash: hash).map { issued[$0] } }
        guard let known, known.notAfter - Clock.wallSeconds() > 7 * DevelopmentAuthority.day else { return nil }
        return known
    }

    /// Writes a host's certificate and key to new files, for other programs. Folders that are missing are made.
    public func write(for host: String, certificateFile: String, keyFile: String) throws(TLSError) {
        guard HostName.isValid(Array(host.utf8).span) else {
            throw TLSError("cannot make a certificate for \(host): it is not a host name in lower case")
        }
        for file in [certificateFile, keyFile] {
            guard let slash = file.lastIndex(of: "/"), slash != file.startIndex else { continue }
            let folder = String(file[..<slash])
            do throws(SystemError) {
                try Directory.create(folder, permissions: 0o755)
            } catch {
                throw TLSError("cannot make \(folder): \(error.reason)")
            }
        }
        let credentials = try issue(host)
        try DevelopmentAuthority.write(credentials.key, to: keyFile)
        try DevelopmentAuthority.write(credentials.certificate.pem, to: certificateFile)
    }

    private func issue(_ host: String) throws(TLSError) -> Credentials {
        let draft = CertificateDraft(
            commonName: "associated development certificate",
            alternativeNames: DevelopmentAuthority.alternativeNames(host), isAuthority: false,
            days: DevelopmentAuthority.leafDays)
        let key = try PrivateKey.generate()
        let certificate = try draft.certificate(for: key, by: authority)
        let name = "development certificate for \(host.isEmpty ? "localhost" : host)"
        return Credentials(
            certificate: certificate, chain: nil, key: key, problems: [], certificateFile: name, keyFile: name)
    }

    private static func alternativeNames(_ host: String) -> String {
        if host.isEmpty || host == "localhost" { return "DNS:localhost,IP:127.0.0.1,IP:::1" }
        guard let address = unsafe a2i_IPADDRESS(host) else {
            OpenSSLFailure.forget()
            return "DNS:\(host)"
        }
        unsafe ASN1_STRING_free(address)
        return "IP:\(host)"
    }

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
            let isNew = try unsafe key.withPEM { (bytes) throws(SystemError) in
                try unsafe File.create(path, bytes, permissions: 0o600)
            }
            if let isNew { return isNew }
        } catch {
            throw TLSError("cannot write \(path): \(error.reason)")
        }
        throw .draining("cannot write \(path)")
    }

    private static func create(_ pem: [UInt8], _ path: String) throws(TLSError) -> Bool {
        do throws(SystemError) {
            return try unsafe pem.span.withUnsafeBytes { (bytes) throws(SystemError) in
                try unsafe File.create(path, bytes, permissions: 0o644)
            }
        } catch {
            throw TLSError("cannot write \(path): \(error.reason)")
        }
    }
}
