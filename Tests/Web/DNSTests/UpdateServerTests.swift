// Updates at a scripted name server: which zone, what is sent, and what an operator is told.

import Posix
import Synchronization
import TestSupport
import Testing

@testable import DNS
@testable import DNSSupport

struct UpdateServerTests {
    /// A server for `example.com` that carries out updates.
    private final class Zone: Sendable {
        private let texts = Mutex<Set<[UInt8]>>([])
        var all: Set<[UInt8]> { texts.withLock { $0 } }

        func answer(_ query: ScriptedNameServer.Query) -> ScriptedNameServer.Answer {
            if query.isStream { return .packets([update(query)]) }
            var packet = DNSPacket(query.question)
            packet.id = query.id
            if query.question == .of(.soa, "example.com") {
                packet.answers = [.init(.soa, DNSPacket.name("ns.example.com") + [UInt8](repeating: 0, count: 20))]
            } else if query.question == DNSQuestion(type: .txt, name: SignedSample.name) {
                packet.answers = all.map { .init(.txt, [UInt8($0.count)] + $0) }
            } else {
                packet.flags |= 3
            }
            return .packets([packet.bytes])
        }

        private func update(_ query: ScriptedNameServer.Query) -> [UInt8] {
            var answer = SignedSample.Answer()
            (answer.id, answer.signedAt) = (query.id, Clock.wallSeconds())
            guard let parts = try? TransactionSignature.split(query.bytes) else { return [] }
            answer.requestCode = parts.signature.code
            for change in UpdateMessage.Change.allCases {
                for text in [Array("abc".utf8), Array("def".utf8)] {
                    let message = UpdateMessage(
                        change: change, text: text, name: SignedSample.name, zone: SignedSample.zone)
                    guard message.bytes(id: query.id) == parts.message else { continue }
                    texts.withLock { if change == .add { $0.insert(text) } else { $0.remove(text) } }
                    return answer.bytes
                }
            }
            answer.flags |= 1
            return answer.bytes
        }
    }

    private func kind(_ body: () throws(UpdateFailure) -> Void) -> UpdateFailure.Kind? {
        do throws(UpdateFailure) {
            try body()
            return nil
        } catch {
            return error.kind
        }
    }

    @Test(arguments: [nil, SignedSample.zone]) func `adds and removes records beside others`(zone: DomainName?) throws {
        let content = Zone()
        let scripted = try ScriptedNameServer { content.answer($0) }
        let server = UpdateServer(scripted.address, key: SignedSample.key(), zone: zone)
        let (first, second, name) = (Array("abc".utf8), Array("def".utf8), SignedSample.name)
        #expect(try !server.shows(first, at: name))
        try server.add(first, to: name)
        try server.add(second, to: name)
        #expect(try server.shows(first, at: name) && server.shows(second, at: name))
        try server.remove(first, from: name)
        #expect(try !server.shows(first, at: name) && server.shows(second, at: name))
        try server.remove(second, from: name)
        #expect(content.all.isEmpty)
        #expect(try server.zone(of: name) == SignedSample.zone)
    }

    @Test func `climbs to the zone, and stops below the root`() throws {
        let content = Zone()
        let scripted = try ScriptedNameServer { content.answer($0) }
        let server = UpdateServer(scripted.address, key: SignedSample.key())
        #expect(try server.zone(of: SignedSample.name) == SignedSample.zone)
        #expect(
            scripted.heard.map { "\($0.question.name)" } == [
                "_acme-challenge.shop.example.com", "shop.example.com", "example.com",
            ])
        #expect(kind { () throws(UpdateFailure) in _ = try server.zone(of: DomainName("a.example.net")!) } == .noZone)
    }

    @Test func `the zone of the settings contains the name`() throws {
        let content = Zone()
        let scripted = try ScriptedNameServer { content.answer($0) }
        let server = UpdateServer(scripted.address, key: SignedSample.key(), zone: SignedSample.zone)
        let other = DomainName("a.example.net")!
        #expect(
            kind { () throws(UpdateFailure) in try server.add([], to: other) } == .outside(zone: SignedSample.zone))
        let missing = UpdateServer(scripted.address, key: SignedSample.key(), zone: DomainName("shop.example.com")!)
        #expect(kind { () throws(UpdateFailure) in _ = try missing.zone(of: SignedSample.name) } == .noZone)
    }

    @Test func `a server that refuses lookups has no zone for the name`() throws {
        let scripted = try ScriptedNameServer.answering { DNSPacket($0.question, code: 5) }
        let server = UpdateServer(scripted.address, key: SignedSample.key())
        #expect(kind { () throws(UpdateFailure) in _ = try server.zone(of: SignedSample.name) } == .noZone)
        let broken = try ScriptedNameServer.answering { DNSPacket($0.question, code: 2) }
        let other = UpdateServer(broken.address, key: SignedSample.key())
        guard case .lookup? = kind({ () throws(UpdateFailure) in _ = try other.zone(of: SignedSample.name) }) else {
            Issue.record("SERVFAIL is not reported")
            return
        }
    }

    /// What happens over TCP.
    @Test func `tells a silent server from one that ends the connection or answers nonsense`() throws {
        typealias Answer = ScriptedNameServer.Answer
        let scenes: [(Answer, Int, UpdateFailure.Kind)] = [
            (.silence, 200, .timedOut), (.bytes([]), 10_000, .closed), (.bytes([0, 9, 1]), 10_000, .closed),
            (.bytes([0, 1, 1]), 10_000, .malformed("it has 1 bytes")),
        ]
        for (answer, milliseconds, kind) in scenes {
            let content = Zone()
            let scripted = try ScriptedNameServer { $0.isStream ? answer : content.answer($0) }
            let server = UpdateServer(scripted.address, key: SignedSample.key(), milliseconds: milliseconds)
            #expect(self.kind { () throws(UpdateFailure) in try server.add([], to: SignedSample.name) } == kind)
        }
        let content = Zone()
        let scripted = try ScriptedNameServer(hasStream: false) { content.answer($0) }
        let server = UpdateServer(scripted.address, key: SignedSample.key())
        guard case .unreachable? = kind({ () throws(UpdateFailure) in try server.add([], to: SignedSample.name) })
        else {
            Issue.record("there is nothing to connect to")
            return
        }
    }

    @Test func `a failure names the record, the server and what to do`() {
        func text(_ kind: UpdateFailure.Kind) -> String {
            "\(UpdateFailure(kind: kind, name: SignedSample.name, server: "192.0.2.53:53", key: DomainName("k")!))"
        }
        let start = "cannot update _acme-challenge.shop.example.com at name server 192.0.2.53:53: "
        #expect(
            text(.unknownKey)
                == start + "it does not know the key k (BADKEY); compare the key's name and algorithm on both sides")
        #expect(
            text(.clock(differenceSeconds: -400))
                == start + "its clock is 400 seconds behind this machine's (BADTIME); synchronize both clocks")
        #expect(text(.clock(differenceSeconds: 400)).contains("is 400 seconds ahead of this machine's"))
    }
}
