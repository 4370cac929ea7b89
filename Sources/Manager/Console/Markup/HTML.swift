// Markup as a type of its own. What is written in the program is markup; every text that a variable has becomes a part of it only with
// its special characters escaped, whoever writes the page and wherever in it. So a host, a message or a file cannot become a script.

import QRCode
import SourceJSON

struct HTML: Sendable, ExpressibleByStringInterpolation {
    fileprivate(set) var text = ""

    static let none: HTML = ""

    init(stringLiteral literal: StaticString) { text = literal.description }
    init(stringInterpolation parts: StringInterpolation) { text = parts.text }
    /// A picture of a text for the camera of a phone; nil if it is too long.
    init?(qrCode plain: String) {
        guard let code = QRCode(plain) else { return nil }
        text = code.svg(title: plain)
    }
    init(_ parts: [HTML]) { for part in parts { text += part.text } }

    var bytes: [UInt8] { Array(text.utf8) }

    /// Only a literal can be appended as it is: its type is not that of a text.
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity * 2) }

        mutating func appendLiteral(_ literal: StaticString) { text += literal.description }
        mutating func appendInterpolation(_ html: HTML) { text += html.text }
        mutating func appendInterpolation(_ html: HTML?) { text += html?.text ?? "" }
        mutating func appendInterpolation(_ list: [HTML]) { for html in list { text += html.text } }
        mutating func appendInterpolation(_ number: some BinaryInteger) { text += "\(number)" }
        /// Invisible and control characters, which could mislead a reader, are shown as such.
        mutating func appendInterpolation(_ plain: String) { HTML.escape(Printable.lines(plain), to: &text) }
        /// For a form, whose text comes back.
        mutating func appendInterpolation(exactly plain: String) { HTML.escape(plain, to: &text) }
        /// An attribute that is there or not.
        mutating func appendInterpolation(_ name: StaticString, if isSet: Bool) {
            if isSet { text += " \(name)" }
        }
    }

    private static func escape(_ plain: String, to text: inout String) {
        for scalar in plain.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&#39;"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    static func + (left: HTML, right: HTML) -> HTML { HTML([left, right]) }
}

/// The path of a page, of which each part is encoded: what a host or a file is called cannot lead elsewhere.
func path(_ parts: String..., query: KeyValuePairs<String, String> = [:]) -> String {
    let pairs = query.filter { !$0.value.isEmpty }.map { "\(encoded($0.key))=\(encoded($0.value))" }
    return "/" + parts.map(encoded).joined(separator: "/") + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
}

private func encoded(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2A, 0x2D, 0x2E, 0x5F, 0x7E:
            encoded.unicodeScalars.append(Unicode.Scalar(byte))
        default:
            let digits = String(byte, radix: 16, uppercase: true)
            encoded += "%" + (digits.utf8.count < 2 ? "0" : "") + digits
        }
    }
    // A part that is only dots would lead to another place.
    return encoded.utf8.allSatisfy { $0 == 0x2E } ? encoded.replacing(".", with: "%2E") : encoded
}
