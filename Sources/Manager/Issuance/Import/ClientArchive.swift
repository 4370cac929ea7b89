// The accounts and certificates in the folder of another ACME client. Everything is read into memory before anything is stored:
// such a folder is readable by root, and the store belongs to the manager's user. The folder itself is never changed.

public import ACME
import Posix
public import TLS

/// What a folder of another ACME client contains.
public struct ClientArchive: Sendable {
    /// A key with an account at a certificate authority.
    public struct Account: Sendable {
        public let file: String
        /// Such as `ca.example/directory`, in the words of the client's folders; empty for a file that was named by itself.
        public let authority: String
        public let key: AccountKey

        fileprivate init(file: String, authority: String, key: AccountKey) {
            (self.file, self.authority, self.key) = (file, authority, key)
        }

        /// Reads one file, in any form that a client uses.
        public init(reading file: String) throws(Problem) {
            self.init(file: file, authority: "", key: try ClientArchive.accountKey(file))
        }
    }

    /// A certificate that clients accept now, with its key.
    public struct Certificate: Sendable {
        public let file: String
        public let chain: IssuedChain
        public let key: SigningKey

        /// - Parameter now: seconds since 1970.
        init(reading file: String, keyFile: String, now: Int64) throws(Problem) {
            let bytes = try ClientArchive.read(file, bytesMax: CertificateLimits.chainBytesMax, "the certificate")
            do throws(TLSError) { chain = try IssuedChain(pem: bytes) } catch { throw Problem(error.description) }
            key = try ClientArchive.signingKey(
                try ClientArchive.read(keyFile, bytesMax: ClientArchive.keyBytesMax, "its key \(keyFile)"))
            if let objection = CertificateChecks.objection(certificates: bytes, file: file, key: key, now: now) {
                // Old certificates, and those of development, are left behind on purpose.
                throw Problem(objection.message, isFailure: ![.expired, .selfSigned].contains(objection.kind))
            }
            guard chain.isFor(key) else { throw Problem("the host's certificate is not the first one in the file") }
            self.file = file
        }
    }

    /// A file that is not imported.
    public struct Omission: Hashable, Sendable {
        public let file: String
        public let reason: String
        /// Whether the operator expects that it is.
        public let isFailure: Bool
    }

    /// Why a folder or a file cannot be used.
    public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        public let description: String
        fileprivate let isFailure: Bool

        fileprivate init(_ description: String, isFailure: Bool = true) {
            (self.description, self.isFailure) = (description, isFailure)
        }
    }

    /// The client's name; nil for folders that any program may have made.
    public let client: String?
    public private(set) var accounts: [Account] = []
    public private(set) var certificates: [Certificate] = []
    public private(set) var omissions: [Omission] = []

    /// Each takes 10 KB until it is stored.
    private static let certificatesMax = 20_000
    private static let keyBytesMax = 32 * 1_024

    /// Reads a folder.
    /// - Parameter now: seconds since 1970.
    public init(reading folder: String, now: Int64) throws(Problem) {
        do throws(SystemError) { _ = try Directory.entries(folder) } catch {
            throw Problem("cannot read \(folder): \(error.reason)\(ClientArchive.remedy(error))")
        }
        let (layout, accounts, certificates) = try ClientArchive.recognize(folder)
        client = layout.client
        for (match, isAccount) in accounts.map({ ($0, true) }) + certificates.map({ ($0, false) }) {
            let file = "\(folder)/\(match.path)"
            do throws(Problem) {
                if let problem = match.problem { throw Problem("cannot be read: \(problem)") }
                if isAccount {
                    let key = try ClientArchive.accountKey(file)
                    self.accounts.append(Account(file: file, authority: layout.authority(of: match.path), key: key))
                } else if let keyFile = layout.keyFile(of: match.path) {
                    self.certificates.append(
                        try Certificate(reading: file, keyFile: "\(folder)/\(keyFile)", now: now))
                }
            } catch {
                omissions.append(Omission(file: file, reason: error.description, isFailure: error.isFailure))
            }
        }
    }

    /// The first layout that has a file in the folder.
    private static func recognize(
        _ folder: String
    ) throws(Problem) -> (ClientLayout, accounts: [FolderSearch.Match], certificates: [FolderSearch.Match]) {
        var unreadable: FolderSearch.Match?
        for layout in ClientLayout.all {
            let accounts = layout.accounts.map { FolderSearch(folder, for: $0) }
            let search = FolderSearch(folder, for: layout.certificates)
            let certificates = search.matches.filter { $0.problem != nil || layout.keyFile(of: $0.path) != nil }
            let found = (accounts?.matches ?? []) + certificates
            unreadable = unreadable ?? found.first { $0.problem != nil }
            guard found.contains(where: { $0.problem == nil }) else { continue }
            guard accounts?.isCut != true, !search.isCut, certificates.count <= certificatesMax else {
                throw Problem(
                    "\(folder) has more than \(certificatesMax) certificates, or too many folders; import parts of it, "
                        + "each as a folder with HOST/fullchain.pem and HOST/privkey.pem")
            }
            return (layout, accounts?.matches ?? [], certificates)
        }
        if let unreadable, case .system(let error)? = unreadable.problem {
            throw Problem("cannot read \(folder)/\(unreadable.path): \(error.reason)\(remedy(error))")
        }
        let known = ClientLayout.all.compactMap(\.client).joined(separator: ", ")
        throw Problem(
            "\(folder) is not the folder of a known ACME client (\(known)), and has no HOST/fullchain.pem; name the folder "
                + "with the accounts, such as /etc/letsencrypt or ~/.acme.sh")
    }

    private static func remedy(_ error: SystemError) -> String {
        error.cause == .permission ? "; run this command as the user who runs that client, usually root" : ""
    }

    /// Reads the key of an account: PEM, DER or a JSON Web Key.
    private static func accountKey(_ file: String) throws(Problem) -> AccountKey {
        let bytes = try read(file, bytesMax: keyBytesMax, "the key")
        let key: SigningKey
        // Neither PEM nor DER begins like this.
        if bytes.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "{") || file.hasSuffix(".json") {
            let der: [UInt8]
            do throws(WebKeyProblem) { der = try PrivateWebKey.der(bytes) } catch {
                throw Problem("cannot read the JSON Web Key: \(error)")
            }
            key = try signingKey(der)
        } else {
            key = try signingKey(bytes)
        }
        guard key.isConsistent else {
            throw Problem("the private key does not belong to the public key in the same file")
        }
        return AccountKey(key)
    }

    private static func signingKey(_ bytes: [UInt8]) throws(Problem) -> SigningKey {
        do throws(TLSError) { return try SigningKey(reading: bytes) } catch { throw Problem(error.description) }
    }

    private static func read(_ file: String, bytesMax: Int, _ what: String) throws(Problem) -> [UInt8] {
        do throws(FileError) { return try File.read(file, bytesMax: bytesMax).bytes } catch {
            throw Problem("cannot read \(what): \(error)")
        }
    }

    /// The accounts at an authority, each key once.
    public func accounts(at directory: AuthorityURL) -> [Account] {
        var thumbprints: Set<String> = []
        return accounts.filter { account in
            ClientArchive.isAuthority(account.authority, directory)
                && thumbprints.insert(account.key.thumbprint).inserted
        }
    }

    /// Clients replace some characters of the URL, and some leave out its port or its path.
    private static func isAuthority(_ name: String, _ directory: AuthorityURL) -> Bool {
        func plain(_ text: some StringProtocol) -> String { text.lowercased().filter { $0.isLetter || $0.isNumber } }
        let url = directory.text.dropFirst("https://".count)
        let place = url.prefix { $0 != "/" && $0 != "?" }
        let withoutPort = "\(directory.host)\(url.dropFirst(place.count))"
        return [plain(url), plain(place), plain(withoutPort), plain(directory.host)].contains(plain(name))
    }
}
