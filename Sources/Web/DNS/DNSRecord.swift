// DNS questions, and the records in their answers.

public import Posix

/// The types of records that can be looked up, with their numbers (RFC 1035 §3.2.2, RFC 3596, RFC 8659).
public enum DNSRecordType: UInt16, CaseIterable, Sendable, CustomStringConvertible {
    case a = 1
    case ns = 2
    case cname = 5
    case soa = 6
    case txt = 16
    case aaaa = 28
    case caa = 257

    public var description: String {
        switch self {
        case .a: "A"
        case .ns: "NS"
        case .cname: "CNAME"
        case .soa: "SOA"
        case .txt: "TXT"
        case .aaaa: "AAAA"
        case .caa: "CAA"
        }
    }
}

/// The content of one record.
public enum DNSRecord: Hashable, Sendable {
    /// From A and AAAA records; the port is 0.
    case address(RemoteAddress)
    case nameServer(DomainName)
    case alias(DomainName)
    /// From the SOA record, which only the topmost name of a zone has: the zone's primary name server.
    case zoneStart(primary: DomainName)
    /// The strings of a TXT record, joined.
    case text([UInt8])
    case authorization(CAARecord)
}

/// Which certificate authority may issue certificates for a domain (RFC 8659 §4.1).
public struct CAARecord: Hashable, Sendable {
    /// Whether a certificate authority that does not know the tag must not issue.
    public var isCritical = false
    /// In lower case.
    public var tag: String
    public var value: [UInt8]
}

/// A record type and a name to look up.
struct DNSQuestion: Hashable, Sendable {
    var type: DNSRecordType
    var name: DomainName
}
