// A certificate worker with a store in SQLite, a folder, and scripted authorities behind HTTPS. It never rests: it leaves each wait
// to the store, and the test makes the work due.

import Database
import Posix
import Store
import TLS
import TestSupport
import Testing

@testable import ACME
@testable import ACMESupport
@testable import DatabaseSupport
@testable import Issuance

final class CertificateRig {
    static let host = "shop.example"
    private static let issuer = Result { try TestIssuer() }

    /// Everything is done at once, and each host answers challenges.
    static let oddities: ScriptedAuthority.Oddities = {
        var oddities = ScriptedAuthority.Oddities()
        (oddities.polls, oddities.findsThumbprint) = (0, true)
        return oddities
    }()

    let servers: [AuthorityServer]
    let database: TestDatabase
    let folder: TemporaryFolder
    let control: IssuanceStatus
    let places: ManagerPlaces
    let rules: IssuanceRules
    let log: Shared<[String]>
    var store: Store
    var worker: CertificateWorker
    private let account: AccountKey

    /// The work on the host.
    struct Standing: Equatable {
        var state: IssuanceState?
        var problem: String?
        /// Until it is due.
        var waitSeconds: Int64
        var tries: Int64
        var journal: String?
        var holder: String?
    }

    /// - Parameter change: of the rules.
    init(authorities count: Int = 1, _ change: (inout IssuanceRules) -> Void = { _ in }) throws {
        let folder = try TemporaryFolder()
        let account = AccountKey(try SigningKey(.p256))
        let servers = try (0..<count).map { _ in
            try AuthorityServer(
                ScriptedAuthority(account, CertificateRig.issuer.get(), CertificateRig.oddities), in: folder)
        }
        var rules = IssuanceRules(directories: servers.map(\.directory))
        rules.authorityFile = servers[0].authorityFile
        rules.isPreflightRequired = false
        (rules.patience.pauseSecondsMax, rules.patience.silenceMilliseconds) = (0, 0)
        rules.patience.accountMilliseconds = 0
        change(&rules)
        let log = Shared<[String]>([])
        let control = IssuanceStatus(try WorkControl(workerCount: 1) { _, text in log.change { $0.append(text) } })
        let places = ManagerPlaces(
            certificates: "\(folder.path)/certificates", thumbprint: "\(folder.path)/thumbprint",
            hosts: "\(folder.path)/own")
        let database = try TestDatabase(.sqlite)
        var opened = try database.store()
        _ = try AccountSecret.adopt(account, replaces: false, &opened)
        let secret = try AccountSecret.load(&opened)
        store = opened
        worker = try CertificateWorker(
            0, rules, control, places: places, holder: "node/1", account: secret,
            suffixes: PublicSuffixes(text: ""),
            userAgent: "test", store: try database.store())
        (self.servers, self.database, self.folder, self.log) = (servers, database, folder, log)
        (self.control, self.places, self.rules, self.account) = (control, places, rules, account)
    }

    /// Replaces the worker, as the next process does.
    func restart(with store: consuming Store) throws {
        let secret = try AccountSecret.load(&self.store)
        worker = try CertificateWorker(
            0, rules, control, places: places, holder: "node/1", account: secret, suffixes: PublicSuffixes(text: ""),
            userAgent: "test", store: store)
    }

    /// Tells the manager which hosts the server serves.
    func serve(_ hosts: [String] = [CertificateRig.host]) throws {
        var register = HostRegister(control, places: places) { _ in true }
        try register.synchronize(with: ServedNames(hosts.sorted().joined(separator: "/")), in: &store)
    }

    /// Changes rows as another process would.
    func execute(_ sql: String) throws {
        try store.write { transaction throws(DatabaseError) in try transaction.execute(sql) }
    }

    /// The tokens of the buckets that were used, by limit: `orders`, `sets` and so on.
    func tokens() throws -> [String: Double] {
        try store.read { transaction throws(DatabaseError) in
            var tokens: [String: Double] = [:]
            for row in try transaction.query("select scope, tokens from bucket") {
                let scope: String = try row[0]
                tokens[String(scope.split(separator: "/").last ?? "")] = try row[1] as Double
            }
            return tokens
        }
    }

    /// Makes the work due, without the operator's hurry.
    func makeDue() throws { try execute("update work set due = 1 where holder is null and kind = 'certificate'") }

    /// Does what is due, and goes on over the short waits between the requests of an order.
    func settle() throws {
        for _ in 0..<100 {
            let hasWorked = try worker.step()
            if hasWorked { continue }
            guard let standing = try standing(), standing.state == .ordering, standing.waitSeconds <= 60 else { return }
            try makeDue()
        }
        Issue.record("the work does not come to rest")
    }

    /// What `associated acme issue` does.
    func hurry() throws {
        _ = try store.write { transaction throws(DatabaseError) in
            try IssuanceReport.hurry(CertificateRig.host, in: transaction)
        }
    }

    /// Does what is due later.
    func settleLater() throws {
        try makeDue()
        try settle()
    }

    /// Nil if there is no work.
    func standing() throws -> Standing? {
        try store.read { transaction throws(DatabaseError) in
            let rows = try transaction.query(
                "select state, problem, due, tries, journal, holder from work where kind = ? order by rowid",
                CertificateWork.kind)
            guard let row = rows.first else { return nil }
            let (state, due): (String, Int64) = (try row[0], try row[2])
            let now = try transaction.now()
            return Standing(
                state: IssuanceState(rawValue: state), problem: try row[1], waitSeconds: (due - now + 999) / 1_000,
                tries: try row[3], journal: try row[4], holder: try row[5])
        }
    }

    /// The stored certificate.
    func certificate() throws -> StoredCertificate? {
        try store.read { transaction throws(DatabaseError) in
            try StoredCertificate.load(CertificateRig.host, in: transaction)
        }
    }

    /// The requests to an authority of one kind, such as `new-order`.
    func count(_ kind: String, at server: Int = 0) -> Int { servers[server].use { $0.counts[kind] ?? 0 } }

    private static let files = ["fullchain.pem", "privkey.pem"].map { "certificates/\(host)/\($0)" }

    /// Which files of the host are in the folder that the server reads.
    var files: [String] { CertificateRig.files.filter { File.exists("\(folder.path)/\($0)") } }

    /// The host has the stored certificate, with its key, in the store and in files.
    func expectIssued(_ location: SourceLocation = #_sourceLocation) throws {
        let standing = try standing()
        #expect(
            standing?.state == .issued && standing?.journal == nil, "\(String(describing: standing))",
            sourceLocation: location)
        #expect(files == CertificateRig.files, sourceLocation: location)
        let stored = try #require(try certificate(), sourceLocation: location)
        #expect(try folder.read(CertificateRig.files[0]) == stored.chain, sourceLocation: location)
        let chain = try IssuedChain(pem: Array(stored.chain.utf8))
        let isFor = chain.isFor(try SigningKey(reading: folder.bytes(CertificateRig.files[1])))
        #expect(isFor && chain.covers(CertificateRig.host), sourceLocation: location)
        for server in servers {
            let complaints = server.use { $0.complaints }
            #expect(complaints == [], sourceLocation: location)
        }
    }
}
