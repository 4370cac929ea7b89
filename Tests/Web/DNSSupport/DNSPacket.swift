// Packets like those of name servers, valid and malformed.

import Posix

@testable import DNS

/// The answer to a question, to be encoded.
struct DNSPacket {
    var id: UInt16 = 7
    /// An answer of a recursive server.
    var flags: UInt16 = 0x8180
    var questions: [DNSQuestion]
    var answers: [Record] = []
    var authorities: [Record] = []
    var additions: [Record] = []

    struct Record {
        var owner: [UInt8]
        var type: UInt16
        var kind: UInt16 = 1
        var timeToLive: UInt32 = 60
        var data: [UInt8]

        init(_ owner: String, _ type: DNSRecordType, _ data: [UInt8]) {
            self.owner = DNSPacket.name(owner)
            self.type = type.rawValue
            self.data = data
        }

        init(_ owner: String, type: UInt16, _ data: [UInt8] = []) {
            self.init(owner, .a, data)
            self.type = type
        }

        /// The name of the question as owner, by a pointer to its place in every packet.
        init(_ type: DNSRecordType, _ data: [UInt8]) {
            self.init("", type, data)
            owner = DNSPacket.pointerToQuestion
        }

        static let startOfAuthority = Record(
            "example", type: 6, DNSPacket.name("ns.example") + [UInt8](repeating: 0, count: 21))

        fileprivate var bytes: [UInt8] {
            let lengths =
                DNSPacket.bytes(UInt16(timeToLive >> 16)) + DNSPacket.bytes(UInt16(timeToLive & 0xFFFF))
                + DNSPacket.bytes(UInt16(data.count))
            return owner + DNSPacket.bytes(type) + DNSPacket.bytes(kind) + lengths + data
        }
    }

    init(_ question: DNSQuestion, _ answers: [Record] = [], code: UInt16 = 0) {
        questions = [question]
        self.answers = answers
        flags |= code
    }

    static let pointerToQuestion: [UInt8] = [0xC0, 12]

    static func bytes(_ number: UInt16) -> [UInt8] { ResolverState.bytes(number) }

    /// A name as encoded in packets, without pointers.
    static func name(_ text: String) -> [UInt8] {
        text.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    var bytes: [UInt8] {
        var bytes = DNSPacket.bytes(id) + DNSPacket.bytes(flags)
        for count in [questions.count, answers.count, authorities.count, additions.count] {
            bytes += DNSPacket.bytes(UInt16(count))
        }
        for question in questions {
            bytes += DNSPacket.name(question.name.text) + DNSPacket.bytes(question.type.rawValue) + [0, 1]
        }
        for record in answers + authorities + additions { bytes += record.bytes }
        return bytes
    }
}

extension DNSQuestion {
    static func of(_ type: DNSRecordType, _ name: String = "shop.example") -> DNSQuestion {
        DNSQuestion(type: type, name: DomainName(name)!)
    }
}

extension DNSRecord {
    /// An IPv4 address.
    static func ipv4(_ number: UInt64) -> DNSRecord {
        .address(.init(family: .ipv4, high: 0, low: number, port: 0))
    }
}
