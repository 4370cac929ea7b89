// The TXT records of orders at BIND, with a secondary name server that is scripted.

import Posix
import Synchronization
import Testing

@testable import ACME
@testable import DNS
@testable import DNSSupport
@testable import Issuance

@Suite(.enabled(if: BindServer.isInstalled, BindServer.absence)) struct ChallengeRecordsTests {
    private static let answer = OrderAnswer(
        kind: .dns, host: "shop.example.com", token: "token", keyAuthorization: "token.thumbprint")
    private static let text = Array(answer.recordValue.utf8)

    /// A secondary that has the record from some look on.
    private static func secondary(lateBy looks: Int) throws -> ScriptedNameServer {
        let count = Mutex(0)
        return try ScriptedNameServer.answering { query in
            var packet = DNSPacket(query.question)
            let look = count.withLock { count in
                count += 1
                return count
            }
            if look > looks { packet.answers = [.init(.txt, [UInt8(text.count)] + text)] } else { packet.flags |= 3 }
            return packet
        }
    }

    private static func records(_ bind: BindServer, _ secondary: ScriptedNameServer) throws -> ChallengeRecords {
        var rules = IssuanceRules(directories: [])
        rules.updates = UpdateServer(bind.address, key: SignedSample.key())
        rules.resolver.servers = [bind.address]
        rules.nameServerPort = secondary.address.port
        return try #require(ChallengeRecords(rules))
    }

    private func isThere(_ bind: BindServer) throws -> Bool {
        try UpdateServer(bind.address, key: SignedSample.key()).shows(Self.text, at: SignedSample.name)
    }

    @Test(arguments: ["shop.example.com", "alias.example.com"])
    func `waits for each name server of the zone, also behind an alias`(host: String) throws {
        let (bind, secondary) = (try BindServer(), try Self.secondary(lateBy: 2))
        let records = try Self.records(bind, secondary)
        let answer = OrderAnswer(
            kind: .dns, host: host, token: Self.answer.token, keyAuthorization: Self.answer.keyAuthorization)
        var rests = 0
        try records.publish([answer]) { rests += 1 }
        #expect(try rests == 2 && isThere(bind))
        let problem = records.withdraw(answer)
        #expect(try problem == nil && !isThere(bind))
    }

    @Test func `says which name server does not get the record`() throws {
        let (bind, secondary) = (try BindServer(), try Self.secondary(lateBy: .max))
        let records = try Self.records(bind, secondary)
        var rests = 0
        let problem = #expect(throws: PreflightProblem.self) { try records.publish([Self.answer]) { rests += 1 } }
        #expect(rests == 29)
        #expect(
            problem?.description.hasPrefix("name server \(secondary.address) of example.com does not answer") == true)
    }

    @Test func `a name server that does not answer is not waited for`() throws {
        let bind = try BindServer()
        let secondary = try ScriptedNameServer { _ in .silence }
        try Self.records(bind, secondary).publish([Self.answer]) { Issue.record("it waits") }
        #expect(try isThere(bind))
    }
}
