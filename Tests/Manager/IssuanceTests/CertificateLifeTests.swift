// What happens to a certificate after it is issued: renewal, the end of its host, and claims that another worker has taken over.

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

struct CertificateLifeTests {
    private static let day: Int64 = 86_400

    /// With a certificate.
    private func rig(authorities count: Int = 1) throws -> CertificateRig {
        let rig = try CertificateRig(authorities: count)
        try rig.serve()
        try rig.settle()
        try rig.expectIssued()
        return rig
    }

    /// The payload of the last order.
    private func lastOrder(_ rig: CertificateRig, at server: Int = 0) -> String {
        rig.servers[server].use { $0.orders.last?.payload ?? "" }
    }

    @Test func `asks the authority when to renew, and chooses a moment once`() throws {
        let rig = try rig()
        rig.servers[0].use {
            $0.renewalDays = 30...32
            $0.oddities.retryAfter = 7_200
        }
        try rig.settleLater()
        let first = try #require(try rig.certificate())
        let start = Clock.wallSeconds() / Self.day * Self.day
        #expect((start + 30 * Self.day..<start + 33 * Self.day).contains(first.renewAt / 1_000))
        let standing = try #require(try rig.standing())
        #expect((7_190...8_640).contains(standing.waitSeconds), "\(standing)")
        try rig.settleLater()
        let second = try #require(try rig.certificate())
        #expect(second == first && rig.count("renewal") == 2)
        try rig.expectIssued()
    }

    @Test func `says why an authority asks for an early renewal`() throws {
        let rig = try rig()
        rig.servers[0].use {
            $0.renewalDays = 30...32
            $0.oddities.renewalExplanation = "https://ca.example/why"
        }
        try rig.settleLater()
        try rig.settleLater()
        let lines = rig.log.value.filter { $0.contains("the authority asks for a renewal on ") }
        #expect(lines.count == 1 && lines[0].hasSuffix("; see https://ca.example/why"), "\(rig.log.value)")
    }

    @Test func `has a certificate revoked with its own key, and replaces it`() throws {
        let rig = try rig(authorities: 3)
        // The first one serves the connection of the worker.
        var rules = rig.rules
        rules.directories.removeFirst()
        let others = rig.servers.dropFirst()
        func revoke() throws -> CertificateRevocation.Outcome {
            // The certificate may be that of any authority, and of another account.
            var other = try TestDatabase(.sqlite).store()
            let account = try AccountSecret.load(&other)
            return try CertificateRevocation.run(
                CertificateRig.host, .keyCompromise, rules, account, userAgent: "test",
                noting: RevokedCertificates(rig.places), &rig.store)
        }
        let first = try #require(try rig.certificate())
        let refusal = AuthorityResponse(status: 404, fields: [], body: Array(#"{"detail": "not ours"}"#.utf8))
        for server in others { server.use { $0.instead = [("/revoke", refusal), ("/revoke", refusal)] } }
        guard case .refused(let problem) = try revoke() else {
            Issue.record("it is not refused")
            return
        }
        #expect(problem == "localhost: not ours; localhost: not ours")
        #expect(try rig.certificate() == first)
        rig.servers[2].use { $0.instead = [] }
        #expect(try revoke() == .revoked)
        #expect(others.map { $0.use { $0.oddities.revocations } } == [[], [1]])
        try rig.settle()
        try rig.expectIssued()
        let second = try #require(try rig.certificate())
        #expect(second.chain != first.chain && second.sealedKey != first.sealedKey)
        // What was revoked already, and its replacement is due at once again.
        for _ in 0..<2 { #expect(try revoke() == .revoked) }
        #expect(try rig.standing()?.waitSeconds == 0)
        try rig.execute("delete from certificate")
        #expect(try revoke() == .unknown)
    }

    @Test func `a changed contact reaches the authority, once`() throws {
        let rig = try CertificateRig {
            ($0.contact, $0.profile) = (["mailto:new@shop.example"], "shortlived")
        }
        rig.servers[0].use { $0.oddities.contact = ["mailto:old@shop.example"] }
        try rig.serve([CertificateRig.host, "www.shop.example"])
        try rig.settle()
        #expect(rig.servers[0].use { $0.oddities.contact } == ["mailto:new@shop.example"])
        #expect(rig.count("account") == 1 && rig.count("new-account") == 1)
        // Neither stops an order.
        let note =
            "localhost does not offer the profile \"shortlived\" of `acme.profile`, so certificates have its default; it offers tlsserver"
        #expect(rig.log.value.filter { $0 == note }.count == 1, "\(rig.log.value)")
        #expect(rig.servers[0].use { $0.orders.count } == 2)
    }

    @Test func `a contact that the authority refuses stops no order`() throws {
        let rig = try CertificateRig { $0.contact = ["mailto:new@shop.example"] }
        let refusal = AuthorityResponse(
            status: 400, fields: [],
            body: Array(#"{"type": "urn:ietf:params:acme:error:invalidContact", "detail": "no such domain"}"#.utf8))
        rig.servers[0].use { $0.instead = [("/account/1", refusal)] }
        try rig.serve()
        try rig.settle()
        try rig.expectIssued()
        #expect(rig.log.value.contains("localhost does not take `acme.contact`: no such domain"), "\(rig.log.value)")
    }

    @Test func `does not ask an authority again at once that does not answer`() throws {
        let rig = try CertificateRig { $0.patience.answerMilliseconds = 3_000 }
        try rig.serve()
        try rig.settle()
        rig.servers[0].faults.change { $0.lostAnswers = ["renewal"] }
        for _ in 0..<3 {
            try rig.settleLater()
            try rig.expectIssued()
            let standing = try #require(try rig.standing())
            #expect((21_590...25_920).contains(standing.waitSeconds), "\(standing)")
        }
        #expect(rig.count("renewal") == 1)
    }

    @Test func `renews at the stored moment`() throws {
        let rig = try rig()
        let old = try #require(try rig.certificate())
        try rig.execute("update certificate set renew_at = 1")
        try rig.settleLater()
        try rig.expectIssued()
        let new = try #require(try rig.certificate())
        #expect(new.chain != old.chain && rig.count("new-order") == 2)
        let id = try #require(old.renewalID)
        #expect(lastOrder(rig).contains("\"replaces\":\"\(id)\""))
    }

    @Test func `renews at once if the authority wants to revoke`() throws {
        let rig = try rig()
        let old = try #require(try rig.certificate())
        let id = try #require(old.renewalID)
        rig.servers[0].use { $0.renewalDaysOf[id] = -2...(-1) }
        try rig.settleLater()
        try rig.expectIssued()
        let new = try #require(try rig.certificate())
        #expect(new.chain != old.chain && rig.count("new-order") == 2 && rig.count("finalize") == 2)
    }

    @Test func `an authority that wants every certificate to be renewed at once gets no order after the other`() throws
    {
        let rig = try rig()
        rig.servers[0].use { $0.renewalDays = -2...(-1) }
        for count in 2...3 {
            try rig.settleLater()
            try rig.expectIssued()
            let standing = try #require(try rig.standing())
            #expect(rig.count("new-order") == count && standing.waitSeconds > 3_600, "\(standing)")
        }
    }

    @Test func `orders without the old certificate if it is replaced already`() throws {
        let rig = try rig()
        let body = #"{"type": "urn:ietf:params:acme:error:alreadyReplaced", "detail": "replaced"}"#
        let response = AuthorityResponse(status: 409, fields: [], body: Array(body.utf8))
        rig.servers[0].use { $0.instead = [("new-order", response)] }
        try rig.execute("update certificate set renew_at = 1")
        try rig.settleLater()
        try rig.expectIssued()
        #expect(rig.count("new-order") == 3 && rig.count("finalize") == 2)
        #expect(!lastOrder(rig).contains("replaces"))
    }

    @Test func `an order that is refused for another reason is not repeated without the old certificate`() throws {
        let rig = try rig()
        let body = #"{"type": "urn:ietf:params:acme:error:rejectedIdentifier", "detail": "no"}"#
        let response = AuthorityResponse(status: 403, fields: [], body: Array(body.utf8))
        rig.servers[0].use { $0.instead = [("new-order", response)] }
        try rig.execute("update certificate set renew_at = 1")
        try rig.settleLater()
        let standing = try rig.standing()
        #expect(standing?.state == .failing && rig.count("new-order") == 2)
    }

    @Test func `asks another authority about a renewal without an account there`() throws {
        let rig = try rig(authorities: 2)
        try rig.settleLater()
        #expect(rig.count("renewal", at: 1) == 1 && rig.count("new-account", at: 1) == 0)
    }

    @Test func `notices a clock that became wrong before it renews`() throws {
        let rig = try CertificateRig { $0.patience.directoryMilliseconds = 0 }
        try rig.serve()
        try rig.settle()
        try rig.expectIssued()
        rig.servers[0].faults.change { $0.clockLeadSeconds = 18_030 }
        try rig.execute("update certificate set renew_at = 1")
        try rig.settleLater()
        let standing = try #require(try rig.standing())
        #expect(standing.state == .failing && standing.problem?.contains("minutes behind") == true, "\(standing)")
        #expect(rig.count("new-order") == 1)
    }

    @Test func `an urgent renewal goes to the next authority after one failure`() throws {
        let rig = try rig(authorities: 2)
        let now = Clock.wallSeconds() * 1_000
        let (before, after) = (now - 85 * Self.day * 1_000, now + 5 * Self.day * 1_000)
        try rig.execute("update certificate set not_before = \(before), not_after = \(after), renew_at = 1")
        rig.servers[0].faults.change { $0.isDown = true }
        try rig.settleLater()
        let standing = try #require(try rig.standing())
        #expect(standing.state == .failing && standing.tries == 1 && rig.count("dir", at: 1) == 0, "\(standing)")
        #expect(rig.files.count == 2)
        try rig.settleLater()
        try rig.expectIssued()
        #expect(rig.count("new-order", at: 1) == 1)
        let new = try #require(try rig.certificate())
        #expect(new.notAfter > after)
    }

    @Test func `writes missing files of a certificate again`() throws {
        let rig = try rig()
        try rig.folder.remove("certificates/\(CertificateRig.host)/fullchain.pem")
        try rig.settleLater()
        try rig.expectIssued()
        #expect(rig.count("new-order") == 1)
    }

    @Test func `keeps the certificate of a host that is not served any more until it expires`() throws {
        let rig = try rig()
        try rig.serve([])
        try rig.settle()
        let standing = try #require(try rig.standing())
        #expect(standing.state == .leaving && standing.problem?.hasPrefix("it is no longer served here") == true)
        #expect((7 * Self.day - 2...7 * Self.day).contains(standing.waitSeconds), "\(standing)")
        let kept = try rig.certificate()
        #expect(kept != nil && rig.files.count == 2)
        try rig.execute("update certificate set not_after = 1")
        try rig.settleLater()
        let (work, certificate) = (try rig.standing(), try rig.certificate())
        #expect(work == nil && certificate == nil && rig.files.isEmpty)
        #expect(rig.count("new-order") == 1)
    }

    @Test func `says that an imported wildcard is not renewed without a name server for its records`() throws {
        let (rig, name) = (try CertificateRig(), "*.shop.example")
        let sealed = try rig.store.seal([1], for: StoredCertificate.sealingPlace(name, "p256"))
        try rig.store.write { transaction throws(DatabaseError) in
            let now = try transaction.now()
            try StoredCertificate(
                name: name, keyKind: "p256", chain: "PEM", issuer: "CA", sealedKey: sealed, notBefore: now - 1_000_000,
                notAfter: now + 1_000_000, renewAt: now + 500_000
            ).save(in: transaction)
            try Work.settle(
                CertificateWork.kind, name, state: IssuanceState.issued.rawValue, due: now, in: transaction)
        }
        for _ in 0..<2 {
            try rig.serve([])
            try rig.settleLater()
            let standing = try #require(try rig.standing())
            #expect(standing.state == .leaving && standing.problem?.contains("wildcards need `acme.rfc2136`") == true)
        }
        #expect(rig.log.value.count == 1)
    }

    @Test func `continues with a host that is served again`() throws {
        let rig = try rig()
        for hosts in [[], [CertificateRig.host]] {
            try rig.serve(hosts)
            try rig.settle()
        }
        try rig.expectIssued()
        #expect(rig.count("new-order") == 1)
    }

    /// Each claim is taken over as soon as it is made.
    private func loseClaims(_ rig: CertificateRig) throws {
        try rig.execute(
            """
            create trigger lost after update of attempt on work when new.holder <> 'another' begin
                update work set holder = 'another', attempt = new.attempt + 1
                where kind = new.kind and key = new.key;
            end
            """)
    }

    /// Does one piece of work, which must not change anything.
    private func expectNoChange(_ rig: CertificateRig, _ location: SourceLocation = #_sourceLocation) throws {
        try loseClaims(rig)
        var before = try #require(try rig.standing(), sourceLocation: location)
        let (certificate, files) = (try rig.certificate(), rig.files)
        let hasWorked = try rig.worker.step()
        let after = try #require(try rig.standing(), sourceLocation: location)
        // The claim lasts ten minutes.
        #expect(hasWorked && after.holder == "another" && after.waitSeconds > 500, sourceLocation: location)
        (before.holder, before.waitSeconds) = (after.holder, after.waitSeconds)
        #expect(after == before, sourceLocation: location)
        let certificateAfter = try rig.certificate()
        #expect(certificateAfter == certificate && rig.files == files, sourceLocation: location)
    }

    @Test func `orders nothing after its claim is lost`() throws {
        let rig = try CertificateRig()
        try rig.serve()
        // Into the queue.
        _ = try rig.worker.step()
        try expectNoChange(rig)
        #expect(rig.count("new-order") == 0)
    }

    @Test func `reports no failure after its claim is lost`() throws {
        let rig = try CertificateRig()
        rig.servers[0].faults.change { $0.isDown = true }
        try rig.serve()
        _ = try rig.worker.step()
        try expectNoChange(rig)
        #expect(rig.log.value == [])
    }

    @Test func `moves no renewal after its claim is lost`() throws {
        let rig = try rig()
        rig.servers[0].use { $0.renewalDays = 30...32 }
        try rig.makeDue()
        try expectNoChange(rig)
        #expect(rig.count("renewal") == 1)
    }

    @Test func `removes nothing after its claim is lost`() throws {
        let rig = try rig()
        try rig.execute("update certificate set not_after = 1")
        try rig.serve([])
        try expectNoChange(rig)
        #expect(rig.files.count == 2)
    }

    @Test func `stores no certificate after its claim is lost`() throws {
        let rig = try CertificateRig()
        let (database, failure) = (rig.database, Shared<String?>(nil))
        let takeOver: () -> Void = {
            do {
                var connection = try database.connect()
                try connection.write { transaction throws(DatabaseError) in
                    try transaction.execute("update work set holder = 'another', attempt = attempt + 1")
                }
            } catch { failure.change { $0 = "\(error)" } }
        }
        rig.servers[0].use { $0.meanwhile = (path: "certificate", happens: takeOver) }
        try rig.serve()
        try rig.settle()
        #expect(failure.value == nil)
        let standing = try #require(try rig.standing())
        let certificate = try rig.certificate()
        #expect(standing.state == .ordering && standing.holder == "another" && standing.journal != nil)
        #expect(certificate == nil && rig.files.isEmpty && rig.count("certificate") == 1)
    }
}
