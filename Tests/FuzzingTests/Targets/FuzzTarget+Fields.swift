// Small readers of single values: fields of a request, dates, hosts, addresses, URLs. Each against what it promises, or
// against another reading of the same text.

import Association
import Glibc
import HTTP
import Posix

extension FuzzTarget {
    static let fields = FuzzTarget(
        name: "fields", summary: "ranges, weights, entity tags, dates, percent-encoding, UTF-8, hosts, addresses, URLs"
    ) { bytes in
        var choices = Choices(bytes)
        let kind = choices.number(below: 8)
        let value = Array(choices.rest)
        switch kind {
        case 0: try FieldInput.range(value, bodyCount: choices.number(below: 70_000))
        case 1: try FieldInput.weights(value)
        case 2: try FieldInput.tags(value)
        case 3: try FieldInput.date(value)
        case 4: try FieldInput.moment(value)
        case 5: try FieldInput.encodings(value)
        case 6: try FieldInput.hosts(value)
        default: try FieldInput.urls(value)
        }
    }
}

private enum FieldInput {
    static func range(_ value: [UInt8], bodyCount: Int) throws(Complaint) {
        guard case .satisfiable(let range) = RequestedRange(value.span, bodyCount: bodyCount) else { return }
        try demand(!range.isEmpty && range.upperBound <= bodyCount, "\(range) of \(bodyCount) bytes")
    }

    /// A field in a head of its own, as the parser finds it.
    private static func head(_ name: String, _ value: [UInt8]) -> (bytes: [UInt8], head: RequestHead)? {
        let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n\(name): ".utf8) + value + Array("\r\n\r\n".utf8)
        var parser = RequestParser()
        guard case .complete(let head, _) = parser.parse(bytes.span, limits: HeadLimits()) else { return nil }
        return (bytes, head)
    }

    static func weights(_ value: [UInt8]) throws(Complaint) {
        guard let (bytes, head) = head("Accept-Encoding", value) else { return }
        let coding = AcceptEncoding.choose(head.acceptEncoding, in: bytes.span)
        // A client gets gzip only if it names gzip or sends an asterisk.
        let text = value.map { $0 >= 0x41 && $0 <= 0x5A ? $0 + 0x20 : $0 }
        try demand(
            coding != .gzip || text.firstRange(of: Array("gzip".utf8)) != nil || text.contains(0x2A), "gzip for \(text)"
        )
    }

    static func tags(_ value: [UInt8]) throws(Complaint) {
        guard let (bytes, head) = head("If-None-Match", value) else { return }
        let tag = Array("\"a\"".utf8)
        func matches(_ comparison: EntityTagList.Comparison) -> Bool {
            EntityTagList.matches(head.ifNoneMatch, named: "if-none-match", in: bytes.span, tag: tag.span, comparison)
        }
        // Bytes: as characters a quote and what combines with it are one.
        let text = String(decoding: value, as: UTF8.self)
        try demand(!matches(.strong) || matches(.weak), "strong and not weak: \(text)")
        try demand(!matches(.weak) || value.firstRange(of: tag) != nil || value.contains(0x2A), "no such tag: \(text)")
    }

    static func date(_ value: [UInt8]) throws(Complaint) {
        guard let seconds = HTTPDate.read(value.span, now: 1_800_000_000) else { return }
        let text = HTTPDate.text(seconds)
        try demand(HTTPDate.read(Array(text.utf8).span, now: 0) == seconds, "\(seconds) is written as \(text)")
    }

    /// Against the C library's calendar.
    static func moment(_ value: [UInt8]) throws(Complaint) {
        // Years 0 to 9999, which is what the form has room for.
        let word = value.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        var seconds = time_t(word % 315_569_433_600) - 62_167_219_200
        let text = HTTPDate.text(Int64(seconds))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var expected = [CChar](repeating: 0, count: 64)
        strftime(&expected, expected.count, "%a, %d %b ", &parts)
        func digits(_ number: Int32, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let start = String(decoding: expected.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let whole =
            "\(start)\(digits(parts.tm_year + 1900, 4)) \(digits(parts.tm_hour, 2)):\(digits(parts.tm_min, 2)):"
            + "\(digits(parts.tm_sec, 2)) GMT"
        try demand(text == whole, "\(seconds) is \(text), and should be \(whole)")
        try demand(HTTPDate.read(Array(text.utf8).span, now: 0) == Int64(seconds), "\(text) reads as another moment")
    }

    static func encodings(_ value: [UInt8]) throws(Complaint) {
        let isText = value.withUnsafeBytes { UTF8Text.isValid($0) }
        try demand(isText == (String(validating: value, as: UTF8.self) != nil), "UTF-8 or not: \(value)")
        var room = [UInt8](repeating: 0, count: value.count)
        guard let count = room.withUnsafeMutableBytes({ PercentEncoding.decode(value.span, into: $0) }) else { return }
        var expected: [UInt8] = []
        var index = 0
        while index < value.count {
            if value[index] == UInt8(ascii: "%") {
                let digits = String(decoding: value[(index + 1)..<(index + 3)], as: UTF8.self)
                expected.append(UInt8(digits, radix: 16) ?? 0)
                index += 3
            } else {
                expected.append(value[index])
                index += 1
            }
        }
        try demand(Array(room[..<count]) == expected, "\(value) is decoded as \(room[..<count])")
    }

    static func hosts(_ value: [UInt8]) throws(Complaint) {
        let text = String(decoding: value, as: UTF8.self)
        if case .success(let host) = HostPattern.parse(text) {
            guard case .success(let again) = HostPattern.parse(host.text) else {
                throw Complaint("\(text) is the host \(host.text), which is none")
            }
            try demand(again == host, "\(host.text) is read as \(again.text)")
            _ = host.matches("a.example")
        }
        if let address = SocketAddress(text) {
            let written = "\(address)"
            try demand(SocketAddress(written).map { "\($0)" } == written, "\(text) is \(written), which is another")
        }
        _ = (AppID.problems(in: text), PackageName.problems(in: text))
    }

    static func urls(_ value: [UInt8]) throws(Complaint) {
        let text = String(decoding: value, as: UTF8.self)
        guard case .success(let url) = LinkURL.parse(text) else { return }
        guard case .success(let again) = LinkURL.parse(url.text) else { throw Complaint("\(url.text) is no URL") }
        try demand(again == url, "\(text) is \(url), which is \(again)")
        try demand(url.text.utf8.allSatisfy { $0 < 0x80 }, "\(url) is not ASCII")
        try demand(url.path.isEmpty || url.path.hasPrefix("/"), "\(url) has the path \(url.path)")
    }
}
