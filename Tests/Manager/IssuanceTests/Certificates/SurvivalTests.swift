// What the manager survives besides single answers of an authority, which `CertificateWorkerTests` has: errors at each request of an
// order, an authority that hangs, other chains, a full disk, changed settings, and a fleet whose hosts all have a problem.

import Database
import Glibc
import Posix
import Store
import TLS
import TestSupport
import Testing

@testable import ACME
@testable import ACMESupport
@testable import DatabaseSupport
@testable import Issuance

struct SurvivalTests {
    @Test(arguments: ["authz", "challenge", "order/", "finalize", "certificate"], [500, 503])
    func `an error at a request of an order repeats neither the order nor what was done`(path: String, status: Int)
        throws
    {
        let rig = try CertificateRig()
        let retryAfter: Int64? = status == 503 ? 120 : nil
        rig.servers[0].use {
            $0.instead = [
                (path, AuthorityResponse(status: status, fields: [], body: [], retryAfterSeconds: retryAfter))
            ]
        }
        try rig.serve()
        try rig.settle()
        let standing = try #require(try rig.standing())
        #expect(standing.state == .failing && standing.tries == 1 && standing.journal != nil)
        #expect(standing.problem == "the authority answers \(status) without a reason")
        let waits: ClosedRange<Int64> = status == 503 ? 118...120 : 58...72
        #expect(waits.contains(standing.waitSeconds), "\(standing)")
        let asked = rig.servers[0].use { $0.requests.count }
        // Not before it is due.
        try rig.settle()
        #expect(rig.servers[0].use { $0.requests.count } == asked)
        try rig.settleLater()
        try rig.expectIssued()
        #expect(rig.count("new-order") == 1 && rig.count("new-account") == 1 && rig.count("challenge") <= 2)
        #expect(rig.servers[0].use { ($0.orders.count, $0.certificateCount) } == (1, 1))
    }

    @Test(arguments: [nil, "Second Root", "Unheard Of"]) func `takes the chain that the operator prefers`(
        issuer: String?
    ) throws {
        let rig = try CertificateRig { $0.preferredIssuer = issuer }
        rig.servers[0].use { $0.oddities.hasAlternates = true }
        try rig.serve()
        try rig.settle()
        try rig.expectIssued()
        let stored = try #require(try rig.certificate())
        let chain = try IssuedChain(pem: Array(stored.chain.utf8))
        #expect(chain.endsAt(issuer: issuer == "Second Root" ? "Second Root" : "First Root"))
        #expect(rig.count("certificate") == (issuer == nil ? 1 : 2))
    }

    @Test func `an authority that hangs is waited for by one worker, and other hosts are not tried`() throws {
        let rig = try CertificateRig {
            $0.patience.answerMilliseconds = 1_000
            $0.patience.silenceMilliseconds = 55_000
        }
        rig.servers[0].faults.change { $0.lostAnswers = ["dir", "dir", "dir"] }
        try rig.serve(["a.example", "b.example"])
        try rig.settle()
        // Another worker of the same manager.
        try rig.restart(with: try rig.database.store())
        try rig.makeDue()
        try rig.settle()
        #expect(rig.count("dir") == 1)
        let rows = try rig.store.read { transaction throws(DatabaseError) in
            try transaction.query(
                "select state, tries, due - \(transaction.now()), problem from work order by tries desc")
        }
        // The first one has been tried once, and the other not at all.
        for (row, tries) in zip(rows, [Int64(1), 0]) {
            let (state, count, wait): (String, Int64, Int64) = (try row[0], try row[1], try row[2])
            let problem: String = try row[3]
            #expect(state == "failing" && count == tries && wait <= 60_000 && problem.contains("in time"), "\(problem)")
        }
    }

    @Test func `of the workers that meet a silent authority, one asks again`() {
        let silences = AuthoritySilences()
        func wait(at now: Int64, _ host: String = "ca.example") -> Int64? {
            silences.present(host, of: 55_000, now: now)?.millisecondsLeft
        }
        #expect(wait(at: 0) == nil)
        silences.note("ca.example", "the handshake timed out", now: 1_000)
        #expect(wait(at: 1_000) == 55_000 && wait(at: 55_999) == 1)
        #expect(wait(at: 1_000, "other.example") == nil)
        // The time is over: the first one may ask, the others wait for what comes of it.
        #expect(wait(at: 56_000) == nil)
        #expect(wait(at: 56_000) == 55_000)
        silences.note("ca.example", nil)
        #expect(wait(at: 56_000) == nil)
    }

    @Test(.needs(.mounts))
    func `orders nothing while the disk is full`() async {
        await #expect(processExitsWith: .success) {
            let rig = try CertificateRig()
            let place = rig.places.certificates
            try Directory.create(place, permissions: 0o700)
            // Mounts of this thread only. Glibc's module does not have the function.
            let unshare = try #require(dlsym(nil, "unshare"))
            let newMounts: Int32 = 0x20000
            try #require(unsafeBitCast(unshare, to: (@convention(c) (Int32) -> Int32).self)(newMounts) == 0)
            try #require(mount("none", "/", nil, UInt(MS_REC | MS_PRIVATE), nil) == 0)
            try #require(mount("tmpfs", place, "tmpfs", 0, "size=64k") == 0)
            try rig.folder.write("certificates/filler", String(repeating: "x", count: 57_344))
            try rig.serve()
            try rig.settle()
            let standing = try #require(try rig.standing())
            #expect(standing.state == .failing && standing.journal == nil && standing.tries == 1)
            #expect(
                standing.problem
                    == "cannot write certificates to \(place): no space left on device; make it a folder with free "
                    + "space that the manager may write to")
            #expect((58...72).contains(standing.waitSeconds) && rig.count("new-order") == 0)
            try rig.folder.remove("certificates/filler")
            try rig.settleLater()
            try rig.expectIssued()
            #expect(rig.count("new-order") == 1)
        }
    }

    @Test func `changed settings let waiting hosts be looked at again, once`() throws {
        let rig = try CertificateRig()
        try rig.serve([CertificateRig.host])
        let later = "update work set due = due + 400000000, tries = 40"
        var rules = rig.rules
        /// The wait and the failed attempts behind the start of a manager.
        func start() throws -> (waitSeconds: Int64, tries: Int64) {
            try rig.execute(later)
            try rig.store.write { transaction throws(DatabaseError) in try rules.applyChangedSettings(in: transaction) }
            let standing = try #require(try rig.standing())
            return (standing.waitSeconds, standing.tries)
        }
        for state in ["waiting-dns", "waiting-caa", "failing", "paused-by-ca"] {
            try rig.execute("update work set state = '\(state)'")
            rules.contact.append("mailto:\(state)@shop.example")
            let (changed, same) = (try start(), try start())
            #expect(changed.waitSeconds <= 0 && changed.tries == 0, "\(state)")
            #expect(same.waitSeconds > 390_000 && same.tries == 40, "\(state)")
        }
        try rig.execute("update work set state = 'issued'")
        rules.contact = []
        #expect(try start().tries == 40)
    }
}
