// One host's certificate files and what can be said of them without and with reading them.
//
//   fullchain.pem      privkey.pem        the host's certificate and chain, and its key (certbot's names)
//   fullchain.rsa.pem  privkey.rsa.pem    a second pair for old clients, where the first is ECDSA
//
// A signer may be given one pair of any names instead.

import Posix

/// The certificate files of one folder below `config/hosts`, or one named pair.
struct CertificateFiles {
    private let place: Place

    private enum Place {
        case folder(String)
        case pair(certificateFile: String, keyFile: String)
    }

    private enum Name {
        static let all = ["fullchain.pem", "privkey.pem", "fullchain.rsa.pem", "privkey.rsa.pem"]
    }

    /// What came of reading a folder.
    enum Outcome {
        /// There is no certificate here.
        case absent
        case identity(ServerIdentity)
        case failed(CertificateProblem)
    }

    init(folder: String) { place = .folder(folder) }

    init(certificateFile: String, keyFile: String) { place = .pair(certificateFile: certificateFile, keyFile: keyFile) }

    /// The folders that a handshake for a host, `*.example.com` included, looks into in this order before `_default`; its own
    /// is the first.
    static func folders(for host: String) -> [String] {
        let isWildcard = host.hasPrefix("*.")
        let labels = host.split(separator: ".").dropFirst()
        let parents = labels.indices.map { "_wildcard.\(labels[$0...].joined(separator: "."))" }
        return isWildcard ? parents : [host] + parents
    }

    /// The places of the files: certificate and key, and perhaps a second pair.
    private var places: Range<Int> {
        switch place {
        case .folder: Name.all.indices
        case .pair: 0..<2
        }
    }

    /// Made when it is needed: names that nobody has a certificate for take one look-up.
    func path(_ index: Int) -> String {
        switch place {
        case .folder(let folder): "\(folder)/\(Name.all[index])"
        case .pair(let certificateFile, let keyFile): index == 0 ? certificateFile : keyFile
        }
    }

    /// The state of the files as one number that changes whenever any of them does; nil where there is no certificate.
    /// Other threads and later times give the same number for the same state; other processes do not.
    func stamp() -> Int? {
        var hasher = Hasher()
        for index in places {
            do throws(FileError) {
                hasher.combine(try File.status(path(index)))
            } catch {
                // One look-up for the many names that nobody has a certificate for.
                if index == 0 && error.isMissing { return nil }
                hasher.combine(error)
            }
        }
        return hasher.finalize()
    }

    /// When the newest of the files was written, in seconds since 1970.
    func modified() -> Int64 {
        places.compactMap { try? File.status(path($0)).modifiedNanoseconds / 1_000_000_000 }.max() ?? 0
    }

    func load(passphrase: Passphrase?, pool: ChainPool) -> Outcome {
        do throws(CertificateProblem) {
            if isMissing(0) { return .absent }
            let first = try pair(0, passphrase, pool)
            var fault: CertificateProblem?
            let second = secondPair(passphrase, pool, &fault)
            // Without the second only for want of a descriptor, it would be without it for good.
            if let fault, fault.shortage != nil { throw fault }
            return .identity(ServerIdentity(first, second, fault: fault))
        } catch {
            return .failed(error)
        }
    }

    /// The pair for old clients, if there is one. The others need not suffer for its faults.
    private func secondPair(
        _ passphrase: Passphrase?, _ pool: ChainPool, _ fault: inout CertificateProblem?
    ) -> Credentials? {
        guard places.count > 2, !isMissing(2) || !isMissing(3) else { return nil }
        do throws(CertificateProblem) {
            return try pair(2, passphrase, pool)
        } catch {
            fault = error
            return nil
        }
    }

    private func isMissing(_ index: Int) -> Bool {
        do throws(FileError) {
            _ = try File.status(path(index))
            return false
        } catch {
            return error.isMissing
        }
    }

    private func pair(
        _ index: Int, _ passphrase: Passphrase?, _ pool: ChainPool
    ) throws(CertificateProblem) -> Credentials {
        if isMissing(index) { throw incomplete(index, index + 1) }
        if isMissing(index + 1) { throw incomplete(index + 1, index) }
        let credentials = try Credentials(
            certificateFile: path(index), keyFile: path(index + 1), passphrase: passphrase, pool: pool)
        if let problem = CertificateChecks.weakness(of: credentials) { throw problem }
        return credentials
    }

    /// Whether there is any of the files.
    var hasAny: Bool { places.contains { !isMissing($0) } }

    /// What is wrong with a folder that has some of the files but no `fullchain.pem`.
    var incomplete: CertificateProblem {
        incomplete(0, places.first { !isMissing($0) } ?? 1)
    }

    private func incomplete(_ missing: Int, _ other: Int) -> CertificateProblem {
        CertificateProblem(
            .incompletePair, file: path(missing), "the file is missing, and \(name(other)) needs it",
            fix: "put both files of the pair there, or neither")
    }

    private func name(_ index: Int) -> String { path(index).split(separator: "/").last.map(String.init) ?? path(index) }
}
