// Interoperability with BIND 9.

import Testing

@testable import DNS
@testable import DNSSupport

@Suite(.enabled(if: BindServer.isInstalled, BindServer.absence), .serialized)
struct BindTests {
    private let first = Array("abc".utf8)
    private let second = Array("def".utf8)
    private let name = SignedSample.name

    private func kind(_ body: () throws(UpdateFailure) -> Void) -> UpdateFailure.Kind? {
        do throws(UpdateFailure) {
            try body()
            return nil
        } catch {
            return error.kind
        }
    }

    @Test(arguments: TransactionKey.Algorithm.allCases)
    func `adds, shows and removes records`(algorithm: TransactionKey.Algorithm) throws {
        let bind = try BindServer(algorithm)
        let server = UpdateServer(bind.address, key: SignedSample.key("associated", algorithm))
        #expect(try server.zone(of: name) == SignedSample.zone)
        #expect(try !server.shows(first, at: name))
        try server.add(first, to: name)
        // As after a lost answer.
        try server.add(first, to: name)
        try server.add(second, to: name)
        #expect(try server.shows(first, at: name) && server.shows(second, at: name))
        try server.remove(first, from: name)
        try server.remove(first, from: name)
        #expect(try !server.shows(first, at: name) && server.shows(second, at: name))
        try server.remove(second, from: name)
        #expect(try !server.shows(second, at: name))
    }

    @Test func `is refused with a wrong key, and for another name`() throws {
        let bind = try BindServer()
        let keys: [(TransactionKey, UpdateFailure.Kind)] = [
            (SignedSample.key("other"), .unknownKey), (SignedSample.key("associated", .sha512), .unknownKey),
            (SignedSample.key(secret: "AAEC"), .otherSecret),
        ]
        for (key, kind) in keys {
            let server = UpdateServer(bind.address, key: key)
            #expect(self.kind { () throws(UpdateFailure) in try server.add(first, to: name) } == kind)
        }
        let server = UpdateServer(bind.address, key: SignedSample.key())
        let other = DomainName("_acme-challenge.other.example.com")!
        #expect(kind { () throws(UpdateFailure) in try server.add(first, to: other) } == .refused)
        #expect(kind { () throws(UpdateFailure) in try server.add(first, to: DomainName("a.example.net")!) } == .noZone)
        #expect(try !server.shows(first, at: name))
    }
}
