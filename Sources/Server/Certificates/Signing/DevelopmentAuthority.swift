// Certificates for development: a certificate authority of this machine, created at its first use. It issues a certificate for
// each host when a client first asks for it, and keeps it in memory. Its key stays in the state directory, its name states its
// purpose, and it writes nothing to `config/`.

import Posix
import Synchronization
public import TLS

/// A development authority: `development-ca.pem`, to be trusted by curl or a browser, and `development-ca.key`.
public final class DevelopmentAuthority: Sendable {
    static let authorityDays = 3650
    static let leafDays = 60
    static let day: Int64 = 86_400
    /// Certificates that are kept in memory; others are issued again.
    static let identitiesMax = 1024

    /// For `curl --cacert`.
    public let certificatePath: String
    private let authority: ServerIdentity
    private let issued: Mutex<HostCache<ServerIdentity>>

    /// Reads the authority in a directory, or creates it. If several processes create it at once, one wins and all use its
    /// authority.
    public init(directory: String) throws(TLSError) {
        certificatePath = directory + "/development-ca.pem"
        let keyPath = directory + "/development-ca.key"
        issued = Mutex(HostCache(room: DevelopmentAuthority.identitiesMax))
        try DevelopmentAuthority.makeKey(keyPath, in: directory)
        do throws(CertificateProblem) {
            let key = try KeyFile(reading: keyPath).open()
            try DevelopmentAuthority.makeCertificate(certificatePath, for: key)
            authority = try ServerIdentity(certificateFile: certificatePath, keyFile: keyPath)
        } catch {
            throw DevelopmentAuthority.failure("\(error.file): \(error.message)", certificatePath, keyPath)
        }
        let left = authority.certificate.notAfter - Clock.wallSeconds()
        if left < Int64(DevelopmentAuthority.leafDays) * DevelopmentAuthority.day {
            throw DevelopmentAuthority.failure(
                "it expires within \(DevelopmentAuthority.leafDays) days", certificatePath, keyPath)
        }
    }

    /// The certificate for a host in lower case, issued (in about 100 µs) unless there is one that is valid for another week. The
    /// empty host is for clients that send no name; its certificate is for the addresses of this machine.
    public func identity(for host: Span<UInt8>) throws(TLSError) -> ServerIdentity {
        if let known = known(host) { return known }
        let made = try unsafe issue(host.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) })
        issued.withLock { _ = $0.insert(host, made) }
        return made
    }

    /// The certificate that was issued for a host, if it is valid for another week.
    public func known(_ host: Span<UInt8>) -> ServerIdentity? {
        let known = issued.withLock { issued in issued.place(host).map { issued[$0] } }
        guard let known, known.notAfter - Clock.wallSeconds() > 7 * DevelopmentAuthority.day else { return nil }
        return known
    }

    /// Writes a host's certificate and key to new files, for other programs. Creates missing folders.
    public func write(for host: String, certificateFile: String, keyFile: String) throws(TLSError) {
        guard HostName.isValid(Array(host.utf8).span) else {
            throw TLSError("cannot create a certificate for \(host): it is not a host name in lower case")
        }
        for file in [certificateFile, keyFile] {
            guard let slash = file.lastIndex(of: "/"), slash != file.startIndex else { continue }
            let folder = String(file[..<slash])
            do throws(SystemError) {
                try Directory.create(folder, permissions: 0o755)
            } catch {
                throw TLSError("cannot create \(folder): \(error.reason)")
            }
        }
        let credentials = try issue(host)
        try DevelopmentAuthority.require(isNew: DevelopmentAuthority.create(credentials.key, keyFile), keyFile)
        try DevelopmentAuthority.require(
            isNew: DevelopmentAuthority.create(credentials.certificate.pem, certificateFile), certificateFile)
    }

    private func issue(_ host: String) throws(TLSError) -> ServerIdentity {
        let draft = CertificateDraft(
            commonName: "associated development certificate",
            alternativeNames: CertificateDraft.alternativeNames(host), isAuthority: false,
            days: DevelopmentAuthority.leafDays)
        let key = try PrivateKey.generate()
        let certificate = try draft.certificate(for: key, by: authority)
        let name = "development certificate for \(host.isEmpty ? "localhost" : host)"
        return ServerIdentity(
            certificate: certificate, chain: nil, key: key, problems: [], certificateFile: name)
    }

    /// Creates the key, unless it exists.
    static func makeKey(_ path: String, in directory: String) throws(TLSError) {
        do throws(SystemError) {
            try Directory.createPrivate(directory, permissions: 0o755)
        } catch {
            throw TLSError(
                "cannot create \(directory) for the development authority: \(error.reason); "
                    + "choose a state directory that can be written")
        }
        if let status = try? File.status(path) {
            if status.permissions & 0o077 == 0 { return }
            throw TLSError(
                "cannot use the development authority: other users can read its key, and so impersonate any site; chmod 600 "
                    + path)
        }
        let key = try PrivateKey.generate()
        _ = try create(key, path)
    }

    /// Creates the certificate, unless it exists.
    static func makeCertificate(_ path: String, for key: borrowing PrivateKey) throws(CertificateProblem) {
        if (try? File.status(path)) != nil { return }
        do throws(TLSError) {
            // A unique name, because a browser that trusts an older authority of the same name reports a bad signature.
            let number = String(UInt32.random(in: 0x10_0000...0xFF_FFFF), radix: 16)
            let draft = CertificateDraft(
                commonName: "\(CertificateDraft.developmentAuthority) \(number) (do not trust elsewhere)",
                alternativeNames: nil, isAuthority: true, days: authorityDays)
            _ = try create(try draft.certificate(for: key).pem, path)
        } catch {
            throw CertificateProblem(
                .unreadableFile, file: path, error.description, fix: "make the state directory writable")
        }
    }

    private static func require(isNew: Bool, _ path: String) throws(TLSError) {
        if !isNew { throw TLSError("cannot write \(path): the file exists already; remove it first") }
    }

    static func failure(_ reason: String, _ certificatePath: String, _ keyPath: String) -> TLSError {
        TLSError(
            "cannot use the development authority: \(reason); remove \(certificatePath) and \(keyPath) to create a new one"
        )
    }

    private static func create(_ key: borrowing PrivateKey, _ path: String) throws(TLSError) -> Bool {
        let isNew = try unsafe key.withPEM { (bytes) throws(TLSError) in
            try unsafe create(path, bytes, permissions: 0o600)
        }
        guard let isNew else { throw .draining("cannot write \(path)") }
        return isNew
    }

    private static func create(_ pem: [UInt8], _ path: String) throws(TLSError) -> Bool {
        try unsafe pem.span.withUnsafeBytes { (bytes) throws(TLSError) in
            try unsafe create(path, bytes, permissions: 0o644)
        }
    }

    /// False if there is a file already.
    private static func create(
        _ path: String, _ bytes: UnsafeRawBufferPointer, permissions: UInt32
    ) throws(TLSError) -> Bool {
        do { return try unsafe File.create(path, bytes, permissions: permissions) } catch {
            throw TLSError("cannot write \(path): \(error.reason)")
        }
    }
}
