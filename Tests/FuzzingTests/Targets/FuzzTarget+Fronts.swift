// What fronts say about clients: the PROXY protocol, which begins a connection, and the fields of a request. Addresses
// against the C library's reading, headers against themselves with less of them there.

import Glibc

@testable import HTTP

extension FuzzTarget {
    static let fronts = FuzzTarget(
        name: "fronts",
        summary: "PROXY headers, however they are cut; forwarded fields, and addresses as the C library reads them"
    ) { bytes in
        var choices = Choices(bytes)
        let kind = choices.number(below: 4)
        let input = Array(choices.rest)
        switch kind {
        case 0: try FrontInput.header(input)
        case 1: try FrontInput.fields(input, .xForwarded)
        case 2: try FrontInput.fields(input, .forwarded)
        default: try FrontInput.address(input)
        }
    }
}

private enum FrontInput {
    /// Until a header is whole, there is no other verdict; what follows it changes nothing.
    static func header(_ input: [UInt8]) throws(Complaint) {
        let whole = ProxyHeader.read(input.span)
        if case .complete(let header) = whole {
            try demand(header.byteCount > 0 && header.byteCount <= min(input.count, ProxyHeader.bytesMax), "\(header)")
            for count in 0..<header.byteCount {
                let part = ProxyHeader.read(input.span.extracting(0..<count))
                try demand(part == .incomplete, "\(part) after \(count) of \(header.byteCount) bytes")
            }
            try demand(ProxyHeader.read(input.span.extracting(0..<header.byteCount)) == whole, "other bytes count")
        }
        if whole == .rejected { try demand(ProxyHeader.read((input + input).span) == .rejected, "more makes it right") }
        if whole == .incomplete { try demand(input.count < ProxyHeader.bytesMax, "too long, and not refused") }
    }

    /// Whatever a client writes in front of what a trusted proxy has added, the client is the one that the proxy names.
    static func fields(_ input: [UInt8], _ fields: TrustedProxies.Fields) throws(Complaint) {
        // That would be other lines, or the end of the head.
        if input.contains(UInt8(ascii: "\n")) { return }
        var settings = TrustedProxies()
        settings.fields = fields
        settings.readsForwardedHost = true
        try demand(settings.networks.add("10.0.0.0/8"), "a network")
        let name = fields == .xForwarded ? "X-Forwarded-For" : "Forwarded"
        let added = fields == .xForwarded ? "203.0.113.7" : "for=203.0.113.7;proto=https"
        let bytes =
            Array("GET / HTTP/1.1\r\nHost: a\r\n\(name): ".utf8) + input + Array("\r\n\(name): \(added)\r\n\r\n".utf8)
        var parser = RequestParser()
        guard case .complete(let head, _) = parser.parse(bytes.span, limits: HeadLimits()),
            let facts = ForwardedFacts(head, bytes.span, settings)
        else { return }
        try demand(facts.client == ClientAddress(ipv4: 0xCB00_7107), "\(facts)")
        if facts.host.isPresent { try demand(Int(facts.host.end) <= bytes.count, "a host beyond the head") }
    }

    static func address(_ input: [UInt8]) throws(Complaint) {
        let ours = ClientAddress(input.span)
        guard !input.contains(0) else { return try demand(ours == nil, "a zero byte in \(input)") }
        let text = String(decoding: input, as: UTF8.self)
        var ipv4 = in_addr()
        var ipv6 = in6_addr()
        if inet_pton(AF_INET, text, &ipv4) == 1 {
            try demand(
                ours == ClientAddress(ipv4: UInt32(bigEndian: ipv4.s_addr)), "\(text) is \(String(describing: ours))")
        } else if inet_pton(AF_INET6, text, &ipv6) == 1 {
            let halves = withUnsafeBytes(of: ipv6) { raw in
                (0..<2).map { UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self)) }
            }
            try demand(ours == ClientAddress(ipv6: halves[0], halves[1]), "\(text) is \(String(describing: ours))")
        } else {
            try demand(ours == nil, "\(text) is no address")
        }
    }
}
