// The letters that texts are made of when automata are run: how each is spelled in a URL, and what each kind of rule
// sees of it. `%20` is one letter: three characters to an encoded comparison, one space to a decoded one.

/// One letter of a URL.
struct Letter: Hashable, Sendable {
    /// As it stands in the URL.
    var spelling: [UInt8]
    /// The scalar it stands for; a UTF-16 unit where the texts are Android's alone.
    var value: UInt32

    init(_ byte: UInt8) {
        spelling = [byte]
        value = UInt32(byte)
    }

    init(spelling: [UInt8], value: UInt32) {
        self.spelling = spelling
        self.value = value
    }

    /// The letter for a scalar that may not stand for itself.
    init(escaped scalar: Unicode.Scalar) {
        spelling = String(scalar).utf8.flatMap(Percent.escape)
        value = scalar.value
    }

    var isSlash: Bool { spelling == [UInt8(ascii: "/")] }
}

/// What a rule sees of a letter.
enum Lens: Hashable, Sendable {
    case apple(URLReading)
    case android

    func symbols(of letter: Letter) -> [UInt32] {
        switch self {
        case .apple(let reading):
            let symbols = reading.decodes ? [letter.value] : letter.spelling.map(UInt32.init)
            return reading.folds ? symbols.map(Self.fold) : symbols
        case .android:
            guard letter.value > 0xFFFF else { return [letter.value] }
            let offset = letter.value - 0x10000
            return [0xD800 + (offset >> 10), 0xDC00 + (offset & 0x3FF)]
        }
    }

    private static func fold(_ value: UInt32) -> UInt32 { Unicode.Scalar(value)?.folded.value ?? value }
}
