// Interoperability with pebble, over `Client`.

import Glibc
import SourceJSON
import TLS
import Testing

@testable import ACME

@Suite(.enabled(if: Pebble.isInstalled, Pebble.absence), .serialized)
struct PebbleTests {
    private func register(_ pebble: Pebble, _ kind: SigningKey.Kind = .p256) throws -> AuthoritySession {
        var session = AuthoritySession(pebble.directory, key: AccountKey(try SigningKey(kind)))
        let call = AuthorityAccount.registration(session, contact: ["mailto:admin@shop.example"])
        session.account = try AuthorityAccount(reading: perform(call, &session, pebble)).url
        return session
    }

    private func perform(
        _ call: SignedCall, _ session: inout AuthoritySession, _ pebble: Pebble
    ) throws(AuthorityProblem) -> AuthorityResponse {
        try session.perform(call) { (request) throws(AuthorityProblem) in try pebble.send(request) }
    }

    /// Runs the steps of an order; with crashes, it continues from the stored journal after each wait.
    /// - Parameter losesOrder: whether the process ends before the response with the order's URL.
    private func run(
        _ journal: OrderJournal, _ session: inout AuthoritySession, _ pebble: Pebble, publishes: Bool = true,
        crashes: Bool = false, losesOrder: Bool = false
    ) throws -> OrderOutcome {
        var steps = OrderSteps(journal, isSaved: false)
        var (stored, now, count, orderCount) = (journal, Int64(time(nil)), 0, 0)
        while true {
            count += 1
            try #require(count < 500, "the order does not end")
            let step = steps.next(&session, now: now)
            switch step {
            case .save(let journal):
                stored = try #require(OrderJournal(text: journal.text))
                steps.confirmStep()
            case .send(let request):
                do throws(AuthorityProblem) {
                    let response = try pebble.send(request)
                    let isOrder = request.url == pebble.directory.newOrder && response.isSuccess
                    if isOrder { orderCount += 1 }
                    if losesOrder, isOrder, orderCount == 1 {
                        steps = OrderSteps(stored, isSaved: true)
                    } else {
                        steps.take(response, &session, now: now)
                    }
                } catch {
                    steps.takeFailure(error.detail, now: now)
                }
            case .publish(let answers):
                if publishes { for answer in answers { try pebble.publish(answer) } }
                steps.confirmStep()
            case .withdraw(let answers):
                if publishes { for answer in answers { try pebble.publish(answer, isThere: false) } }
                steps.confirmStep()
            case .wait(let until, let problem):
                #expect(problem == nil)
                // Pebble decides within milliseconds, so the clock of the steps runs faster.
                usleep(50_000)
                now = until
            case .finished(let outcome):
                #expect(orderCount <= 1)
                return outcome
            }
            if crashes, case .wait = step { steps = OrderSteps(stored, isSaved: true) }
        }
    }

    @Test func `issues and revokes certificates`() throws {
        let pebble = try Pebble()
        var session = try register(pebble)
        let key = try SigningKey(.p256)
        let hosts = ["shop.example", "www.shop.example"]
        let wanted = try pebble.rootName(1)
        let journal = try OrderJournal(
            for: hosts, at: pebble.directoryURL, key: key, profile: "tlsserver", replaces: "aYhba4.AIdl",
            preferredIssuer: wanted)
        let chain = try #require(try run(journal, &session, pebble, crashes: true).chain)
        #expect(chain.facts.names.sorted() == hosts && chain.isFor(key) && chain.renewalID != nil)
        #expect(chain.endsAt(issuer: wanted))

        let revocation = try #require(Revocation.call(chain, .superseded, session))
        #expect(try perform(revocation, &session, pebble).status == 200)
        let again = problem { () throws(AuthorityProblem) in try perform(revocation, &session, pebble) }
        #expect(again?.kind == .alreadyRevoked)
    }

    @Test func `issues a wildcard certificate with RSA keys, and revokes it with its own key`() throws {
        let pebble = try Pebble()
        var session = try register(pebble, .rsa2048)
        let key = try SigningKey(.rsa2048)
        let journal = try OrderJournal(for: ["*.shop.example"], at: pebble.directoryURL, key: key, by: .dns)
        let chain = try #require(try run(journal, &session, pebble).chain)
        #expect(chain.facts.names == ["*.shop.example"] && chain.facts.key == .rsa(bits: 2048))
        let revocation = try #require(Revocation.call(chain, .keyCompromise, session, signedBy: key))
        #expect(try perform(revocation, &session, pebble).status == 200)
    }

    @Test func `finds an order whose URL was lost in a crash`() throws {
        let pebble = try Pebble()
        var session = try register(pebble)
        // Another order of the account.
        let other = try OrderJournal(for: ["other.example"], at: pebble.directoryURL, key: SigningKey(.p256))
        _ = try #require(try run(other, &session, pebble).chain)
        let key = try SigningKey(.p256)
        let journal = try OrderJournal(for: ["shop.example"], at: pebble.directoryURL, key: key)
        let chain = try #require(try run(journal, &session, pebble, losesOrder: true).chain)
        #expect(chain.facts.names == ["shop.example"] && chain.isFor(key))
    }

    @Test func `reports why a host is not validated`() throws {
        let pebble = try Pebble()
        var session = try register(pebble)
        let journal = try OrderJournal(for: ["shop.example"], at: pebble.directoryURL, key: SigningKey(.p256))
        let failure = try #require(try run(journal, &session, pebble, publishes: false).failure)
        #expect(failure.cause == .validation && failure.problems.map(\.host) == ["shop.example"])
        #expect(failure.problems.map(\.kind) == [.unauthorized])
    }

    @Test func `finds and changes accounts`() throws {
        let pebble = try Pebble()
        var session = try register(pebble)
        let unknown = AuthoritySession(pebble.directory, key: AccountKey(try SigningKey(.p256)))
        var other = unknown
        let missing = problem { () throws(AuthorityProblem) in
            try perform(AuthorityAccount.search(unknown), &other, pebble)
        }
        #expect(missing?.kind == .accountDoesNotExist)
        var account = try AuthorityAccount(reading: perform(AuthorityAccount.search(session), &session, pebble))
        #expect(account.url == session.account)

        _ = try perform(account.update(contact: ["mailto:other@shop.example"]), &session, pebble)
        account = try AuthorityAccount(reading: perform(AuthorityAccount.search(session), &session, pebble))
        #expect(account.contact == ["mailto:other@shop.example"])
    }

    @Test func `registers with an external account`() throws {
        let key = "zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W"
        let pebble = try Pebble(
            #""externalAccountBindingRequired": true, "externalAccountMACKeys": {"kid-1": "\#(key)"},"#)
        let error = #expect(throws: AuthorityProblem.self) { try register(pebble) }
        #expect(error?.kind == .externalAccountRequired)
        var session = AuthoritySession(pebble.directory, key: AccountKey(try SigningKey(.p256)))
        let external = try #require(ExternalAccount(keyID: "kid-1", key: key))
        let call = AuthorityAccount.registration(session, contact: [], binding: external)
        #expect(try perform(call, &session, pebble).status == 201)
    }
}
