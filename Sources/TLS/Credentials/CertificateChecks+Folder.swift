// A folder below `config/hosts` as lint sees it: read like the store reads it, but every fault is named, and one that would
// keep the store from looking at all is a fault as well.

public import Posix

extension CertificateChecks {
    /// All that is wrong with the certificate files of one folder below `config/hosts`; nothing if there are none.
    /// - Parameter links: where links in it may lead beside certbot's folders.
    public static func problems(
        folder name: String, in hostsPath: String, links: LinkTargets = .none, passphrase: Passphrase? = nil
    ) -> [CertificateProblem] {
        let files = CertificateFiles(CertificateFolder(name: name), in: CertificateTree(hostsPath, links: links))
        guard files.hasAny else { return [] }
        var problems: [CertificateProblem] = []
        let host = CertificateFolder(name: name).host
        if host == nil && name != CertificateFolder.fallback.name {
            problems.append(
                CertificateProblem(
                    .folderName, file: "\(hostsPath)/\(name)",
                    "no host has this name, so the certificate is never used",
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

    /// Who may read a private key. Links were followed: what counts is the file that holds it.
    static func permissions(_ access: FileAccess, of path: String) -> CertificateProblem? {
        let mode = String(access.permissions, radix: 8)
        if access.permissions & 0o007 != 0 {
            return CertificateProblem(
                .keyReadableByOthers, file: path,
                "every user of this machine may use the private key (permissions \(mode))", fix: "chmod o= \(path)")
        }
        guard access.permissions & 0o070 != 0, !access.isOfOwnGroup else { return nil }
        return CertificateProblem(
            .keyReadableByOthers, file: path,
            "users of group \(access.group), which is none of the server's, may use the private key (permissions \(mode))",
            fix:
                "chgrp it to a group of the server's user alone, or take the rights of the group away: chmod g= \(path)"
        )
    }
}
