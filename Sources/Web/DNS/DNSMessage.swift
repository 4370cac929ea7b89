// Reads answers from the bytes of a packet. The C library splits it into names and records, with bounds checks; this file
// interprets the records. Anyone could have sent the packet, so its content is not trusted.

import CResolver
import Posix

/// An answer to one question.
struct DNSMessage {
    /// Including the upper bits from EDNS (RFC 6891 §6.1.3).
    let code: Int
    /// Whether it only names other servers.
    let isReferral: Bool
    /// Whether it contains the zone's SOA record, which proves that there are no further records (RFC 2308 §2).
    let provesAbsence: Bool
    private var answers: [(owner: DomainName, type: UInt16, content: DNSRecord)] = []

    enum Reading {
        /// An answer to another question, or a forged one (RFC 5452 §9).
        case unrelated
        /// Truncated; the question must be sent again over TCP.
        case truncated
        case malformed(String)
        case message(DNSMessage)
    }

    /// Reads a packet that should answer the question with this id.
    static func read(_ packet: [UInt8], id: UInt16, question: DNSQuestion) -> Reading {
        guard packet.count >= headerBytes, number(packet, 0) == id else { return .unrelated }
        // No server answers a query with anything but a response to a query.
        let flags = number(packet, 2)
        guard flags & 0xF800 == 0x8000 else { return .unrelated }
        if flags & 0x0200 != 0 { return .truncated }
        do throws(DNSMalformation) {
            return try unsafe packet.withUnsafeBufferPointer { bytes throws(DNSMalformation) in
                var reader = try unsafe DNSPacketReader(bytes)
                guard try reader.isAbout(question, flags) else { return .unrelated }
                return .message(try DNSMessage(&reader, flags, question))
            }
        } catch {
            return .malformed(error.reason)
        }
    }

    private static let headerBytes = 12

    /// Sixteen bits of the header.
    static func number(_ packet: [UInt8], _ offset: Int) -> UInt16 {
        UInt16(packet[offset]) << 8 | UInt16(packet[offset + 1])
    }

    private init(_ reader: inout DNSPacketReader, _ flags: UInt16, _ question: DNSQuestion) throws(DNSMalformation) {
        let types = [question.type, .cname].map(\.rawValue)
        for record in try reader.records(in: ns_s_an) where record.isInternet && types.contains(record.type) {
            answers.append((record.owner, record.type, try reader.content(of: record)))
        }
        let authorities = try reader.records(in: ns_s_ns)
        provesAbsence = authorities.contains { $0.type == UInt16(ns_t_soa.rawValue) }
        let options = try reader.records(in: ns_s_ar).filter { $0.type == UInt16(ns_t_opt.rawValue) }
        code = Int(flags & 0xF) | Int((options.first?.timeToLive ?? 0) >> 24) << 4
        let isAuthoritative = flags & 0x0400 != 0, isRecursive = flags & 0x0080 != 0
        isReferral = answers.isEmpty && !provesAbsence && !isAuthoritative && (!authorities.isEmpty || !isRecursive)
    }

    /// The records that answer the question, and the aliases that lead to them. Records of other names are ignored, at any
    /// place in the answer.
    func records(of question: DNSQuestion, from name: DomainName) throws(DNSFailure.Kind)
        -> (records: [DNSRecord], aliases: [DomainName])
    {
        var (name, aliases) = (name, [DomainName]())
        while true {
            let own = answers.filter { $0.owner == name }
            let records = own.filter { $0.type == question.type.rawValue }.map(\.content)
            if !records.isEmpty { return (records, aliases) }
            guard case .alias(let target)? = own.first?.content else { return ([], aliases) }
            guard aliases.count < DNSLimits.aliasesMax else { throw .tooManyAliases }
            aliases.append(target)
            name = target
        }
    }
}

/// The response codes that are handled separately (RFC 6895 §2.3).
enum DNSCode {
    static let noError = 0
    static let formatError = 1
    static let serverFailure = 2
    static let noSuchName = 3
    static let notImplemented = 4
    static let refused = 5
    /// NOTAUTH and NOTZONE (RFC 2136 §2.2).
    static let notAuthoritative = 9
    static let notInZone = 10
    static let badVersion = 16
}

/// Why a packet is malformed.
struct DNSMalformation: Error {
    let reason: String
}

/// Reads the sections of a packet with the C library. The corresponding C functions are `ns_initparse`, `ns_parserr` and
/// `ns_name_uncompress`.
@safe struct DNSPacketReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var message = unsafe ns_msg()

    /// One record; its data lie in the packet.
    struct Record {
        var owner: DomainName
        var type: UInt16
        var isInternet: Bool
        var timeToLive: UInt32
        var data: Range<Int>
    }

    /// Fails unless the packet consists of its sections and nothing else.
    init(_ bytes: UnsafeBufferPointer<UInt8>) throws(DNSMalformation) {
        unsafe self.bytes = bytes
        guard unsafe ns_initparse(bytes.baseAddress, Int32(bytes.count), &message) == 0 else {
            throw DNSMalformation(reason: "its sections do not fill its \(bytes.count) bytes")
        }
    }

    /// Whether it repeats the question. Servers that do not understand one may leave it out when they say so.
    mutating func isAbout(_ question: DNSQuestion, _ flags: UInt16) throws(DNSMalformation) -> Bool {
        let code = Int(flags & 0xF)
        if count(ns_s_qd) == 0, code != DNSCode.noError, code != DNSCode.noSuchName { return true }
        guard count(ns_s_qd) == 1 else { throw DNSMalformation(reason: "it has \(count(ns_s_qd)) questions") }
        let asked = try record(ns_s_qd, 0)
        return asked.owner == question.name && asked.type == question.type.rawValue && asked.isInternet
    }

    mutating func records(in section: ns_sect) throws(DNSMalformation) -> [Record] {
        let count = count(section)
        guard count <= DNSLimits.recordsMax else {
            throw DNSMalformation(reason: "a section has more than \(DNSLimits.recordsMax) records")
        }
        var records: [Record] = []
        for index in 0..<count { records.append(try record(section, index)) }
        return records
    }

    /// The last additional record, and where it starts. Nil if there is none.
    mutating func lastAddition() throws(DNSMalformation) -> (record: Record, start: Int)? {
        let additions = try records(in: ns_s_ar)
        guard let last = additions.last, let base = unsafe bytes.baseAddress else { return nil }
        // The first record of the last section starts with that section, each other one after its predecessor.
        let before = additions.dropLast().last?.data.upperBound
        let first = unsafe message._sections.3.map { unsafe $0 - base }
        guard let start = before ?? first else { return nil }
        return (last, start)
    }

    func data(of record: Record) -> [UInt8] { unsafe Array(bytes[record.data]) }

    /// The content of a record of a requested type.
    func content(of record: Record) throws(DNSMalformation) -> DNSRecord {
        let data = unsafe Array(bytes[record.data])
        switch DNSRecordType(rawValue: record.type) {
        case .a where data.count == 4:
            return .address(RemoteAddress(family: .ipv4, high: 0, low: DNSPacketReader.number(data), port: 0))
        case .aaaa where data.count == 16:
            let (high, low) = (DNSPacketReader.number(data.prefix(8)), DNSPacketReader.number(data.suffix(8)))
            return .address(RemoteAddress(family: .ipv6, high: high, low: low, port: 0))
        case .ns: return .nameServer(try name(record.data))
        case .cname: return .alias(try name(record.data))
        case .soa: return .zoneStart(primary: try name(atStartOf: record.data).name)
        case .txt: return .text(try DNSPacketReader.strings(data))
        case .caa: return .authorization(try DNSPacketReader.authorization(data))
        default: throw DNSMalformation(reason: "an address has \(data.count) bytes")
        }
    }

    private func count(_ section: ns_sect) -> Int {
        let offset = 4 + 2 * Int(section.rawValue)
        return unsafe Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
    }

    private mutating func record(_ section: ns_sect, _ index: Int) throws(DNSMalformation) -> Record {
        var record = unsafe ns_rr()
        guard unsafe ns_parserr(&message, section, Int32(index), &record) == 0, let base = unsafe bytes.baseAddress
        else {
            throw DNSMalformation(reason: "a record has a name that cannot be read")
        }
        let start = unsafe record.rdata.map { unsafe $0 - base } ?? 0
        let owner = unsafe withUnsafeBytes(of: &record.name) { unsafe DNSPacketReader.name($0) }
        return unsafe Record(
            owner: owner, type: record.type, isInternet: record.rr_class == UInt16(ns_c_in.rawValue),
            timeToLive: record.ttl, data: start..<start + Int(record.rdlength))
    }

    /// The name in the data of a record, which must contain nothing else.
    private func name(_ data: Range<Int>) throws(DNSMalformation) -> DomainName {
        let (name, byteCount) = try name(atStartOf: data)
        guard byteCount == data.count else { throw DNSPacketReader.unreadableName }
        return name
    }

    /// The name at the start of the data of a record, and the number of bytes that it has there.
    func name(atStartOf data: Range<Int>) throws(DNSMalformation) -> (name: DomainName, byteCount: Int) {
        guard let base = unsafe bytes.baseAddress else { throw DNSMalformation(reason: "it is empty") }
        var byteCount = 0
        let found = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NS_MAXDNAME)) {
            room -> DomainName? in
            byteCount = unsafe Int(
                ns_name_uncompress(base, base + bytes.count, base + data.lowerBound, room.baseAddress, room.count))
            guard byteCount >= 0, byteCount <= data.count else { return nil }
            return unsafe DNSPacketReader.name(UnsafeRawBufferPointer(room))
        }
        guard let found else { throw DNSPacketReader.unreadableName }
        return (found, byteCount)
    }

    private static let unreadableName = DNSMalformation(reason: "a record names a host that cannot be read")

    private static func name(_ text: UnsafeRawBufferPointer) -> DomainName {
        unsafe DomainName(escaped: String(decoding: text.prefix { $0 != 0 }, as: UTF8.self))
    }

    private static func number(_ data: some Sequence<UInt8>) -> UInt64 {
        data.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The strings of a TXT record, each preceded by its length.
    private static func strings(_ data: [UInt8]) throws(DNSMalformation) -> [UInt8] {
        var (text, rest) = ([UInt8](), data[...])
        while let length = rest.popFirst() {
            guard rest.count >= length else { throw DNSMalformation(reason: "a string is longer than its record") }
            text += rest.prefix(Int(length))
            rest = rest.dropFirst(Int(length))
        }
        return text
    }

    private static func authorization(_ data: [UInt8]) throws(DNSMalformation) -> CAARecord {
        let tag = data.dropFirst(2).prefix(data.count < 2 ? 0 : Int(data[1]))
        let isWhole = data.count >= 2 && tag.count == data[1]
        guard isWhole, !tag.isEmpty, tag.allSatisfy({ $0 >= 0x21 && $0 < 0x7F }) else {
            throw DNSMalformation(reason: "a CAA record has no tag")
        }
        return CAARecord(
            isCritical: data[0] & 0x80 != 0, tag: String(decoding: tag, as: UTF8.self).lowercased(),
            value: Array(data[tag.endIndex...]))
    }
}
