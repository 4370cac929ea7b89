// The manager ends at any call of the database, and at any request to the authority, during an order under rate limits. The next one
// finishes the order: there is one order, one certificate, and the tokens of one order are taken. `OrderStepsCrashTests` has the steps
// of an order without a store.

import Database
import Store
import TestSupport
import Testing

@testable import ACME
@testable import ACMESupport
@testable import DatabaseSupport
@testable import Issuance

struct OrderCrashTests {
    private let rig: CertificateRig

    init() throws { rig = try CertificateRig { $0.isBudgetModelled = true } }

    /// Begins an order of a new host with a worker that may end.
    /// - Returns: false if it was finished.
    private func begin(_ engine: FaultyEngine) throws -> Bool {
        try rig.execute("delete from work")
        try rig.execute("delete from bucket")
        try rig.execute("delete from certificate")
        try? rig.folder.remove("certificates")
        rig.servers[0].use { $0.forgetValidations() }
        try rig.serve()
        do {
            for _ in 0..<20 {
                while try rig.worker.step() {}
                try rig.makeDue()
                if try isIssued() { return false }
            }
        } catch let error as DatabaseError {
            #expect(error.description.contains("the process has ended"))
            return true
        }
        Issue.record("the order is not finished")
        return true
    }

    private func isIssued() throws(DatabaseError) -> Bool {
        try rig.store.read { transaction throws(DatabaseError) in
            try IssuanceReport.load(CertificateRig.host, in: transaction)?.state == .issued
        }
    }

    /// The next process, which knows that the one before has ended, or finds its claim expired.
    private func finish(isEndKnown: Bool) throws {
        try rig.store.write { transaction throws(DatabaseError) in
            if isEndKnown {
                try Work.freeClaims(ofHolders: "node/", in: transaction)
            } else {
                try transaction.execute("update work set until = 1, due = 1 where holder is not null")
            }
        }
        rig.servers[0].faults.change { $0 = AuthorityServer.Faults() }
        try rig.restart(with: try rig.database.store())
        try rig.settle()
        try rig.settleLater()
    }

    private func expectOneOrder(_ number: Int, _ what: Comment) throws {
        try rig.expectIssued()
        let (orders, certificates) = rig.servers[0].use { ($0.orders.count, $0.certificateCount) }
        #expect(orders == number && certificates == number, what)
        let tokens = try rig.tokens().mapValues { $0.rounded() }
        #expect(tokens == ["orders": 299, "sets": 1, "domains": 24, "failures": 0], what)
    }

    /// Gives the worker an engine that ends it.
    private func endingEngine(at call: Int = 0) throws -> FaultyEngine {
        let engine = try FaultyEngine(rig.database.location, .end, at: call)
        try rig.restart(with: try Store(engine.connection, keys: rig.database.keys()))
        return engine
    }

    @Test func `a crash at a call of the database orders nothing twice`() throws {
        let complete = try endingEngine()
        let first = complete.calls
        #expect(try !begin(complete))
        let last = complete.calls
        #expect(last - first > 60)
        try expectOneOrder(1, "without a crash")
        var crashes = 0
        // The last call belongs to a look for work after the order.
        for call in first + 1...last {
            let isEnded = try begin(endingEngine(at: call))
            if isEnded { crashes += 1 }
            try finish(isEndKnown: call % 2 == 0)
            try expectOneOrder(1 + call - first, "call \(call - first)")
        }
        #expect(crashes >= last - first - 10, "\(crashes) of \(last - first)")
    }

    @Test(arguments: [true, false]) func `a crash at a request to the authority orders nothing twice`(isHeard: Bool)
        throws
    {
        var requests = 0
        for request in 1...20 {
            let engine = try endingEngine()
            let crash = AuthorityServer.Crash(request: request, isHeard: isHeard, happens: engine.end)
            rig.servers[0].faults.change { $0.crash = crash }
            if try begin(engine) { requests += 1 }
            try finish(isEndKnown: request % 2 == 0)
            try expectOneOrder(request, "request \(request)")
        }
        // The directory, a nonce, the account, and those of the order.
        #expect((10..<20).contains(requests), "\(requests)")
    }
}
