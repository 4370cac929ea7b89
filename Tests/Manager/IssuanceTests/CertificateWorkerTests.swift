// The certificate worker against an authority with faults, one host and one order at a time.

import DNS
import Database
import Posix
import Store
import TestSupport
import Testing

@testable import ACME
@testable import ACMESupport
@testable import Issuance

struct CertificateWorkerTests {
    /// What the authority does, and the work afterwards.
    struct Row: Sendable, CustomTestStringConvertible {
        var what: String
        var state: IssuanceState
        /// A part of it.
        var problem: String?
        var waitSeconds: ClosedRange<Int64>
        var keepsJournal = false
        /// The requests for an order and for its finalization until then.
        var requests: (order: Int, finalize: Int)
        /// The same when the authority works and the certificate is issued.
        var requestsAtEnd = (order: 1, finalize: 1)
        var answerMilliseconds = 30_000
        var faults = AuthorityServer.Faults()
        var authority: @Sendable (ScriptedAuthority) -> Void = { _ in }

        var testDescription: String { what }
    }

    private static let minute: ClosedRange<Int64> = 58...72
    private static let day: ClosedRange<Int64> = 86_398...103_681
    private static func about(_ seconds: Int64) -> ClosedRange<Int64> { (seconds - 2)...seconds }

    private static let page = "https://portal.ca.example/unpause?jwt=a.b"
    /// A three-hundredth of 90 days and an hour.
    private static let firstLook: ClosedRange<Int64> = 25_900...25_932

    static func response(
        _ status: Int, _ type: String, _ detail: String, _ more: String = "", retryAfter: Int64? = nil
    ) -> AuthorityResponse {
        let body = #"{"type": "urn:ietf:params:acme:error:\#(type)", "detail": "\#(detail)"\#(more)}"#
        return AuthorityResponse(status: status, fields: [], body: Array(body.utf8), retryAfterSeconds: retryAfter)
    }

    static func down(_ seconds: Int64) -> AuthorityResponse {
        AuthorityResponse(status: 503, fields: [], body: [], retryAfterSeconds: seconds)
    }

    private static let successes: [Row] = [
        Row(what: "it works", state: .issued, waitSeconds: firstLook, requests: (1, 1)),
        Row(
            what: "it has unknown challenge types, fields and statuses", state: .issued, waitSeconds: firstLook,
            requests: (1, 1)
        ) {
            $0.oddities.offered = ["unheard-of-01", "tls-alpn-01", "http-01", "device-attest-01"]
            $0.oddities.orderStatuses = ["pending", "new", "on-hold"]
        },
        Row(what: "every second nonce is refused", state: .issued, waitSeconds: firstLook, requests: (1, 1)) {
            $0.oddities.refusesNonces = true
        },
    ]

    private static let outages: [Row] = [
        Row(
            what: "it closes connections", state: .failing, problem: "localhost:", waitSeconds: minute,
            requests: (0, 0), faults: AuthorityServer.Faults(isDown: true)),
        Row(
            what: "its directory is not available", state: .failing, problem: "the authority answers 503",
            waitSeconds: about(600),
            requests: (0, 0)
        ) { $0.instead = [("dir", down(600))] },
        Row(
            what: "it is down at the order", state: .failing, problem: "the authority answers 503",
            waitSeconds: about(120),
            keepsJournal: true, requests: (1, 0), requestsAtEnd: (2, 1)
        ) { $0.instead = [("new-order", down(120))] },
        Row(
            what: "it is down at the finalization", state: .failing, problem: "the authority answers 503",
            waitSeconds: about(120), keepsJournal: true, requests: (1, 1), requestsAtEnd: (1, 2)
        ) { $0.instead = [("finalize", down(120))] },
        Row(
            what: "its directory hangs", state: .failing, problem: "did not arrive in time", waitSeconds: minute,
            requests: (0, 0), answerMilliseconds: 3_000, faults: AuthorityServer.Faults(lostAnswers: ["dir"])),
        Row(
            what: "the answer about the order hangs", state: .failing, problem: "did not arrive in time",
            waitSeconds: minute, keepsJournal: true, requests: (1, 0), answerMilliseconds: 3_000,
            faults: AuthorityServer.Faults(lostAnswers: ["new-order"])),
        Row(
            what: "the answer about the finalization hangs", state: .failing, problem: "did not arrive in time",
            waitSeconds: minute, keepsJournal: true, requests: (1, 1), answerMilliseconds: 3_000,
            faults: AuthorityServer.Faults(lostAnswers: ["finalize"])),
        Row(
            what: "the certificate hangs", state: .failing, problem: "did not arrive in time", waitSeconds: minute,
            keepsJournal: true, requests: (1, 1), answerMilliseconds: 3_000,
            faults: AuthorityServer.Faults(lostAnswers: ["certificate"])),
        Row(
            what: "it processes the order for long", state: .ordering, waitSeconds: about(3_600), keepsJournal: true,
            requests: (1, 1)
        ) {
            ($0.oddities.validHosts, $0.oddities.polls) = ([CertificateRig.host], 1_000)
            $0.oddities.retryAfter = 3_600
        },
        Row(
            what: "its clock is five hours ahead", state: .failing, problem: "300 minutes behind that of localhost",
            waitSeconds: minute, requests: (0, 0), faults: AuthorityServer.Faults(clockLeadSeconds: 18_030)),
        Row(
            what: "its clock is five hours behind", state: .failing, problem: "300 minutes ahead of that of localhost",
            waitSeconds: minute, requests: (0, 0), faults: AuthorityServer.Faults(clockLeadSeconds: -18_030)),
    ]

    private static let refusals: [Row] = [
        Row(
            what: "it limits orders", state: .limited, problem: "too many", waitSeconds: about(3_600),
            keepsJournal: true, requests: (1, 0), requestsAtEnd: (2, 1)
        ) { $0.instead = [("new-order", response(429, "rateLimited", "too many", retryAfter: 3_600))] },
        Row(
            what: "it limits registrations", state: .limited, problem: "too many", waitSeconds: about(3_600),
            requests: (0, 0)
        ) { $0.instead = [("account", response(429, "rateLimited", "too many", retryAfter: 3_600))] },
        Row(
            what: "it has paused the host", state: .paused, problem: "unpause it at \(page)", waitSeconds: day,
            requests: (1, 0), requestsAtEnd: (2, 1)
        ) { $0.instead = [("new-order", response(429, "rateLimited", "Paused. Please visit \(page)"))] },
        Row(
            what: "it has new terms", state: .paused, problem: "new terms; see https://ca.example/terms-2",
            waitSeconds: day, requests: (1, 0), requestsAtEnd: (2, 1)
        ) {
            let page = #", "instance": "https://ca.example/terms-2""#
            $0.instead = [("new-order", response(403, "userActionRequired", "new terms", page))]
        },
        Row(
            what: "it has new terms at the registration", state: .paused, problem: "new terms", waitSeconds: day,
            requests: (0, 0)
        ) { $0.instead = [("account", response(403, "userActionRequired", "new terms"))] },
        Row(
            what: "it has deactivated the account", state: .paused,
            problem: "the account is deactivated; if it is deactivated, run `associated acme account new`",
            waitSeconds: day, requests: (0, 0)
        ) { $0.oddities.isAccountDeactivated = true },
        Row(
            what: "it offers only unknown challenge types", state: .failing,
            problem: "does not offer the challenge http-01, only tls-alpn-01, unheard-of-01", waitSeconds: minute,
            requests: (1, 0), requestsAtEnd: (2, 1)
        ) { $0.oddities.offered = ["tls-alpn-01", "unheard-of-01"] },
    ]

    @Test(arguments: successes + outages + refusals) func `survives an authority`(row: Row) throws {
        let rig = try CertificateRig { $0.patience.answerMilliseconds = row.answerMilliseconds }
        let server = rig.servers[0]
        server.use(row.authority)
        server.faults.change { $0 = row.faults }
        try rig.serve()
        try rig.settle()
        let standing = try #require(try rig.standing())
        #expect(standing.state == row.state && standing.holder == nil)
        #expect((standing.problem == nil) == (row.problem == nil))
        if let problem = row.problem { #expect(standing.problem?.contains(problem) == true, "\(standing)") }
        #expect(row.waitSeconds.contains(standing.waitSeconds), "\(standing)")
        #expect((standing.journal != nil) == row.keepsJournal)
        #expect(rig.count("new-order") == row.requests.order && rig.count("finalize") == row.requests.finalize)
        #expect((row.state == .issued) == !rig.files.isEmpty)

        server.faults.change { $0 = AuthorityServer.Faults() }
        server.use {
            ($0.oddities, $0.instead) = (CertificateRig.oddities, [])
            $0.finishWork()
        }
        // What the operator does about a pause.
        if row.state == .paused { try rig.hurry() }
        try rig.settleLater()
        try rig.expectIssued()
        #expect(rig.count("new-order") == row.requestsAtEnd.order)
        #expect(rig.count("finalize") == row.requestsAtEnd.finalize)
    }

    @Test func `rests between the requests of an order if the waits are short`() throws {
        let rig = try CertificateRig { $0.patience = AuthorityPatience() }
        try rig.serve()
        try rig.settle()
        try rig.expectIssued()
        // The first step puts the host into the queue.
        let rows = try rig.store.read { transaction throws(DatabaseError) in
            try transaction.query("select attempt from work")
        }
        #expect(rows.map(\.values) == [[.integer(2)]])
    }

    @Test func `leaves an order to the store that takes long with short waits`() throws {
        let rig = try CertificateRig {
            $0.patience = AuthorityPatience()
            $0.patience.orderSecondsMax = 0
        }
        rig.servers[0].use { ($0.oddities.polls, $0.oddities.retryAfter) = (1_000, 1) }
        try rig.serve()
        // The first step puts the host into the queue.
        for _ in 0..<2 {
            let hasWorked = try rig.worker.step()
            #expect(hasWorked)
        }
        let standing = try #require(try rig.standing())
        #expect(standing.state == .ordering && standing.journal != nil && standing.holder == nil, "\(standing)")
        #expect(standing.problem == nil && standing.waitSeconds <= 20)
    }

    @Test func `orders nothing while certificates cannot be written`() throws {
        let rig = try CertificateRig()
        try rig.folder.write("certificates", "a file instead of the folder")
        try rig.serve()
        try rig.settle()
        let standing = try #require(try rig.standing())
        #expect(standing.state == .failing && standing.journal == nil)
        #expect(standing.problem?.hasPrefix("cannot write certificates to \(rig.places.certificates): ") == true)
        #expect(rig.count("new-order") == 0)
        try rig.folder.remove("certificates")
        try rig.settleLater()
        try rig.expectIssued()
        #expect(rig.count("new-order") == 1)
    }

    @Test func `writes a certificate after a minute that could not be written, and says why`() throws {
        let rig = try CertificateRig()
        let file = "certificates/\(CertificateRig.host)"
        try rig.folder.write(file, "a file instead of the folder")
        try rig.serve()
        try rig.settle()
        for _ in 0..<2 {
            let standing = try #require(try rig.standing())
            #expect(standing.state == .failing && Self.about(60).contains(standing.waitSeconds), "\(standing)")
            #expect(standing.tries == 0 && standing.journal == nil)
            #expect(standing.problem?.hasPrefix("cannot write its certificate to ") == true)
            let isStored = try rig.certificate() != nil
            #expect(isStored && rig.files == [])
            try rig.settleLater()
        }
        try rig.folder.remove(file)
        try rig.settleLater()
        try rig.expectIssued()
        #expect(rig.count("new-order") == 1)
    }

    @Test func `registers an account again that is refused in an order`() throws {
        let rig = try CertificateRig()
        rig.servers[0].use {
            $0.instead = [("new-order", CertificateWorkerTests.response(403, "unauthorized", "no such account"))]
        }
        try rig.serve()
        try rig.settle()
        let standing = try #require(try rig.standing())
        #expect(standing.state == .failing && standing.journal == nil && rig.count("new-account") == 1)
        try rig.settleLater()
        try rig.expectIssued()
        #expect(rig.count("new-account") == 2 && rig.count("new-order") == 2)
    }

    @Test func `the operator's hurry makes the next attempt due, and a first one`() throws {
        let rig = try CertificateRig()
        rig.servers[0].faults.change { $0.isDown = true }
        try rig.serve()
        try rig.settle()
        rig.servers[0].faults.change { $0.isDown = false }
        let isDue = try rig.worker.step()
        #expect(!isDue && rig.count("new-order") == 0)
        let isKnown = try rig.store.write { transaction throws(DatabaseError) in
            try IssuanceReport.hurry(CertificateRig.host, in: transaction)
        }
        let tries = try rig.standing()?.tries
        #expect(isKnown && tries == 0)
        try rig.settle()
        try rig.expectIssued()
    }

    @Test func `orders from the next authority after four failures`() throws {
        let rig = try CertificateRig(authorities: 2)
        rig.servers[0].faults.change { $0.isDown = true }
        try rig.serve()
        try rig.settle()
        for tries in 1...4 {
            let standing = try #require(try rig.standing())
            #expect(standing.state == .failing && standing.tries == Int64(tries))
            #expect(rig.count("dir", at: 1) == 0)
            try rig.settleLater()
        }
        try rig.expectIssued()
        #expect(rig.count("new-order", at: 0) == 0 && rig.count("new-order", at: 1) == 1)
    }

    @Test func `an account that is refused is asked for once by all hosts, until the operator hurries`() throws {
        let rig = try CertificateRig()
        rig.servers[0].use { $0.oddities.isAccountDeactivated = true }
        try rig.serve([CertificateRig.host, "two.example", "three.example"])
        try rig.settle()
        #expect(rig.count("new-account") == 1)
        rig.servers[0].use { $0.oddities.isAccountDeactivated = false }
        try rig.settleLater()
        #expect(rig.count("new-account") == 1)
        try rig.hurry()
        try rig.settle()
        #expect(rig.count("new-account") == 2 && rig.files.count == 2)
    }

    @Test func `an authority that hangs holds up one host, not each`() throws {
        let rig = try CertificateRig {
            $0.patience.answerMilliseconds = 1_000
            $0.patience.silenceMilliseconds = 55_000
        }
        rig.servers[0].faults.change { $0.lostAnswers = ["dir", "dir", "dir"] }
        try rig.serve([CertificateRig.host, "two.example", "three.example"])
        try rig.settle()
        #expect(rig.count("dir") == 1)
    }

    @Test func `continues an order of the second authority after a failure`() throws {
        let rig = try CertificateRig(authorities: 2)
        rig.servers[0].faults.change { $0.isDown = true }
        rig.servers[1].use { $0.instead = [("finalize", CertificateWorkerTests.down(120))] }
        try rig.serve()
        try rig.settle()
        for _ in 1...4 { try rig.settleLater() }
        let standing = try #require(try rig.standing())
        #expect(standing.state == .failing && standing.tries == 5 && standing.journal != nil, "\(standing)")
        try rig.settleLater()
        try rig.expectIssued()
        #expect(rig.count("new-order", at: 1) == 1 && rig.count("finalize", at: 1) == 2)
    }

    @Test func `attempts do not change since when a host is without a certificate`() throws {
        let rig = try CertificateRig()
        rig.servers[0].faults.change { $0.isDown = true }
        try rig.serve()
        try rig.execute("update work set since = since - 600000, began = began - 600000")
        for _ in 0..<2 { try rig.settleLater() }
        func report() throws -> IssuanceReport? {
            try rig.store.read { transaction throws(DatabaseError) in
                try IssuanceReport.load(CertificateRig.host, in: transaction)
            }
        }
        let failing = try #require(try report())
        #expect(failing.state == .failing && failing.since - failing.began > 500_000)
        rig.servers[0].faults.change { $0.isDown = false }
        try rig.settleLater()
        try rig.expectIssued()
        let issued = try #require(try report())
        #expect(issued.began > failing.began + 500_000)
    }

    @Test func `gives up an order that the first authority does not finish`() throws {
        let rig = try CertificateRig(authorities: 2)
        rig.servers[0].use {
            $0.instead = Array(repeating: ("finalize", CertificateWorkerTests.down(120)), count: 10)
        }
        try rig.serve()
        try rig.settle()
        for _ in 1...4 { try rig.settleLater() }
        try rig.expectIssued()
        #expect(rig.count("new-order", at: 0) == 1 && rig.count("finalize", at: 0) == 4)
        #expect(rig.count("new-order", at: 1) == 1)
    }

    @Test func `a host with a certificate comes before new ones`() throws {
        let rig = try CertificateRig()
        try rig.serve()
        try rig.settle()
        try rig.expectIssued()
        let rows = try rig.store.read { transaction throws(DatabaseError) in
            try transaction.query("select priority from work")
        }
        #expect(rows.map(\.values) == [[.integer(CertificateWork.renewalPriority)]])
    }

    @Test func `an order under way ends with its host`() throws {
        let rig = try CertificateRig()
        rig.servers[0].use { $0.instead = [("finalize", CertificateWorkerTests.down(120))] }
        try rig.serve()
        try rig.settle()
        let waiting = try rig.standing()
        #expect(waiting?.journal != nil)
        try rig.serve([])
        try rig.settleLater()
        let left = try rig.standing()
        #expect(left == nil && rig.count("finalize") == 1 && rig.count("certificate") == 0)
    }

    /// No name server answers, so each preflight fails.
    static let hasNoNames: @Sendable (inout IssuanceRules) -> Void = {
        $0.isPreflightRequired = true
        $0.resolver.servers = [SocketAddress(ip: "127.0.0.1", port: 1)].compactMap(\.self)
        $0.preflightMilliseconds = 100
    }

    @Test func `waits for DNS do not lead to another authority`() throws {
        let rig = try CertificateRig(authorities: 2, Self.hasNoNames)
        try rig.serve()
        for tries in [0, 3, 4, 40] {
            try rig.execute("update work set tries = \(tries)")
            try rig.settleLater()
            let standing = try #require(try rig.standing())
            #expect(standing.state == .waitingForDNS && standing.tries == Int64(tries) + 1, "\(standing)")
        }
        // The preflight asks the authority for its names in CAA records.
        #expect(rig.count("dir", at: 0) > 0 && rig.count("dir", at: 1) == 0)
    }
}
