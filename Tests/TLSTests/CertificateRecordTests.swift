// What becomes of a folder's certificate, look by look.

import Posix
import Testing

@testable import TLS

struct CertificateRecordTests {
    private let authority: DevelopmentAuthority
    private let folder: TemporaryFolder
    private let now = Clock.wallSeconds()

    init() throws {
        folder = try TemporaryFolder()
        authority = try DevelopmentAuthority(directory: folder.path)
    }

    /// Of the authority's certificates each lacks its issuer's, which is nothing here.
    private func told(_ problems: [CertificateProblem]) -> [CertificateProblem.Kind] {
        problems.map(\.kind).filter { $0 != .missingIntermediate }
    }

    /// What a look finds, in short.
    enum Look {
        case gone
        case same
        /// Files of this state with a certificate for this host, or with none that can be used.
        case good(Int, String)
        case broken(Int)
    }

    private func content(_ name: String) throws -> CertificateRecord.Content {
        .identity(try authority.identity(for: Array(name.utf8).span))
    }

    private func content(broken stamp: Int) -> CertificateRecord.Content {
        .broken(CertificateProblem(.malformedKey, file: "privkey.pem", "state \(stamp)", fix: "none"))
    }

    private func look(_ look: Look) throws -> CertificateRecord.Look {
        switch look {
        case .gone: .gone
        case .same: .same
        case .good(let stamp, let name): .found(stamp: stamp, try content(name))
        case .broken(let stamp): .found(stamp: stamp, content(broken: stamp))
        }
    }

    private func served(_ record: CertificateRecord) -> String {
        switch record.content {
        case .identity(let identity): identity.facts.first?.names.first ?? "nameless"
        case .broken(let problem): problem.message
        }
    }

    /// Each row: looks, what is served behind each, and the problems that were reported at each.
    @Test(arguments: [
        ([Look.same, .same], ["a.example", "a.example"], [0, 0]),
        ([.good(2, "a.example")], ["a.example"], [0]),
        // Broken files are reported at the second look, once for each state of them.
        ([.broken(2), .broken(2), .broken(2)], ["a.example", "a.example", "a.example"], [0, 1, 0]),
        ([.broken(2), .broken(3), .broken(3)], ["a.example", "a.example", "a.example"], [0, 0, 1]),
        ([.broken(2), .good(3, "a.example"), .same], ["a.example", "a.example", "a.example"], [0, 0, 0]),
        ([.broken(2), .same, .broken(2)], ["a.example", "a.example", "a.example"], [0, 0, 0]),
        // A certificate for another host does not replace a good one.
        ([.good(2, "b.example"), .good(2, "b.example")], ["a.example", "a.example"], [0, 1]),
        ([.gone, .broken(2), .gone], ["a.example", "a.example", "a.example"], [0, 0, 0]),
    ])
    func `a good certificate stays until a better one comes`(looks: [Look], served: [String], reported: [Int]) throws {
        var record = CertificateRecord(try content("a.example"), stamp: 1)
        for (index, look) in looks.enumerated() {
            let problems = told(record.take(try self.look(look), host: "a.example", now: now))
            #expect(self.served(record) == served[index], "look \(index)")
            #expect(problems.count == reported[index], "look \(index)")
            #expect(!record.isGone)
        }
    }

    @Test(arguments: [
        ([Look.good(2, "a.example")], ["a.example"], [0]),
        // Even one that clients refuse is more than nothing.
        ([.good(2, "b.example")], ["b.example"], [1]),
        ([.broken(1), .broken(1)], ["state 1", "state 1"], [0, 0]),
        ([.broken(2), .broken(2), .broken(2)], ["state 1", "state 2", "state 2"], [0, 1, 0]),
    ])
    func `a broken one gives way to whatever can be used`(looks: [Look], served: [String], reported: [Int]) throws {
        var record = CertificateRecord(content(broken: 1), stamp: 1)
        for (index, look) in looks.enumerated() {
            let problems = told(record.take(try self.look(look), host: "a.example", now: now))
            #expect(self.served(record) == served[index], "look \(index)")
            #expect(problems.count == reported[index], "look \(index)")
        }
    }

    @Test func `files are gone when they were missing at two looks in a row`() throws {
        var record = CertificateRecord(try content("a.example"), stamp: 1)
        for (look, isGone) in [(Look.gone, false), (.same, false), (.gone, false), (.gone, true), (.gone, true)] {
            _ = record.take(try self.look(look), host: "a.example", now: now)
            #expect(record.isGone == isGone)
            #expect(served(record) == "a.example")
        }
        _ = record.take(try look(.good(2, "a.example")), host: "a.example", now: now)
        #expect(!record.isGone)
    }

    @Test func `that time runs out is reported once for each step`() throws {
        var record = CertificateRecord(try content("a.example"), stamp: 1)
        #expect(told(record.firstProblems(host: "a.example", now: now)).isEmpty)
        let day: Int64 = 86_400
        let kinds = [0, 41, 42, 54, 55, 61, 62].map { days in
            told(record.take(.same, host: "a.example", now: now + days * day))
        }
        #expect(kinds == [[], [.expiresWithinWeeks], [], [.expiresWithinDays], [], [.expired], []])
    }
}
