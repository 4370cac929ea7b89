// What the forwarding fields of a request say about the client behind a trusted proxy. Each proxy appends the address that
// connected to it, so only the entries of trusted proxies count: the client is the rightmost address that is not a trusted
// proxy's. Entries left of it may be forged and are ignored.
//
// An entry that cannot be read ends the search: the request then counts as one of the last proxy that is known.

/// The client behind a trusted proxy.
public struct ForwardedFacts: Equatable, Sendable {
    /// Nil when the fields name none.
    public var client: ClientAddress?
    /// Whether the client used TLS; nil when no field says so.
    public var isSecure: Bool?
    /// The place of the requested host in the head; absent when no field names one, or the setting is off.
    public var host: ByteRange = .absent

    public init() {}

    /// Reads the fields of a request from a trusted proxy. Nil when the host that they name is malformed: then it is unclear
    /// which host's answer is wanted.
    public init?(_ head: RequestHead, _ bytes: Span<UInt8>, _ settings: TrustedProxies) {
        switch settings.fields {
        case .xForwarded: readSeparateFields(head, bytes, settings.networks)
        case .forwarded: readForwarded(head, bytes, settings.networks)
        }
        guard settings.readsForwardedHost else {
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

    private mutating func readSeparateFields(_ head: RequestHead, _ bytes: Span<UInt8>, _ trusted: TrustedNetworks) {
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

    /// The last entry, which the nearest proxy has written.
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
                // `proto` and `host` of an element describe the request of the address in its `for`.
                if isClient {
                    facts.isSecure =
                        element.proto.isPresent
                        ? ForwardedFacts.isSecure(bytes.extracting(element.proto.range)) : nil
                    facts.host = element.host
                }
            }
            // A malformed line says nothing, and the lines before it may be forged.
            if elements.isMalformed { facts = ForwardedFacts() }
        }
        self = facts
    }

    /// Takes the next address to the right; true when it may be the client's.
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

    /// An address, perhaps with a port. IPv6 is in brackets where `isBracketed` requires it (RFC 7239 §6) or a port follows. Nil
    /// for `unknown`, for a proxy's own identifiers, and for malformed text.
    static func node(_ text: Span<UInt8>, isBracketed: Bool) -> ClientAddress? {
        var (address, port): (Range<Int>, Range<Int>) = (0..<text.count, 0..<0)
        if text.count > 0, text[0] == UInt8(ascii: "[") {
            guard let close = text.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            address = 1..<close
            port = close + 1..<text.count
            guard var client = ClientAddress(ipv6Text: text.extracting(address)) else { return nil }
            if port.isEmpty { return client }
            guard let number = portNumber(text.extracting(port)) else { return nil }
            client.port = number
            return client
        }
        if !isBracketed, let client = ClientAddress(ipv6Text: text) { return client }
        if let colon = text.firstIndex(of: UInt8(ascii: ":")) { (address, port) = (0..<colon, colon..<text.count) }
        guard let number = ClientAddress.ipv4(text.extracting(address)) else { return nil }
        if port.isEmpty { return ClientAddress(ipv4: number) }
        return portNumber(text.extracting(port)).map { ClientAddress(ipv4: number, port: $0) }
    }

    /// A colon and up to five digits.
    private static func portNumber(_ text: Span<UInt8>) -> UInt16? {
        guard (2...6).contains(text.count), text[0] == UInt8(ascii: ":") else { return nil }
        return text.extracting(1..<text.count).decimal().flatMap { UInt16(exactly: $0) }
    }
}

/// Walks over the elements of one line.
struct ForwardedElements {
    /// The parameters of an element that matter here, without quotes. A value with an escaped byte matches nothing.
    struct Element {
        var node: ByteRange = .absent
        var proto: ByteRange = .absent
        var host: ByteRange = .absent
    }

    private var position: Int
    private let end: Int
    /// Whether the line is malformed, so that `next` stopped before its end.
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
                // Empty elements are ignored (RFC 9110 §5.6.1.2).
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
