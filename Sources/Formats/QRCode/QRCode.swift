// QR codes (ISO/IEC 18004) as values: a text to a square of dark and light modules. Byte mode only, because links are mostly in lower
// case, which the denser modes lack. No structured append, no Micro QR, no decoder.

/// A QR code.
public struct QRCode: Sendable {
    /// How much of a damaged code can be restored: about 7 % or 15 %.
    enum Level: Int {
        case low, medium
    }

    /// From 1 to 40; each is four modules larger than the one before.
    let version: Int
    let level: Level
    /// The number of modules in a row, without the quiet zone.
    public let size: Int
    /// Row by row; true is dark.
    let modules: [Bool]

    /// More do not fit in any code.
    public static let bytesMax = 2953

    /// The smallest code that holds a text; nil if none does. The level is medium, or low for a text that is too long for medium.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let code = QRCode(bytes, .medium) ?? QRCode(bytes, .low) else { return nil }
        self = code
    }

    /// - Parameter versions: the smallest of them that holds the bytes is used.
    init?(_ bytes: [UInt8], _ level: Level, versions: ClosedRange<Int> = 1...40) {
        guard
            let blocks = versions.lazy.map({ Blocks(version: $0, level) }).first(where: { bytes.count <= $0.bytesMax })
        else { return nil }
        let version = blocks.version
        var grid = Grid(version: version)
        grid.place(blocks.codewords(of: bytes))
        let codes = (0..<8).map { mask in
            QRCode(version: version, level: level, size: grid.size, modules: grid.masked(by: mask, level))
        }
        guard let best = codes.map({ (code: $0, penalty: $0.penalty) }).min(by: { $0.penalty < $1.penalty }) else {
            return nil
        }
        self = best.code
    }

    init(version: Int, level: Level, size: Int, modules: [Bool]) {
        (self.version, self.level, self.size, self.modules) = (version, level, size, modules)
    }

    /// Whether a module is dark. Outside of the code everything is light.
    public func isDark(column: Int, row: Int) -> Bool {
        let range = 0..<size
        return range.contains(column) && range.contains(row) && modules[row * size + column]
    }

    /// How hard the code is to read, by the four rules of §7.8.3. The mask with the lowest number is used.
    var penalty: Int {
        var points = 0
        for line in 0..<size {
            points += penalty(ofLine: modules[(line * size)..<((line + 1) * size)])
            points += penalty(ofLine: stride(from: line, to: modules.count, by: size).lazy.map { modules[$0] })
        }
        for row in 1..<size {
            for index in (row * size + 1)..<((row + 1) * size) {
                let isDark = modules[index]
                if modules[index - 1] == isDark, modules[index - size] == isDark, modules[index - size - 1] == isDark {
                    points += 3
                }
            }
        }
        let dark = modules.count { $0 }
        return points + abs(dark * 20 - modules.count * 10) / modules.count * 10
    }

    /// Five or more equal modules in a row, and what looks like a finder pattern with four light modules beside it.
    private func penalty(ofLine line: some Sequence<Bool>) -> Int {
        var (points, run, seen, count) = (0, 0, 0, 0)
        for isDark in line {
            run = count > 0 && isDark == (seen & 1 == 1) ? run + 1 : 1
            seen = (seen << 1 | (isDark ? 1 : 0)) & 0x7FF
            count += 1
            if run >= 5 { points += run == 5 ? 3 : 1 }
            if count >= 11, seen == 0b000_0101_1101 || seen == 0b101_1101_0000 { points += 40 }
        }
        return points
    }
}

/// The modules of a code while it is made: first the patterns that every code of its version has, then the data.
private struct Grid {
    let version: Int
    let size: Int
    /// Row by row; true is dark.
    private var modules: [Bool]
    /// Whether a module belongs to a pattern, or is reserved for the format, so that it carries no data.
    private var isReserved: [Bool]

    init(version: Int) {
        self.version = version
        size = 17 + 4 * version
        modules = Array(repeating: false, count: size * size)
        isReserved = modules
        for place in 0..<size {
            set(6, place, place % 2 == 0)
            set(place, 6, place % 2 == 0)
        }
        let centres = Grid.alignmentCentres(version: version, size: size)
        for row in centres {
            for column in centres {
                // The three corners have finder patterns.
                let corner = (row == 6 ? 0 : 1) + (column == 6 ? 0 : 1)
                let isFinder = corner == 0 || corner == 1 && row + column == size - 1
                if !isFinder { addSquares(around: column, row, rings: 2, light: [1]) }
            }
        }
        for (column, row) in [(3, 3), (size - 4, 3), (3, size - 4)] {
            addSquares(around: column, row, rings: 4, light: [2, 4])
        }
        addFormat(0)
        if version >= 7 { addVersion() }
    }

    /// The places on both axes where alignment patterns have their centres: evenly spaced from the far end, except for the first.
    private static func alignmentCentres(version: Int, size: Int) -> [Int] {
        guard version > 1 else { return [] }
        let count = version / 7 + 2
        // Version 32 has another distance than the formula yields.
        let step = version == 32 ? 26 : (4 * version + 2 * count + 1) / (2 * count - 2) * 2
        return [6] + (0..<(count - 1)).map { size - 7 - $0 * step }
    }

    private mutating func set(_ column: Int, _ row: Int, _ isDark: Bool) {
        modules[row * size + column] = isDark
        isReserved[row * size + column] = true
    }

    /// Concentric squares, of which all but the light ones are dark. What is outside of the code is left out.
    private mutating func addSquares(around column: Int, _ row: Int, rings: Int, light: [Int]) {
        for y in max(0, row - rings)...min(size - 1, row + rings) {
            for x in max(0, column - rings)...min(size - 1, column + rings) {
                set(x, y, !light.contains(max(abs(x - column), abs(y - row))))
            }
        }
    }

    /// Both copies of the 15 bits of the format, and the module that is always dark.
    private mutating func addFormat(_ format: Int) {
        let bits = (format << 10 | Grid.remainder(of: format << 10, by: 0x537)) ^ 0x5412
        for index in 0..<15 {
            let isDark = bits >> index & 1 == 1
            let place = index < 6 ? index : index < 8 ? index + 1 : size - 15 + index
            let other = index < 8 ? size - 1 - index : index == 8 ? 7 : 14 - index
            set(8, place, isDark)
            set(other, 8, isDark)
        }
        set(8, size - 8, true)
    }

    /// Both copies of the 18 bits of the version.
    private mutating func addVersion() {
        let bits = version << 12 | Grid.remainder(of: version << 12, by: 0x1F25)
        for index in 0..<18 {
            let isDark = bits >> index & 1 == 1
            set(size - 11 + index % 3, index / 3, isDark)
            set(index / 3, size - 11 + index % 3, isDark)
        }
    }

    /// The remainder of polynomials whose coefficients are bits (a BCH code).
    private static func remainder(of dividend: Int, by divisor: Int) -> Int {
        var rest = dividend
        while rest >> (Int.bitWidth - divisor.leadingZeroBitCount - 1) > 0 {
            rest ^= divisor << (divisor.leadingZeroBitCount - rest.leadingZeroBitCount)
        }
        return rest
    }

    /// Puts the data into the free modules: in pairs of columns from the right, alternately upwards and downwards.
    mutating func place(_ codewords: [UInt8]) {
        var index = 0
        for right in stride(from: size - 1, to: 0, by: -2) {
            // The vertical timing pattern is in no pair.
            let right = right > 6 ? right : right - 1
            let isUpward = (right + 1) & 2 == 0
            for step in 0..<size {
                let row = isUpward ? size - 1 - step : step
                for place in [row * size + right, row * size + right - 1]
                where !isReserved[place] && index < 8 * codewords.count {
                    modules[place] = codewords[index / 8] >> (7 - index % 8) & 1 == 1
                    index += 1
                }
            }
        }
    }

    /// The finished code with a mask.
    func masked(by mask: Int, _ level: QRCode.Level) -> [Bool] {
        var result = self
        result.addFormat((level == .low ? 1 : 0) << 3 | mask)
        for y in 0..<size {
            for x in 0..<size where !isReserved[y * size + x] {
                let isInverted =
                    switch mask {
                    case 0: (x + y) % 2 == 0
                    case 1: y % 2 == 0
                    case 2: x % 3 == 0
                    case 3: (x + y) % 3 == 0
                    case 4: (x / 3 + y / 2) % 2 == 0
                    case 5: x * y % 2 + x * y % 3 == 0
                    case 6: (x * y % 2 + x * y % 3) % 2 == 0
                    default: ((x + y) % 2 + x * y % 3) % 2 == 0
                    }
                if isInverted { result.modules[y * size + x].toggle() }
            }
        }
        return result.modules
    }
}
