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
        /// Opening a key takes long, and the lane is not the one for that.
        case slow
    }

    init(folder: String) { place = .folder(folder) }

    init(certificateFile: String, keyFile: String) { place = .pair(certificateFile: certificateFile, keyFile: keyFile) }

    /// The places of the files: certificate and key, and perhaps a second pair.
    private var places: Range<Int> {
        switch place {
        case .folder: Name.all.indices
        case .pair: 0..<2
        }
    }

    /// Made when it is needed: names without a certificate take one look-up.
    func path(_ index: Int) -> String {
        switch place {
        case .folder(let folder): "\(folder)/\(Name.all[index])"
        case .pair(let certificateFile, let keyFile): index == 0 ? certificateFile : keyFile
        }
    }

    /// Everything that a reading depends on, the state of the files and of the passphrase, as one number that changes whenever
    /// any of it does; nil where there is no certificate. Other threads and later times give the same number for the same state;
    /// other processes do not.
    func stamp(_ passphrase: Passphrase?) -> Int? {
        var hasher = Hasher()
        for index in places {
            do throws(FileError) {
                hasher.combine(try File.status(path(index)))
            } catch {
                // One look-up for the many names without a certificate.
                if index == 0 && error.isMissing { return nil }
                hasher.combine(error)
            }
        }
        if let passphrase { hasher.combine(passphrase.stamp()) }
        return hasher.finalize()
    }

    /// Whether there is a certificate.
    var hasCertificate: Bool { !isMissing(0) }

    /// When the newest of the files was written, in seconds since 1970.
    func modified() -> Int64 {
        places.compactMap { try? File.status(path($0)).modifiedNanoseconds / 1_000_000_000 }.max() ?? 0
    }

    func load(passphrase: Passphrase?, pool: ChainPool, _ lane: ReadingLane) -> Outcome {
        do throws(CertificateProblem) {
            if isMissing(0) { return .absent }
            let key = try keyFile(0)
            if lane == .quick, key.isSlow { return .slow }
            let first = try pair(0, key, passphrase, pool)
            guard places.count > 2, !isMissing(2) || !isMissing(3) else { return .identity(ServerIdentity(first, nil)) }
            let second: Credentials?
            var fault: CertificateProblem?
            do throws(CertificateProblem) {
                let key = try keyFile(2)
                if lane == .quick, key.isSlow { return .slow }
                second = try pair(2, key, passphrase, pool)
            } catch {
                // Without the second only because of a shortage, it would be without it for good.
                if error.shortage != nil { throw error }
                // The other clients need not suffer for faults of the pair for old ones.
                second = nil
                fault = error
            }
            return .identity(ServerIdentity(first, second, fault: fault))
        } catch {
            return .failed(error)
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

    /// The key of a pair, both of whose files are there.
    private func keyFile(_ index: Int) throws(CertificateProblem) -> KeyFile {
        if isMissing(index) { throw incomplete(index, index + 1) }
        if isMissing(index + 1) { throw incomplete(index + 1, index) }
        return try KeyFile(reading: path(index + 1))
    }

    private func pair(
        _ index: Int, _ key: borrowing KeyFile, _ passphrase: Passphrase?, _ pool: ChainPool
    ) throws(CertificateProblem) -> Credentials {
        let credentials = try Credentials(
            certificateFile: path(index), key: key, passphrase: passphrase, pool: pool)
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
