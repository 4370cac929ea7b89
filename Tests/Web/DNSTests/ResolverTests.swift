// Lookups at servers that answer, refuse, forge, hang and disconnect.

import Posix
import Testing

@testable import DNS
@testable import DNSSupport

struct ResolverTests {
    /// - Parameter milliseconds: the limit of an attempt; short if no answer is expected.
    private func lookUp(
        _ question: DNSQuestion = .of(.a), at servers: ScriptedNameServer..., milliseconds: Int = 10_000
    ) throws -> DNSOutcome {
        var resolver = Resolver()
        resolver.servers = servers.map(\.address)
        resolver.attemptMilliseconds = milliseconds
        resolver.totalMilliseconds = milliseconds * 4
        return resolver.lookUp(question.type, of: question.name)
    }

    @Test func `several lookups can have one time limit`() throws {
        let silent = try ScriptedNameServer { _ in .silence }
        var resolver = Resolver()
        resolver.servers = [silent.address]
        let start = Clock.monotonicMilliseconds()
        for name in ["a.example", "b.example", "c.example"] {
            let outcome = resolver.lookUp(.a, of: DomainName(name)!, endingBy: start + 100)
            #expect(kind(outcome) == .timedOut)
        }
        // Two attempts of one of them would take six seconds.
        #expect(Clock.monotonicMilliseconds() - start < 5_000)
    }

    private func kind(_ outcome: DNSOutcome) -> DNSFailure.Kind? {
        if case .failed(let failure) = outcome { failure.kind } else { nil }
    }

    private static let address = DNSPacket.Record(.a, [192, 0, 2, 1])
    private static let found = DNSOutcome.found([.ipv4(0xC000_0201)], aliases: [])

    /// The answer of a server, and the outcome.
    struct Scene: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var outcome: @Sendable (String) -> DNSOutcome
        var change: @Sendable (inout DNSPacket) -> Void

        /// - Parameter outcome: receives the server's address.
        init(
            _ name: String, _ outcome: @escaping @Sendable (String) -> DNSOutcome,
            _ change: @escaping @Sendable (inout DNSPacket) -> Void
        ) {
            testDescription = name
            self.outcome = outcome
            self.change = change
        }

        init(
            _ name: String, failing kind: @escaping @Sendable (String) -> DNSFailure.Kind,
            _ change: @escaping @Sendable (inout DNSPacket) -> Void
        ) {
            self.init(name, { .failed(DNSFailure(kind($0), .of(.a))) }, change)
        }
    }

    private static let scenes = [
        Scene("an answer", { _ in found }) { $0.answers = [address] },
        Scene("an answer of another name", { _ in .noData(aliases: []) }) {
            $0.answers = [.init("evil.example", .a, [192, 0, 2, 1])]
        },
        Scene("no data", { _ in .noData(aliases: []) }) { $0.authorities = [.startOfAuthority] },
        Scene("no data without proof", { _ in .noData(aliases: []) }) { _ in },
        Scene("no data for an alias", { _ in .noData(aliases: [DomainName("b.example")!]) }) {
            $0.answers = [.init(.cname, DNSPacket.name("b.example"))]
            $0.authorities = [.startOfAuthority]
        },
        Scene("NXDOMAIN", { _ in .noSuchName(aliases: []) }) { $0.flags |= 3 },
        Scene("NXDOMAIN of an alias", { _ in .noSuchName(aliases: [DomainName("b.example")!]) }) {
            $0.answers = [.init(.cname, DNSPacket.name("b.example"))]
            $0.flags |= 3
        },
        Scene("SERVFAIL", failing: { .serverFailure(server: $0) }) { $0.flags |= 2 },
        Scene("REFUSED", failing: { .refused(server: $0) }) { $0.flags |= 5 },
        Scene("REFUSED without the question", failing: { .refused(server: $0) }) {
            $0.flags |= 5
            $0.questions = []
        },
        Scene("FORMERR", failing: { .code(1, server: $0) }) { $0.flags |= 1 },
        Scene("NOTAUTH", failing: { .code(9, server: $0) }) { $0.flags |= 9 },
        Scene("a referral", failing: { .refused(server: $0) }) {
            $0.authorities = [.init("example", .ns, DNSPacket.name("ns.example"))]
        },
        Scene("a server that only knows its own zones", failing: { .refused(server: $0) }) { $0.flags &= ~0x80 },
        Scene("aliases that lead back", failing: { _ in .tooManyAliases }) {
            $0.answers = [.init(.cname, DNSPacket.pointerToQuestion)]
        },
        Scene("nonsense", failing: { .malformed(server: $0, reason: "an address has 1 bytes") }) {
            $0.answers = [.init(.a, [1])]
        },
    ]

    @Test(arguments: scenes) func `distinguishes the outcomes`(scene: Scene) throws {
        let server = try ScriptedNameServer.answering { query in
            var packet = DNSPacket(query.question)
            scene.change(&packet)
            return packet
        }
        #expect(try lookUp(at: server) == scene.outcome("\(server.address)"))
    }

    @Test func `looks up the exact name, without search domains`() throws {
        let server = try ScriptedNameServer.answering { DNSPacket($0.question, code: 3) }
        #expect(try lookUp(.of(.caa, "shop"), at: server) == .noSuchName(aliases: []))
        #expect(server.heard.map(\.question) == [.of(.caa, "shop")])
        #expect(server.heard.first?.hasEDNS == true)
    }

    @Test func `looks up the last alias if the server does not follow it`() throws {
        let server = try ScriptedNameServer.answering { query in
            query.question.name.text == "shop.example"
                ? DNSPacket(query.question, [.init(.cname, DNSPacket.name("b.example"))])
                : DNSPacket(query.question, [ResolverTests.address])
        }
        #expect(try lookUp(at: server) == .found([.ipv4(0xC000_0201)], aliases: [DomainName("b.example")!]))
    }

    @Test func `stops at too many aliases, also over several answers`() throws {
        let server = try ScriptedNameServer.answering { query in
            DNSPacket(query.question, [.init(.cname, [1, 0x61] + DNSPacket.pointerToQuestion)])
        }
        #expect(try kind(lookUp(at: server)) == .tooManyAliases)
        #expect(server.heard.count == DNSLimits.aliasesMax + 1)
    }

    @Test(arguments: [1, 4]) func `asks again without EDNS if the server does not support it`(code: UInt16) throws {
        let server = try ScriptedNameServer.answering { query in
            DNSPacket(query.question, query.hasEDNS ? [] : [ResolverTests.address], code: query.hasEDNS ? code : 0)
        }
        #expect(try lookUp(at: server) == ResolverTests.found)
    }

    @Test func `waits for its own answer and ignores other packets`() throws {
        let server = try ScriptedNameServer { query in
            var (right, forged, other) = (
                DNSPacket(query.question, [ResolverTests.address]),
                DNSPacket(query.question, [.init(.a, [6, 6, 6, 6])]),
                DNSPacket(.of(.a, "evil.example"), [.init(.a, [6, 6, 6, 6])])
            )
            (right.id, forged.id, other.id) = (query.id, query.id &+ 1, query.id)
            return .packets([[], [1], forged.bytes, other.bytes, right.bytes])
        }
        #expect(try lookUp(at: server) == ResolverTests.found)
    }

    @Test func `asks a silent server as often as set, then times out`() throws {
        let server = try ScriptedNameServer { _ in .silence }
        #expect(try kind(lookUp(at: server, milliseconds: 60)) == .timedOut)
        #expect(server.heard.count == 2)
    }

    @Test func `asks the next server after a failure, and reports the failure if none answers`() throws {
        let broken = try ScriptedNameServer.answering { DNSPacket($0.question, code: 2) }
        let working = try ScriptedNameServer.answering { DNSPacket($0.question, [ResolverTests.address]) }
        let silent = try ScriptedNameServer { _ in .silence }
        #expect(try lookUp(at: broken, working) == ResolverTests.found)
        let outcome = try lookUp(at: silent, broken, milliseconds: 60)
        #expect(kind(outcome) == .serverFailure(server: "\(broken.address)"))
        #expect(broken.heard.count == 2)
    }

    @Test func `reports an unreachable server`() throws {
        var resolver = Resolver()
        // A port that was free a moment ago.
        do { resolver.servers = [try Listener(SocketAddress("127.0.0.1:0")!, sharesPort: false).address] }
        let refused = SystemError(call: "recv", number: 111)
        let outcome = DNSFailure.Kind.unreachable(server: "\(resolver.servers[0])", refused)
        #expect(kind(resolver.lookUp(.a, of: DomainName("shop.example")!)) == outcome)
    }

    /// The answer over TCP if that over UDP was too long.
    private func afterTruncation(
        hasStream: Bool = true, milliseconds: Int = 10_000,
        _ stream: @escaping @Sendable (ScriptedNameServer.Query, DNSPacket) -> ScriptedNameServer.Answer
    ) throws -> DNSOutcome {
        let server = try ScriptedNameServer(hasStream: hasStream) { query in
            var packet = DNSPacket(query.question, [ResolverTests.address])
            packet.id = query.id
            if query.isStream { return stream(query, packet) }
            packet.flags |= 0x0200
            return .packets([packet.bytes])
        }
        return try lookUp(at: server, milliseconds: milliseconds)
    }

    @Test func `fetches a long answer over TCP, up to 64 KB`() throws {
        let outcome = try afterTruncation { _, packet in
            var packet = packet
            let records = Array(repeating: DNSPacket.Record(.txt, [UInt8](repeating: 0, count: 1_024)), count: 62)
            packet.answers += records
            let room = 65_535 - packet.bytes.count - 12
            packet.answers.append(DNSPacket.Record(.txt, [UInt8](repeating: 0, count: room)))
            return .packets([packet.bytes])
        }
        #expect(outcome == ResolverTests.found)
    }

    @Test func `reports a long answer that TCP does not deliver`() throws {
        typealias Stream = @Sendable (ScriptedNameServer.Query, DNSPacket) -> ScriptedNameServer.Answer
        let streams: [(String, Int, Stream)] = [
            ("connection timed out", 60, { _, _ in .silence }),
            ("the connection ended before the answer did", 10_000, { _, _ in .bytes([]) }),
            ("the connection ended before the answer did", 10_000, { _, _ in .bytes([0]) }),
            ("the connection ended before the answer did", 10_000, { .bytes([1, 0] + $1.bytes) }),
            (
                "it is truncated there too", 10_000,
                { _, packet in
                    var packet = packet
                    packet.flags |= 0x0200
                    return .packets([packet.bytes])
                }
            ),
        ]
        for (reason, milliseconds, stream) in streams {
            let kind = try kind(afterTruncation(milliseconds: milliseconds, stream))
            guard case .truncated(_, let found)? = kind else {
                Issue.record("\(reason): \(String(describing: kind))")
                continue
            }
            #expect(found == reason)
        }
        guard case .truncated? = try kind(afterTruncation(hasStream: false) { _, _ in .silence }) else {
            Issue.record("there is nothing to connect to")
            return
        }
    }

    @Test func `rejects an answer over TCP to another question`() throws {
        let outcomes = try [
            afterTruncation { _, packet in
                var packet = packet
                packet.id &+= 1
                return .packets([packet.bytes])
            },
            afterTruncation { _, packet in .packets([Array(packet.bytes.dropLast())]) },
        ]
        for outcome in outcomes {
            guard case .malformed? = kind(outcome) else {
                Issue.record("\(outcome)")
                continue
            }
        }
    }

    @Test func `a failure names the question, the server and the reason`() {
        func text(_ kind: DNSFailure.Kind) -> String { "\(DNSFailure(kind, .of(.caa)))" }
        #expect(text(.timedOut) == "cannot look up CAA of shop.example: no name server answered in time")
        #expect(text(.serverFailure(server: "192.0.2.53:53")).contains("name server 192.0.2.53:53 answered SERVFAIL"))
    }

    @Test func `uses the servers of this machine by default`() throws {
        let state = try ResolverState()
        #expect(!state.servers.isEmpty)
        #expect(state.servers.allSatisfy { $0.port == 53 })
    }
}
