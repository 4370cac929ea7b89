// A text for a pattern without a search: its letters as they stand, and a word for what may be anything. It is put to
// the pattern before it is believed, so most questions about most rules are answered by one comparison, and the search
// is left for patterns that are odd or that nothing meets.

extension ReadPattern {
    /// A text of the piece that the pattern accepts; nil where none is found so easily, which says nothing.
    var easyText: [UInt8]? {
        guard var text = proposedText else { return nil }
        if piece == .path, text.first != UInt8(ascii: "/") { text.insert(UInt8(ascii: "/"), at: 0) }
        return accepts(text) ? text : nil
    }

    private var proposedText: [UInt8]? {
        switch form {
        case .apple(let pattern, _): return text(of: pattern.elements)
        case .android(let glob): return text(of: glob.steps)
        }
    }

    private func accepts(_ text: [UInt8]) -> Bool {
        switch form {
        case .apple(let pattern, let reading):
            let seen = reading.read(text)
            return pattern.matches(piece == .path ? AppleSlashes.normalised(seen) : seen)
        case .android(let glob): return glob.matches(AndroidView.decode(text))
        }
    }

    /// What stands for a wildcard: a letter that few patterns have.
    private static let word = UInt8(ascii: "x")

    private func text(of elements: [GlobElement]) -> [UInt8]? {
        var text: [UInt8] = []
        for element in elements {
            switch element {
            case .literal(let bytes):
                for byte in bytes {
                    guard let spelling = spelling(of: byte) else { return nil }
                    text += spelling
                }
            case .any, .star: text.append(Self.word)
            case .oneOf(let set):
                guard let first = set.members.first else { return nil }
                text.append(first)
            case .choice(let choice):
                guard let first = choice.plain.strings.first else { return nil }
                for byte in first {
                    guard let spelling = spelling(of: byte) else { return nil }
                    text += spelling
                }
            case .never: return nil
            }
        }
        return text
    }

    private func text(of steps: [AndroidGlob.Step]) -> [UInt8]? {
        var text: [UInt8] = []
        for step in steps {
            switch step {
            case .unit(let unit), .through(let unit), .run(let unit):
                guard unit < 0x80, let spelling = spelling(of: UInt8(unit)) else { return nil }
                text += spelling
            case .any, .rest: text.append(Self.word)
            }
        }
        return text
    }

    /// A character as it can stand in the piece; nil where it cannot, or not without changing the rest.
    private func spelling(of byte: UInt8) -> [UInt8]? {
        let isPlain = byte > 0x20 && byte < 0x7F && !piece.delimiters.contains(byte)
        guard lens.decodes else { return isPlain ? [byte] : nil }
        if byte == UInt8(ascii: "&"), piece == .item { return nil }
        return isPlain && byte != UInt8(ascii: "%") ? [byte] : Percent.escape(byte)
    }
}

extension Lens {
    fileprivate var decodes: Bool { reading?.decodes ?? true }
}
