// Parsing for tests: requests as text in which each character is one byte, results as short values.

import HTTP

/// The result of a request.
enum Verdict: Equatable, CustomStringConvertible {
    case incomplete
    case accepted(bytes: Int)
    case rejected(Rejection)

    var description: String {
        switch self {
        case .incomplete: "incomplete"
        case .accepted(let bytes): "accepted \(bytes) bytes"
        case .rejected(let reason): "rejected: \(reason)"
        }
    }
}

/// The bytes of a text whose characters are all below U+0100.
func octets(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8($0.value) } }

/// Parses the bytes in steps: each number is the count of bytes that have arrived.
func parse(_ bytes: [UInt8], seen steps: [Int], limits: HeadLimits = HeadLimits()) -> (Verdict, RequestHead?) {
    var parser = RequestParser()
    for count in steps {
        switch parser.parse(bytes.span.extracting(..<count), limits: limits) {
        case .incomplete: continue
        case .complete(let head, let used): return (.accepted(bytes: used), head)
        case .rejected(let reason): return (.rejected(reason), nil)
        }
    }
    return (.incomplete, nil)
}

func parse(_ text: String, limits: HeadLimits = HeadLimits()) -> (Verdict, RequestHead?) {
    let bytes = octets(text)
    return parse(bytes, seen: [bytes.count], limits: limits)
}

/// The text in a range of a request.
func text(_ range: ByteRange, in request: String) -> String? {
    guard range.isPresent else { return nil }
    return String(decoding: octets(request)[range.range], as: UTF8.self)
}

/// An address as text, without a port.
func address(_ text: String) -> ClientAddress? { ClientAddress(Array(text.utf8).span) }

/// Well-formed networks.
func networks(_ texts: [String]) -> TrustedNetworks {
    var networks = TrustedNetworks()
    for text in texts {
        let isTaken = networks.add(text)
        precondition(isTaken, "\(text) is a network")
    }
    return networks
}
