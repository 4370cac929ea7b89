// Answers from packets: every type of record, and malformed packets.

import Posix
import Testing

@testable import DNS
@testable import DNSSupport

struct DNSMessageTests {
    private func read(_ packet: [UInt8], _ question: DNSQuestion, id: UInt16 = 7) -> DNSMessage.Reading {
        DNSMessage.read(packet, id: id, question: question)
    }

    /// The records of a packet for its question; nil if it is malformed or not an answer to it.
    private func records(_ packet: DNSPacket, _ question: DNSQuestion) throws -> [DNSRecord]? {
        guard case .message(let message) = read(packet.bytes, question) else { return nil }
        return try message.records(of: question, from: question.name).records
    }

    private func isMalformed(_ packet: [UInt8], _ question: DNSQuestion) -> Bool {
        if case .malformed = read(packet, question) { true } else { false }
    }

    static let contents: [(DNSRecordType, [UInt8], DNSRecord)] = [
        (.a, [192, 0, 2, 1], .ipv4(0xC000_0201)),
        (
            .aaaa, [0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 0, count: 11) + [1],
            .address(.init(family: .ipv6, high: 0x2001_0DB8_0000_0000, low: 1, port: 0))
        ),
        (.ns, DNSPacket.name("NS.example"), .nameServer(DomainName("ns.example")!)),
        (.ns, [2] + Array("ns".utf8) + DNSPacket.pointerToQuestion, .nameServer(DomainName("ns.shop.example")!)),
        (.cname, DNSPacket.name("a.example"), .alias(DomainName("a.example")!)),
        (
            .soa, DNSPacket.name("ns.example") + [UInt8](repeating: 0, count: 21),
            .zoneStart(primary: DomainName("ns.example")!)
        ),
        (.txt, [3] + Array("abc".utf8) + [0, 1] + Array("d".utf8), .text(Array("abcd".utf8))),
        (.txt, [], .text([])),
        (
            .caa, [128, 5] + Array("IssueCA".utf8),
            .authorization(CAARecord(isCritical: true, tag: "issue", value: Array("CA".utf8)))
        ),
        (.caa, [0, 5] + Array("issue".utf8), .authorization(CAARecord(tag: "issue", value: []))),
    ]

    @Test(arguments: contents) func `reads a record`(type: DNSRecordType, data: [UInt8], record: DNSRecord) throws {
        let packet = DNSPacket(.of(type), [.init(type, data)])
        #expect(try records(packet, .of(type)) == [record])
    }

    /// Anyone may have sent it, so the answer of the server is still to come.
    @Test(arguments: [0x0000, 0x8800, 0xF800] as [UInt16])
    func `a packet that is no response to a query does not end the lookup`(flags: UInt16) {
        var packet = DNSPacket(.of(.a), [.init(.a, [192, 0, 2, 1])])
        packet.flags = flags
        for bytes in [packet.bytes, Array(packet.bytes.prefix(11)), Array(packet.bytes.prefix(1)), []] {
            guard case .unrelated = read(bytes, .of(.a)) else {
                Issue.record("\(bytes)")
                continue
            }
        }
    }

    @Test(arguments: contents)
    func `a packet that is truncated anywhere is malformed`(type: DNSRecordType, data: [UInt8], record: DNSRecord) {
        var packet = DNSPacket(.of(type), [.init("shop.example", type, data), .init(type, data)])
        packet.authorities = [.startOfAuthority]
        packet.additions = [.init("", type: 41)]
        for end in 12..<packet.bytes.count { #expect(isMalformed(Array(packet.bytes[..<end]), .of(type)), "\(end)") }
        #expect(isMalformed(packet.bytes + [0], .of(type)))
    }

    @Test(
        arguments: [
            (.a, [192, 0, 2]), (.a, [192, 0, 2, 1, 0]), (.aaaa, [UInt8](repeating: 0, count: 4)), (.ns, []),
            (.ns, [3, 0x61]), (.ns, DNSPacket.name("a") + [0]), (.txt, [3, 0x61]), (.caa, []), (.caa, [0]),
            (.caa, [0, 0, 0x61]), (.caa, [0, 9, 0x61]), (.caa, [0, 1, 0]),
            // Names with pointers to themselves, to the end of the packet and beyond it.
            (.cname, [0xC0, 42]), (.cname, [1, 0x61, 0xC0, 42]), (.cname, [0xC0, 44]), (.cname, [0xFF, 0xFF]),
            (.cname, [0x41, 0]), (.cname, [0x80]), (.soa, []), (.soa, [0xFF, 0xFF]),
        ] as [(DNSRecordType, [UInt8])])
    func `rejects a record without content`(type: DNSRecordType, data: [UInt8]) {
        let packet = DNSPacket(.of(type), [.init(type, data)])
        // The start of the first record's data.
        #expect(packet.bytes.count - data.count == 42)
        #expect(isMalformed(packet.bytes, .of(type)))
    }

    @Test func `ignores records of another type or class`() throws {
        var other = DNSPacket.Record(.a, [1])
        other.kind = 3
        let packet = DNSPacket(.of(.a), [other, .init(.txt, [9]), .init(.a, [192, 0, 2, 1])])
        #expect(try records(packet, .of(.a)) == [.ipv4(0xC000_0201)])
    }

    @Test func `ignores answers to other questions`() {
        let packet = DNSPacket(.of(.a), [.init(.a, [192, 0, 2, 1])])
        var asking = packet
        asking.flags = 0x0100
        let readings = [
            read(packet.bytes, .of(.a), id: 8), read(packet.bytes, .of(.aaaa)),
            read(packet.bytes, .of(.a, "b.example")),
            read(asking.bytes, .of(.a)), read([], .of(.a)), read([0], .of(.a)),
        ]
        for reading in readings {
            guard case .unrelated = reading else {
                Issue.record("\(reading)")
                continue
            }
        }
        var two = packet
        two.questions.append(.of(.a))
        #expect(isMalformed(two.bytes, .of(.a)))
    }

    @Test func `compares names without case`() throws {
        let packet = DNSPacket(.of(.a), [.init("SHOP.Example", .a, [192, 0, 2, 1])])
        #expect(try records(packet, .of(.a)) == [.ipv4(0xC000_0201)])
    }

    @Test func `follows aliases in any order, and ignores records of other names`() throws {
        let packet = DNSPacket(
            .of(.a),
            [
                .init("c.example", .a, [192, 0, 2, 3]), .init("evil.example", .a, [192, 0, 2, 9]),
                .init("b.example", .cname, DNSPacket.name("c.example")), .init(.cname, DNSPacket.name("b.example")),
            ])
        guard case .message(let message) = read(packet.bytes, .of(.a)) else { throw DNSMalformation(reason: "") }
        let found = try message.records(of: .of(.a), from: DomainName("shop.example")!)
        #expect(found.records == [.ipv4(0xC000_0203)])
        #expect(found.aliases.map(\.text) == ["b.example", "c.example"])
        // The answer also contains the alias's own records.
        let asked = DNSPacket(.of(.cname), [.init(.cname, DNSPacket.name("b.example"))])
        #expect(try records(asked, .of(.cname)) == [.alias(DomainName("b.example")!)])
    }

    @Test(arguments: [16, 17]) func `follows aliases up to the limit`(count: Int) throws {
        let links = (0..<count).map {
            DNSPacket.Record($0 == 0 ? "shop.example" : "a\($0).example", .cname, DNSPacket.name("a\($0 + 1).example"))
        }
        let packet = DNSPacket(.of(.a), links + [.init("a\(count).example", .a, [192, 0, 2, 1])])
        if count == DNSLimits.aliasesMax {
            #expect(try records(packet, .of(.a)) == [.ipv4(0xC000_0201)])
        } else {
            #expect(throws: DNSFailure.Kind.tooManyAliases) { try records(packet, .of(.a)) }
        }
        let circle = DNSPacket(.of(.a), [.init(.cname, DNSPacket.pointerToQuestion)])
        #expect(throws: DNSFailure.Kind.tooManyAliases) { try records(circle, .of(.a)) }
    }

    @Test(arguments: [1_024, 1_025]) func `reads records up to the limit`(count: Int) throws {
        let packet = DNSPacket(.of(.a), Array(repeating: .init(.a, [192, 0, 2, 1]), count: count))
        #expect(try records(packet, .of(.a))?.count == (count == DNSLimits.recordsMax ? count : nil))
    }

    /// 16,000 bytes of pointers, each to the previous one, and a thousand names at their end.
    @Test func `long chains of name pointers cost little`() {
        let start = DNSPacket(.of(.ns)).bytes.count + 12
        var way: [UInt8] = [0]
        while start + way.count < 16_380 {
            let target = way.count == 1 ? start : start + way.count - 2
            way += [0xC0 | UInt8(target >> 8), UInt8(target & 0xFF)]
        }
        let end = start + way.count - 2
        var many = DNSPacket.Record(.ns, [0xC0 | UInt8(end >> 8), UInt8(end & 0xFF)])
        many.owner = many.data
        let packet = DNSPacket(.of(.ns), [.init(.txt, way)] + Array(repeating: many, count: 1_000))
        let before = Clock.threadMicroseconds()
        _ = read(packet.bytes, .of(.ns))
        #expect(Clock.threadMicroseconds() - before < 2_000_000)
    }

    @Test func `the code includes the upper bits from EDNS`() {
        var packet = DNSPacket(.of(.a))
        packet.additions = [.init("", type: 41)]
        packet.additions[0].timeToLive = 1 << 24
        guard case .message(let message) = read(packet.bytes, .of(.a)) else {
            Issue.record("it is malformed")
            return
        }
        #expect(message.code == DNSCode.badVersion)
    }
}
