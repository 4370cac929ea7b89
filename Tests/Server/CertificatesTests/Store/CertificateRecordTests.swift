// The state of a folder's certificate over several checks.

import Posix
import TestSupport
import Testing

@testable import Certificates
@testable import TLS

struct CertificateRecordTests {
    private let authority: DevelopmentAuthority
    private let folder: TemporaryFolder
    private let now = Clock.wallSeconds()

    init() throws {
        folder = try TemporaryFolder(permissions: 0o600)
        authority = try DevelopmentAuthority(directory: folder.path)
    }

    /// The state and the numbers of the rules, except for the one that all certificates of the authority break: no
    /// phone trusts them.
    private func state(_ record: CertificateRecord) -> String {
        let status = record.status(host: "a.example", now: now)
        let problems = status.problems.filter { $0.kind != .selfSigned }
        return ([status.state.rawValue] + problems.map { String($0.id.suffix(2)) }).joined(separator: " ")
    }

    /// The result of a check, in short.
    enum Look {
        case gone
        case same
        /// Files in this state with a certificate for this host, or without a usable one.
        case good(Int, String)
        case broken(Int)
    }

    private func content(_ name: String) throws -> CertificateRecord.Content {
        .identity(try authority.identity(for: Array(name.utf8).span))
    }

    private func content(broken stamp: Int) -> CertificateRecord.Content {
        .broken(CertificateProblem(.malformedKey, file: "privkey.pem", "state \(stamp)", fix: "none"))
    }

    private func look(_ look: Look) throws -> CertificateRecord.Comparison {
        switch look {
        case .gone: .gone
        case .same: .same
        case .good(let stamp, let name): .found(stamp: stamp, try content(name))
        case .broken(let stamp): .found(stamp: stamp, content(broken: stamp))
        }
    }

    private func served(_ record: CertificateRecord) -> String {
        switch record.content {
        case .identity(let identity): identity.facts.names.first ?? "nameless"
        case .broken(let problem): problem.message
        }
    }

    /// Each row: checks, the certificate in service after each, and the state with the open problems.
    @Test(arguments: [
        ([Look.same, .same], ["a.example", "a.example"], ["usable", "usable"]),
        ([.good(2, "a.example")], ["a.example"], ["usable"]),
        // Broken files count at the second check, once for each version of them.
        (
            [.broken(2), .broken(2), .broken(2)], ["a.example", "a.example", "a.example"],
            ["usable", "last_good 04", "last_good 04"]
        ),
        (
            [.broken(2), .broken(3), .broken(3)], ["a.example", "a.example", "a.example"],
            ["usable", "usable", "last_good 04"]
        ),
        (
            [.broken(2), .good(3, "a.example"), .same], ["a.example", "a.example", "a.example"],
            ["usable", "usable", "usable"]
        ),
        (
            [.broken(2), .broken(2), .same], ["a.example", "a.example", "a.example"],
            ["usable", "last_good 04", "usable"]
        ),
        // A certificate for another host does not replace a good one.
        ([.good(2, "b.example"), .good(2, "b.example")], ["a.example", "a.example"], ["usable", "last_good 11"]),
        ([.gone, .broken(2), .gone], ["a.example", "a.example", "a.example"], ["usable", "usable", "usable"]),
        ([.gone, .gone, .same], ["a.example", "a.example", "a.example"], ["usable", "last_good", "usable"]),
    ])
    func `keeps a good certificate until there is a better one`(
        looks: [Look], served: [String], states: [String]
    ) throws {
        try expect(CertificateRecord(try content("a.example"), stamp: 1), looks, served, states)
    }

    private func expect(_ start: CertificateRecord, _ looks: [Look], _ served: [String], _ states: [String]) throws {
        var record = start
        for (index, look) in looks.enumerated() {
            record.apply(try self.look(look), host: "a.example", now: now)
            #expect(self.served(record) == served[index], "look \(index)")
            #expect(state(record) == states[index], "look \(index)")
        }
    }

    @Test(arguments: [
        ([Look.good(2, "a.example")], ["a.example"], ["usable"]),
        // Even one that clients reject is better than none.
        ([.good(2, "b.example")], ["b.example"], ["broken 11"]),
        ([.broken(1), .broken(1)], ["state 1", "state 1"], ["broken 04", "broken 04"]),
        (
            [.broken(2), .broken(2), .broken(2)], ["state 1", "state 2", "state 2"],
            ["broken 04", "broken 04", "broken 04"]
        ),
    ])
    func `replaces a broken certificate by any usable one`(looks: [Look], served: [String], states: [String]) throws {
        try expect(CertificateRecord(content(broken: 1), stamp: 1), looks, served, states)
    }

    @Test func `counts files as gone when they were missing at two checks in a row`() throws {
        var record = CertificateRecord(try content("a.example"), stamp: 1)
        for (look, isGone) in [(Look.gone, false), (.same, false), (.gone, false), (.gone, true), (.gone, true)] {
            record.apply(try self.look(look), host: "a.example", now: now)
            #expect(record.isGone == isGone)
            #expect(served(record) == "a.example")
        }
        record.apply(try look(.good(2, "a.example")), host: "a.example", now: now)
        #expect(!record.isGone)
    }
}
