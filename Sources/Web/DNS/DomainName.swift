// Domain names to look up. They are always fully qualified: the search domains of this machine are never appended.

import CResolver

/// A fully qualified domain name, in lower case and without its trailing dot.
public struct DomainName: Hashable, Sendable, CustomStringConvertible {
    /// Bytes that are not allowed in host names are escaped as in a zone file (RFC 1035 §5.1). Empty for the root.
    let text: String

    static let labelBytesMax = 63
    /// Of the text, without the trailing dot.
    static let bytesMax = 253

    /// Reads `shop.example.com`, `_acme-challenge.shop.example.com` or `*.example.com`, with or without a trailing dot. Nil
    /// for other text.
    public init?(_ text: String) {
        let name = text.hasSuffix(".") ? text.dropLast() : text[...]
        guard name.utf8.count <= DomainName.bytesMax else { return nil }
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        for (index, label) in labels.enumerated() {
            guard !label.isEmpty, label.count <= DomainName.labelBytesMax else { return nil }
            let isWildcard = index == 0 && label.elementsEqual("*".utf8)
            guard isWildcard || label.allSatisfy(DomainName.isPlain) else { return nil }
        }
        self.text = name.lowercased()
    }

    /// A name from an answer, as `ns_name_ntop` writes it.
    init(escaped text: String) { self.text = text.lowercased() }

    /// Letters, digits, the hyphen of host names and the underscore of names for services (RFC 8552).
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    public var isWildcard: Bool { text.hasPrefix("*.") }

    /// The name without its first label. Nil for a top-level domain.
    public var parent: DomainName? {
        var isEscaped = false
        for index in text.utf8.indices {
            switch text.utf8[index] {
            case UInt8(ascii: ".") where !isEscaped: return DomainName(escaped: String(text[index...].dropFirst()))
            case UInt8(ascii: "\\"): isEscaped.toggle()
            default: isEscaped = false
            }
        }
        return nil
    }

    /// Whether it is this name or below it.
    func isInside(_ zone: DomainName) -> Bool {
        var next: DomainName? = self
        while let name = next {
            if name == zone { return true }
            next = name.parent
        }
        return false
    }

    /// As in packets, without compression. Nil for a name from an answer that cannot be encoded again. The corresponding C
    /// function is `ns_name_pton`.
    var encoded: [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: Int(NS_MAXCDNAME))
        guard unsafe ns_name_pton(text, &bytes, bytes.count) >= 0 else { return nil }
        var end = 0
        while bytes[end] > 0 { end += 1 + Int(bytes[end]) }
        return Array(bytes[...end])
    }

    public var description: String { text.isEmpty ? "." : text }
}
