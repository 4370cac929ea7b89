// A folder below `config/hosts` as lint sees it: read like the store reads it, but every fault is named, and one that would
// keep the store from looking at all is a fault as well.

import Posix

extension CertificateChecks {
    /// All that is wrong with the certificate files of one folder; nothing if there are none.
    /// - Parameter folder: such as `config/hosts/shop.example.com`.
    public static func problems(folder: String, passphrase: Passphrase? = nil) -> [CertificateProblem] {
        let files = CertificateFiles(folder: folder)
        let name = String(folder[(folder.lastIndex(of: "/").map { folder.index(after: $0) } ?? folder.startIndex)...])
        guard files.hasAny else { return [] }
        var problems: [CertificateProblem] = []
        let host = CertificateFolder(name: name).host
        if host == nil && name != CertificateFolder.fallback.name {
            problems.append(
                CertificateProblem(
                    .folderName, file: folder, "no host has this name, so the certificate is never used",
                    fix: "name the folder after a host in lower case, _wildcard.example.com for *.example.com, or "
                        + "_default"))
        }
        switch files.load(passphrase: passphrase, pool: ChainPool(), .slow) {
        case .absent, .slow: problems.append(files.incomplete)
        case .failed(let problem): problems.append(problem)
        case .identity(let identity):
            problems += CertificateChecks.problems(of: identity, host: host, now: Clock.wallSeconds())
        }
        return problems
    }
}
