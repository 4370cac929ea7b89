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
        let host = host(of: name)
        if host == nil && name != "_default" {
            problems.append(
                CertificateProblem(
                    .folderName, file: folder, "no host has this name, so the certificate is never used",
                    fix: "name the folder after a host in lower case, _wildcard.example.com for *.example.com, or "
                        + "_default"))
        }
        switch files.load(passphrase: passphrase, pool: ChainPool()) {
        case .absent: problems.append(files.incomplete)
        case .failed(let problem): problems.append(problem)
        case .identity(let identity):
            problems += CertificateChecks.problems(of: identity, host: host, now: Clock.wallSeconds())
        }
        return problems
    }

    /// The name that a folder's certificate must cover; nil where there is none.
    private static func host(of folder: String) -> String? {
        let prefix = "_wildcard."
        let isWildcard = folder.hasPrefix(prefix)
        let host = isWildcard ? String(folder.dropFirst(prefix.count)) : folder
        guard HostName.isValid(Array(host.utf8).span) else { return nil }
        return isWildcard ? "*.\(host)" : host
    }
}
