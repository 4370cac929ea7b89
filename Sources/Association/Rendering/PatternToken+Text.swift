// Patterns written down again.

import SourceJSON

extension ParsedPattern {
    /// The pattern as it is written, with some variables under other names. An unclosed variable does not come back as
    /// it was, but the reader lets no such rule pass.
    func text(renaming newNames: [ExactText: String] = [:]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(tokens.count)
        for token in tokens {
            switch token {
            case .scalar(let scalar) where scalar.isASCII: text.append(UInt8(scalar.value))
            case .scalar(let scalar): text.append(contentsOf: String(scalar).utf8)
            case .any: text.append(UInt8(ascii: "?"))
            case .star: text.append(UInt8(ascii: "*"))
            case .variable(let index):
                let name = names.element(at: index) ?? ""
                text.append(contentsOf: "$(\(newNames[ExactText(name)] ?? name))".utf8)
            case .broken: text.append(contentsOf: "$(".utf8)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension [PatternToken] {
    /// The pattern as it is written; without variables, for which it would take their names.
    var text: String { ParsedPattern(tokens: self).text() }
}
