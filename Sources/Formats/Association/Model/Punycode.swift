// Punycode (RFC 3492) for one label of a host name, in both directions. `HostPattern` decides whether a label may be encoded.

/// The encoding that carries a Unicode label in ASCII, without its `xn--`.
enum Punycode {
    // RFC 3492 §5: the parameters for IDNA.
    private static let base = 36
    private static let thresholdMin = 1
    private static let thresholdMax = 26
    private static let skew = 38
    private static let damp = 700
    private static let initialBias = 72
    private static let initialScalar = 0x80
    /// A DNS label has 63 bytes; longer ones are rejected, so no sum below can overflow.
    private static let scalarsMax = 63

    /// The label in ASCII; nil if it is too long for a host name.
    static func encode(_ label: some Collection<Unicode.Scalar>) -> String? {
        guard label.count <= scalarsMax else { return nil }
        var output = label.filter(\.isASCII)
        let basicCount = output.count
        var handled = basicCount
        if basicCount > 0 { output.append("-") }
        var next = initialScalar
        var delta = 0
        var bias = initialBias
        while handled < label.count {
            guard let smallest = label.lazy.map({ Int($0.value) }).filter({ $0 >= next }).min() else { return nil }
            delta += (smallest - next) * (handled + 1)
            next = smallest
            for scalar in label {
                if scalar.value < next { delta += 1 }
                guard scalar.value == next else { continue }
                appendVariableLength(delta, bias: bias, to: &output)
                bias = adapted(delta, handled: handled + 1, isFirst: handled == basicCount)
                delta = 0
                handled += 1
            }
            delta += 1
            next += 1
        }
        return String(String.UnicodeScalarView(output))
    }

    /// The label in `encoded`; nil if it is not Punycode.
    static func decode(_ encoded: some StringProtocol) -> [Unicode.Scalar]? {
        let input = Array(encoded.unicodeScalars)
        guard input.count <= scalarsMax, input.allSatisfy(\.isASCII) else { return nil }
        let delimiter = input.lastIndex(of: "-")
        var output = delimiter.map { Array(input[..<$0]) } ?? []
        var index = delimiter.map { $0 + 1 } ?? 0
        var next = initialScalar
        var position = 0
        var bias = initialBias
        while index < input.count {
            let before = position
            var weight = 1
            for step in 1... {
                guard index < input.count, let digit = digitValue(input[index]) else { return nil }
                index += 1
                // A sum that leaves the range of scalars shows that this is not Punycode.
                position += digit * weight
                guard position <= 0x11_0000 * (scalarsMax + 1) else { return nil }
                let limit = threshold(step, bias: bias)
                if digit < limit { break }
                weight *= base - limit
                guard weight <= 0x11_0000 * (scalarsMax + 1) else { return nil }
            }
            let count = output.count + 1
            bias = adapted(position - before, handled: count, isFirst: before == 0)
            next += position / count
            position %= count
            guard next <= 0x10_FFFF, let scalar = Unicode.Scalar(UInt32(next)) else { return nil }
            output.insert(scalar, at: position)
            position += 1
        }
        return output
    }

    private static func appendVariableLength(_ delta: Int, bias: Int, to output: inout [Unicode.Scalar]) {
        var rest = delta
        for step in 1... {
            let limit = threshold(step, bias: bias)
            if rest < limit { break }
            output.append(digit(limit + (rest - limit) % (base - limit)))
            rest = (rest - limit) / (base - limit)
        }
        output.append(digit(rest))
    }

    private static func threshold(_ step: Int, bias: Int) -> Int {
        min(max(base * step - bias, thresholdMin), thresholdMax)
    }

    /// RFC 3492 §6.1.
    private static func adapted(_ delta: Int, handled: Int, isFirst: Bool) -> Int {
        var rest = isFirst ? delta / damp : delta / 2
        rest += rest / handled
        var steps = 0
        while rest > (base - thresholdMin) * thresholdMax / 2 {
            rest /= base - thresholdMin
            steps += base
        }
        return steps + (base - thresholdMin + 1) * rest / (rest + skew)
    }

    private static func digit(_ value: Int) -> Unicode.Scalar {
        Unicode.Scalar(UInt8(value < 26 ? 0x61 + value : 0x30 + value - 26))
    }

    private static func digitValue(_ scalar: Unicode.Scalar) -> Int? {
        switch scalar {
        case "a"..."z": Int(scalar.value) - 0x61
        case "A"..."Z": Int(scalar.value) - 0x41
        case "0"..."9": Int(scalar.value) - 0x30 + 26
        default: nil
        }
    }
}
