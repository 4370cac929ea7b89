// `associated acme import`: takes the account and the certificates of another ACME client over into the manager's store. Reading is
// done with the rights of the caller, because such folders usually belong to root, and storing with those of the manager's user.

import ACME
import Database
import Hosting
import Issuance
import Management
import Posix
import Settings
import Store
import Supervision
import TLS

/// One import, with what it reports.
struct ACMEImport {
    private let inputs: ManagerInputs
    private let directory: AuthorityURL
    private let replacesAccount: Bool
    private let archive: ClientArchive
    /// The keys to choose from.
    private let candidates: [ClientArchive.Account]
    private var isComplete = true
    private var hasNewCertificates = false
    /// Hosts with a certificate in the store.
    private var hosts: [String] = []

    static func run(
        _ folder: String, _ loaded: LoadedSettings, _ inputs: ManagerInputs, _ rules: IssuanceRules,
        _ arguments: ParsedArguments
    ) throws -> ExitStatus {
        // Private keys will be in memory, and a core dump would copy them to disk.
        try? ProcessMemory.forbidDumps()
        var run = try ACMEImport(folder, inputs, rules, arguments)
        try becomeOwner(of: loaded)
        // Of several nodes, the first one to use the store creates it.
        var store = try inputs.openStore(createsMissingKey: true)
        try run.takeAccount(&store)
        try run.takeCertificates(&store)
        Console.output(line: "next: \(run.nextSteps)")
        return run.isComplete ? .success : .failure
    }

    private init(
        _ folder: String, _ inputs: ManagerInputs, _ rules: IssuanceRules, _ arguments: ParsedArguments
    ) throws {
        let folder = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        let directory = rules.directories[0]
        let archive = try ClientArchive(reading: folder, now: Clock.wallSeconds())
        var named: ClientArchive.Account?
        if let file = arguments["--account"] {
            do throws(ClientArchive.Problem) { named = try ClientArchive.Account(reading: file) } catch {
                throw Refusal.failure("cannot import the account key \(file): \(error)")
            }
        }
        (self.inputs, self.directory, self.archive) = (inputs, directory, archive)
        candidates = named.map { [$0] } ?? archive.accounts(at: directory)
        replacesAccount = arguments.has("--replace-account")
    }

    /// Leaves root, so that the store belongs to the user that the manager runs as.
    static func becomeOwner(of loaded: LoadedSettings) throws(Refusal) {
        do {
            let owner: Account? =
                if let name = loaded.settings.user { try Account(name) } else { Account.owner(of: loaded.statePath) }
            SandboxPlaces(loaded).createState(for: owner)
            guard let account = owner, Privileges.isRoot, !account.isRoot else { return }
            try Privileges.switchUser(to: account)
            // The change of user has allowed dumps again.
            try ProcessMemory.forbidDumps()
        } catch {
            throw .failure("cannot act as the user of \(loaded.statePath): \(error)")
        }
    }

    private static func report(_ word: String, _ file: String, _ text: String) {
        Console.output(line: "\(word.padded(to: 8)) \(file): \(text)")
    }

    private mutating func fail(_ file: String, _ reason: String) {
        ACMEImport.report("failed", file, reason)
        isComplete = false
    }

    private mutating func leaveOut(_ omission: ClientArchive.Omission) {
        if omission.isFailure { return fail(omission.file, omission.reason) }
        ACMEImport.report("left out", omission.file, omission.reason)
    }

    private mutating func takeAccount(_ store: inout Store) throws(DatabaseError) {
        let thumbprints = Set(candidates.map(\.key.thumbprint))
        for account in archive.accounts where !thumbprints.contains(account.key.thumbprint) {
            let reason =
                candidates.first?.authority.isEmpty == true
                ? "another account is named by --account"
                : "its account is at \(account.authority), not at the first of `acme.directories`, \(directory)"
            ACMEImport.report("left out", account.file, reason)
        }
        guard let account = candidates.first else {
            if archive.client != nil {
                Console.output(line: "no account at \(directory) was found; the manager uses one of its own")
            }
            return
        }
        if candidates.count > 1 {
            for candidate in candidates {
                fail(
                    candidate.file,
                    "one of \(candidates.count) accounts at \(directory); choose one with --account FILE")
            }
            return
        }
        let thumbprint = "thumbprint \(account.key.thumbprint)"
        switch try AccountSecret.adopt(account.key, replaces: replacesAccount, &store) {
        case .stored: ACMEImport.report("imported", account.file, "the account key (\(thumbprint))")
        case .known: ACMEImport.report("known", account.file, "the manager has this account key already")
        case .replaced:
            ACMEImport.report("imported", account.file, "the account key, in place of another one (\(thumbprint))")
        case .refused(let present):
            fail(
                account.file,
                "the manager has another account key (thumbprint \(present)) and keeps it; with --replace-account this "
                    + "one replaces it: certificates stay valid, and orders under way start again")
        }
    }

    private mutating func takeCertificates(_ store: inout Store) throws(DatabaseError) {
        var work = ArchiveImport(
            archive, revoked: RevokedCertificates(inputs.places),
            covers: inputs.allows)
        try work.run(&store)
        for certificate in work.certificates {
            func report(_ word: String, _ hosts: [String], _ text: String) {
                if hosts.isEmpty { return }
                ACMEImport.report(word, certificate.file, "\(hosts.joined(separator: ", ")): \(text)")
            }
            let end = Clock.day(certificate.notAfter)
            report("imported", certificate.stored, "certificate until \(end)")
            report("known", certificate.known, "imported before, certificate until \(end)")
            report("left out", certificate.superseded, "the manager has a certificate that is valid as long or longer")
            hosts += certificate.stored + certificate.known
            hasNewCertificates = hasNewCertificates || !certificate.stored.isEmpty
        }
        for omission in archive.omissions + work.omissions { leaveOut(omission) }
    }

    /// What the operator does next, in one line.
    private var nextSteps: String {
        var steps: [String] = []
        if hasNewCertificates {
            steps.append(
                "the running manager writes the files to \(inputs.places.certificates) within a minute, of many some hundred a "
                    + "second, a stopped one when it starts")
        }
        let own = hosts.map { CertificateFolder(host: $0).name }
            .filter { File.exists("\(inputs.places.hosts)/\($0)/fullchain.pem") }
        if let first = own.first {
            let more = own.count > 1 ? ", and those of \(own.count - 1) more hosts," : ""
            steps.append(
                "\(inputs.places.hosts)/\(first)/fullchain.pem\(more) takes precedence as long as it is there: it can be "
                    + "removed when \(inputs.places.certificates)/\(first)/fullchain.pem exists")
        }
        if let host = hosts.first(where: { !inputs.covers($0) }) {
            steps.append("set `acme.rfc2136`, without which certificates of wildcards such as \(host) are not renewed")
        }
        if !isComplete {
            let client = archive.client.map { "; do not stop the renewals of \($0) before" } ?? ""
            steps.append("fix what failed and import again\(client)")
        } else if let client = archive.client, !hosts.isEmpty {
            steps.append("stop the renewals of \(client)")
        }
        if steps.isEmpty { return hosts.isEmpty ? "nothing; no certificate was imported" : "nothing" }
        return steps.joined(separator: "; ")
    }
}
