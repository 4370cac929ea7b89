// One host's certificate files and what can be said of them without and with reading them.
//
//   fullchain.pem      privkey.pem        the host's certificate and chain, and its key (certbot's names)
//   fullchain.rsa.pem  privkey.rsa.pem    a second pair for old clients, where the first is ECDSA

import Posix

/// The certificate files of one folder below `config/hosts`.
struct CertificateFiles {
    let folder: String

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

    private func path(_ place: Int) -> String { "\(folder)/\(Name.all[place])" }

    /// The state of the files as one number that changes whenever any of them does; nil where there is no certificate.
    /// Other threads and later times give the same number for the same state; other processes do not.
    func stamp() -> Int? {
        var hasher = Hasher()
        for place in Name.all.indices {
            do throws(FileError) {
                hasher.combine(try File.status(path(place)))
            } catch {
                // One look-up for the many names that nobody has a certificate for.
                if place == 0 && error.isMissing { return nil }
                hasher.combine(error)
            }
        }
        return hasher.finalize()
    }

    func load(passphrase: Passphrase?, pool: ChainPool) -> Outcome {
        do throws(CertificateProblem) {
            if isMissing(0) { return .absent }
            let first = try pair(0, passphrase, pool)
            let hasSecond = !isMissing(2) || !isMissing(3)
            return .identity(ServerIdentity(first, hasSecond ? try pair(2, passphrase, pool) : nil))
        } catch {
            return .failed(error)
        }
    }

    private func isMissing(_ place: Int) -> Bool {
        do throws(FileError) {
            _ = try File.status(path(place))
            return false
        } catch {
            return error.isMissing
        }
    }

    private func pair(
        _ place: Int, _ passphrase: Passphrase?, _ pool: ChainPool
    ) throws(CertificateProblem) -> Credentials {
        if isMissing(place) { throw incomplete(place, place + 1) }
        if isMissing(place + 1) { throw incomplete(place + 1, place) }
        let credentials = try Credentials(
            certificateFile: path(place), keyFile: path(place + 1), passphrase: passphrase, pool: pool)
        if let problem = CertificateChecks.weakness(of: credentials) { throw problem }
        return credentials
    }

    /// Whether there is any of the files.
    var hasAny: Bool { Name.all.indices.contains { !isMissing($0) } }

    /// What is wrong with a folder that has some of the files but no `fullchain.pem`.
    var incomplete: CertificateProblem {
        incomplete(0, Name.all.indices.first { !isMissing($0) } ?? 1)
    }

    private func incomplete(_ missing: Int, _ other: Int) -> CertificateProblem {
        CertificateProblem(
            .incompletePair, file: path(missing), "the file is missing, and \(Name.all[other]) needs it",
            fix: "put both files of the pair there, or neither")
    }
}
