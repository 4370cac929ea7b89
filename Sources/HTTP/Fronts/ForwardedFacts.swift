// What the fields of a request say about the client that a trusted front sent it for. Fronts write from left to right, each
// one whom it was asked by, and only those that are trusted write the truth: so the client is the last address that is none
// of theirs. Whatever a client has written itself stands left of that and is not looked at.
//
// What cannot be read is passed over: then the nearest front that is known stands for the client, as it did without the field.

/// The client behind a front.
public struct ForwardedFacts: Equatable, Sendable {
    /// Nil when the fields name none.
    public var client: ClientAddress?
    /// Whether the client came over TLS; nil when nothing is said about it.
    public var isSecure: Bool?
    /// Where the host that was asked for stands; absent when nothing is said about it, or shall not be heard.
    public var host: ByteRange = .absent

    public init() {}

    /// Reads the fields of a request that a trusted front has sent. Nil when the host it names is none: then nobody can tell
    /// whose answer is wanted.
    public init?(_ head: RequestHead, _ bytes: Span<UInt8>, _ settings: FrontSettings) {
        switch settings.fields {
        case .xForwarded: readSeparateFields(head, bytes, settings.trusted)
        case .forwarded: readForwarded(head, bytes, settings.trusted)
        }
        guard settings.namesHost else {
            host = .absent
            return
        }
        if host.isPresent {
            guard let name = HostField.read(bytes, host.range.lowerBound, host.range.upperBound), name.count > 0 else {
                return nil
            }
            host = name
        }
    }

    private mutating func readSeparateFields(
        _ head: RequestHead, _ bytes: Span<UInt8>, _ trusted: TrustedNetworks
    ) {
        var lines = FieldSegments(head.forwardedFor, named: "x-forwarded-for")
        while let line = lines.next(bytes) {
            var members = ListMembers(line)
            while let member = members.next(bytes) {
                note(ForwardedFacts.node(bytes.extracting(member.range), isBracketed: false), trusted)
            }
        }
        if let proto = ForwardedFacts.last(head.forwardedProto, named: "x-forwarded-proto", bytes) {
            isSecure = ForwardedFacts.isSecure(bytes.extracting(proto.range))
        }
        host = ForwardedFacts.last(head.forwardedHost, named: "x-forwarded-host", bytes) ?? .absent
    }

    /// The nearest front has written last.
    private static func last(_ field: FieldValue, named name: StaticString, _ bytes: Span<UInt8>) -> ByteRange? {
        var last: ByteRange?
        var lines = FieldSegments(field, named: name)
        while let line = lines.next(bytes) {
            var members = ListMembers(line)
            while let member = members.next(bytes) { last = member }
        }
        return last
    }

    private mutating func readForwarded(_ head: RequestHead, _ bytes: Span<UInt8>, _ trusted: TrustedNetworks) {
        var lines = FieldSegments(head.forwarded, named: "forwarded")
        var facts = ForwardedFacts()
        while let line = lines.next(bytes) {
            var elements = ForwardedElements(line)
            while let element = elements.next(bytes) {
                let isClient = facts.note(
                    ForwardedFacts.node(bytes.extracting(element.node.range), isBracketed: true), trusted)
                // Protocol and host are those of the one who asked the front that wrote this.
                if isClient {
                    facts.isSecure =
                        element.proto.isPresent
                        ? ForwardedFacts.isSecure(bytes.extracting(element.proto.range)) : nil
                    facts.host = element.host
                }
            }
            // One that cannot be read to its end says nothing, and what is left of it was not said by a front.
            if elements.isMalformed { facts = ForwardedFacts() }
        }
        self = facts
    }

    /// Goes on with the next address to the right; true when it may be the client's.
    @discardableResult
    private mutating func note(_ address: ClientAddress?, _ trusted: TrustedNetworks) -> Bool {
        guard let address else {
            client = nil
            return true
        }
        if client != nil, trusted.contains(address) { return false }
        client = address
        return true
    }

    private static func isSecure(_ name: Span<UInt8>) -> Bool? {
        if name.equalsIgnoringCase("https") { return true }
        return name.equalsIgnoringCase("http") ? false : nil
    }

    /// An address, which may have a port behind it; IPv6 in brackets where it has to be (RFC 7239 §6) or has one. Nil for
    /// `unknown`, for names of a front's own, and for what is neither.
    static func node(_ text: Span<UInt8>, isBracketed: Bool) -> ClientAddress? {
        var (address, port): (Range<Int>, Range<Int>) = (0..<text.count, 0..<0)
        if text.count > 0, text[0] == UInt8(ascii: "[") {
            guard let close = text.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            address = 1..<close
            port = close + 1..<text.count
            guard
                var client = ClientAddress.ipv6(text.extracting(address)).map({ ClientAddress(ipv6: $0.high, $0.low) })
            else { return nil }
            if port.isEmpty { return client }
            guard let number = portNumber(text.extracting(port)) else { return nil }
            client.port = number
            return client
        }
        if let client = isBracketed ? nil : ClientAddress.ipv6(text).map({ ClientAddress(ipv6: $0.high, $0.low) }) {
            return client
        }
        if let colon = text.firstIndex(of: UInt8(ascii: ":")) { (address, port) = (0..<colon, colon..<text.count) }
        guard let number = ClientAddress.ipv4(text.extracting(address)) else { return nil }
        if port.isEmpty { return ClientAddress(ipv4: number) }
        return portNumber(text.extracting(port)).map { ClientAddress(ipv4: number, port: $0) }
    }

    /// A colon and up to five digits.
    private static func portNumber(_ text: Span<UInt8>) -> UInt16? {
        guard (2...6).contains(text.count), text[0] == UInt8(ascii: ":") else { return nil }
        var number: UInt32 = 0
        for index in 1..<text.count {
            guard Octet.isDigit(text[index]) else { return nil }
            number = number * 10 + UInt32(text[index] - 0x30)
        }
        return UInt16(exactly: number)
    }
}

/// Walks over the elements of one line.
struct ForwardedElements {
    /// What an element says; quotes are left out. A value with an escaped byte in it is none that means anything here.
    struct Element {
        var node: ByteRange = .absent
        var proto: ByteRange = .absent
        var host: ByteRange = .absent
    }

    private var position: Int
    private let end: Int
    /// Whether the walk has ended before the end of the line.
    private(set) var isMalformed = false

    init(_ line: ByteRange) {
        position = line.range.lowerBound
        end = line.range.upperBound
    }

    mutating func next(_ bytes: Span<UInt8>) -> Element? {
        var element = Element()
        var hasPair = false
        while !isMalformed, position < end {
            skipBlanks(bytes)
            guard position < end else { break }
            switch bytes[position] {
            case UInt8(ascii: ","):
                position += 1
                // An empty element is none (RFC 9110 §5.6.1.2).
                if hasPair { return element }
            case UInt8(ascii: ";"): position += 1
            default:
                readPair(bytes, into: &element)
                hasPair = true
            }
        }
        return hasPair && !isMalformed ? element : nil
    }

    private mutating func skipBlanks(_ bytes: Span<UInt8>) {
        while position < end, bytes[position] == Octet.space || bytes[position] == Octet.tab { position += 1 }
    }

    private mutating func readPair(_ bytes: Span<UInt8>, into element: inout Element) {
        let start = position
        while position < end, Octet.isToken(bytes[position]) { position += 1 }
        let name = bytes.extracting(start..<position)
        guard !name.isEmpty, position < end, bytes[position] == UInt8(ascii: "=") else { return fail() }
        position += 1
        guard let value = readValue(bytes) else { return fail() }
        skipBlanks(bytes)
        guard position == end || bytes[position] == UInt8(ascii: ";") || bytes[position] == UInt8(ascii: ",") else {
            return fail()
        }
        // RFC 7239 §4: each parameter once in an element.
        if name.equalsIgnoringCase("for") {
            if element.node.isPresent { return fail() }
            element.node = value
        } else if name.equalsIgnoringCase("proto") {
            if element.proto.isPresent { return fail() }
            element.proto = value
        } else if name.equalsIgnoringCase("host") {
            if element.host.isPresent { return fail() }
            element.host = value
        }
    }

    private mutating func readValue(_ bytes: Span<UInt8>) -> ByteRange? {
        guard position < end else { return nil }
        let start = position
        if bytes[position] != UInt8(ascii: "\"") {
            while position < end, Octet.isToken(bytes[position]) { position += 1 }
            return position > start ? ByteRange(start, position) : nil
        }
        position += 1
        while position < end, bytes[position] != UInt8(ascii: "\"") {
            if bytes[position] == UInt8(ascii: "\\") { position += 1 }
            position += 1
        }
        guard position < end else { return nil }
        position += 1
        return ByteRange(start + 1, position - 1)
    }

    private mutating func fail() { isMalformed = true }
}
