// One host's certificate files, and how they are opened and read.
//
//   fullchain.pem  privkey.pem    the host's certificate and chain, and its key (certbot's names)
//
// The files of a host are opened below the host's own folder. Links in it may lead inside it, to certbot's folders and to the
// operator's link targets; a link to the key of another tenant is refused. A signer may use one pair of files with any names
// instead, which belong to the operator and are opened without these restrictions.
//
// The manager writes the certificates that it obtains into a folder of the same form. They are used for names without a certificate
// in `config/hosts`.

public import Posix
public import TLS

/// `config/hosts`, and where links in its folders may lead.
struct CertificateTree: Hashable, Sendable {
    let path: String
    let links: LinkTargets
    /// The folder with the manager's certificates.
    let managedPath: String?

    /// - Parameter links: link targets in addition to certbot's folders.
    init(_ path: String, links: LinkTargets, managedPath: String? = nil) {
        self.path = path
        self.links = links.adding(.certbot)
        self.managedPath = managedPath
    }
}

/// The certificate files of one folder below `config/hosts`, or one named pair.
struct CertificateFiles: Sendable {
    private let place: Place

    private enum Place: Sendable {
        case folder(CertificateFolder, CertificateTree)
        case pair(certificateFile: String, keyFile: String)
    }

    /// The files of a folder. The last one is only looked for: earlier versions served it to clients that know only RSA.
    static let names = ["fullchain.pem", "privkey.pem", "fullchain.rsa.pem"]

    /// The result of reading the files.
    enum Outcome {
        /// There is no certificate.
        case absent
        case identity(ServerIdentity)
        case failed(CertificateProblem)
    }

    init(_ folder: CertificateFolder, in tree: CertificateTree) { place = .folder(folder, tree) }

    init(certificateFile: String, keyFile: String) { place = .pair(certificateFile: certificateFile, keyFile: keyFile) }

    /// The indices of the files: certificate and key, and the one that is only looked for.
    private var places: Range<Int> {
        switch place {
        case .folder: CertificateFiles.names.indices
        case .pair: 0..<2
        }
    }

    /// The path of a file, for messages. Computed only when it is needed.
    func path(_ index: Int) -> String {
        switch place {
        case .folder(let folder, let tree): "\(root(folder, tree))/\(folder.name)/\(CertificateFiles.names[index])"
        case .pair(let certificateFile, let keyFile): index == 0 ? certificateFile : keyFile
        }
    }

    private func root(_ folder: CertificateFolder, _ tree: CertificateTree) -> String {
        guard let managed = tree.managedPath, !has(folder, in: tree.path), has(folder, in: managed) else {
            return tree.path
        }
        return managed
    }

    /// Whether there is a certificate, or that cannot be determined.
    private func has(_ folder: CertificateFolder, in root: String) -> Bool {
        do throws(FileError) {
            _ = try File.status("\(root)/\(folder.name)/\(CertificateFiles.names[0])")
            return true
        } catch {
            return !error.isMissing
        }
    }

    /// Whether the manager has a certificate that is not used, because `config/hosts` has one too.
    var overridesManaged: Bool {
        guard case .folder(let folder, let tree) = place, let managed = tree.managedPath else { return false }
        return has(folder, in: tree.path) && has(folder, in: managed)
    }

    /// The files with their open folder, if they have one.
    private struct Opened: ~Copyable {
        let files: CertificateFiles
        let folder: Folder?

        func status(_ index: Int) throws(FileError) -> FileStatus {
            switch folder {
            case .some(let folder): try folder.status(CertificateFiles.names[index])
            case .none: try File.status(files.path(index))
            }
        }

        func access(_ index: Int) throws(FileError) -> FileAccess {
            switch folder {
            case .some(let folder): try folder.access(CertificateFiles.names[index])
            case .none: try File.access(files.path(index))
            }
        }

        func isMissing(_ index: Int) -> Bool {
            do throws(FileError) {
                _ = try status(index)
                return false
            } catch {
                return error.isMissing
            }
        }

        func read(_ index: Int, bytesMax: Int) throws(FileError) -> [UInt8] {
            switch folder {
            case .some(let folder):
                // A file that is being written is read again later.
                return try folder.read(CertificateFiles.names[index], bytesMax: bytesMax)?.bytes ?? []
            case .none: return try File.read(files.path(index), bytesMax: bytesMax).bytes
            }
        }

        func secret(_ index: Int, bytesMax: Int) throws(FileError) -> SecretBytes {
            switch folder {
            case .some(let folder):
                try SecretBytes(reading: CertificateFiles.names[index], in: folder, bytesMax: bytesMax)
            case .none: try SecretBytes(reading: files.path(index), bytesMax: bytesMax)
            }
        }
    }
}

extension CertificateFiles {
    /// Throws if the folder is missing, cannot be opened or leads elsewhere.
    private func open() throws(FileError) -> Opened {
        guard case .folder(let folder, let tree) = place else { return Opened(files: self, folder: nil) }
        guard let managed = tree.managedPath else { return try open(folder, in: tree.path, tree.links) }
        do throws(FileError) {
            let own = try open(folder, in: tree.path, tree.links)
            if !own.isMissing(0) { return own }
        } catch {
            if !error.isMissing { throw error }
        }
        return try open(folder, in: managed, .none)
    }

    private func open(_ folder: CertificateFolder, in root: String, _ links: LinkTargets) throws(FileError) -> Opened {
        do throws(SystemError) {
            return Opened(files: self, folder: try Folder(tenant: folder.name, in: try Folder(root), links: links))
        } catch {
            throw .system(error)
        }
    }

    /// A hash of everything that the result of reading depends on: the metadata of the files. Nil if there is no certificate. It is the same for the same state in this process, but not in another one.
    func stamp() -> Int? {
        var hasher = Hasher()
        do throws(FileError) {
            let opened = try open()
            for index in places {
                do throws(FileError) {
                    hasher.combine(try opened.status(index))
                } catch {
                    // Only one system call for the many names without a certificate.
                    if index == 0 && error.isMissing { return nil }
                    hasher.combine(error)
                }
            }
        } catch {
            if error.isMissing { return nil }
            hasher.combine(error)
        }
        return hasher.finalize()
    }

    /// Whether there is a certificate, or that cannot be determined.
    var hasCertificate: Bool { has(0..<1) }

    /// Whether there is any of the files, or that cannot be determined.
    var hasAny: Bool { has(places) }

    private func has(_ indices: Range<Int>) -> Bool {
        do throws(FileError) {
            let opened = try open()
            return indices.contains { !opened.isMissing($0) }
        } catch {
            return !error.isMissing
        }
    }

    /// When the newest of the files was written, in seconds since 1970.
    func modified() -> Int64 {
        do throws(FileError) {
            let opened = try open()
            return places.compactMap { try? opened.status($0).modifiedNanoseconds / 1_000_000_000 }.max() ?? 0
        } catch {
            return 0
        }
    }

    func load(pool: ChainPool) -> Outcome {
        let opened: Opened
        do throws(FileError) { opened = try open() } catch {
            return error.isMissing ? .absent : .failed(CertificateProblem(folder: path(0), error))
        }
        if opened.isMissing(0) { return .absent }
        do throws(CertificateProblem) {
            return .identity(try pair(opened, pool))
        } catch {
            return .failed(error)
        }
    }

    /// The key file; throws if it is missing.
    private func keyFile(_ opened: borrowing Opened) throws(CertificateProblem) -> KeyFile {
        if opened.isMissing(1) { throw incomplete(1, 0) }
        let path = path(1)
        do throws(FileError) {
            return KeyFile(
                try opened.secret(1, bytesMax: CertificateLimits.keyBytesMax), path: path, access: try opened.access(1))
        } catch {
            throw CertificateProblem(reading: "the private key", path, error)
        }
    }

    private func pair(_ opened: borrowing Opened, _ pool: ChainPool) throws(CertificateProblem) -> ServerIdentity {
        let key = try keyFile(opened)
        let path = path(0)
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try opened.read(0, bytesMax: CertificateLimits.chainBytesMax)
        } catch {
            throw CertificateProblem(reading: "the certificate", path, error)
        }
        let unused = places.contains(2) && !opened.isMissing(2) ? [unusedPair] : []
        let identity = try ServerIdentity(certificates: bytes, file: path, key: key, pool: pool, problems: unused)
        if let problem = CertificateChecks.weakness(of: identity) { throw problem }
        return identity
    }

    /// The problem of a folder that has some of the files but no `fullchain.pem`.
    var incomplete: CertificateProblem {
        do throws(FileError) {
            let opened = try open()
            let present = places.first { !opened.isMissing($0) } ?? 1
            return present == 2 ? unusedPair : incomplete(0, present)
        } catch {
            return incomplete(0, 1)
        }
    }

    private func incomplete(_ missing: Int, _ other: Int) -> CertificateProblem {
        CertificateProblem(
            .incompletePair, file: path(missing), "the file is missing, but \(name(other)) needs it",
            fix: "put both files there, or neither")
    }

    private var unusedPair: CertificateProblem {
        CertificateProblem(
            .unusedPair, file: path(2),
            "the server does not use this file: a host has one pair, fullchain.pem and privkey.pem",
            fix: "remove \(name(2)) and privkey.rsa.pem, or make them fullchain.pem and privkey.pem")
    }

    private func name(_ index: Int) -> String { path(index).split(separator: "/").last.map(String.init) ?? path(index) }
}

extension CertificateChecks {
    /// All problems of the certificate files of one folder below `config/hosts`; none if it has no such files.
    /// - Parameter links: where links in it may lead, in addition to certbot's folders.
    public static func problems(
        folder name: String, in hostsPath: String, links: LinkTargets = .none
    ) -> [CertificateProblem] {
        let files = CertificateFiles(CertificateFolder(name: name), in: CertificateTree(hostsPath, links: links))
        guard files.hasAny else { return [] }
        var problems: [CertificateProblem] = []
        let host = CertificateFolder(name: name).host
        if host == nil && name != CertificateFolder.fallback.name {
            problems.append(
                CertificateProblem(
                    .folderName, file: "\(hostsPath)/\(name)",
                    "the folder's name is not that of a host, so the certificate is never used",
                    fix: "name the folder after a host in lower case, _wildcard.example.com for *.example.com, or "
                        + "_default"))
        }
        switch files.load(pool: ChainPool()) {
        case .absent: problems.append(files.incomplete)
        case .failed(let problem): problems.append(problem)
        case .identity(let identity):
            problems += CertificateChecks.problems(of: identity, host: host, now: Clock.wallSeconds())
        }
        return problems
    }
}
