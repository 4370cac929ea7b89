// The value of a number, which is stored as text, and its spelling in strict JSON.

extension SourceNumber {
    /// The exact value as an integer, in any spelling (`100`, `1e2`, `100.0`, `0x64`); nil if it has a fraction or does not
    /// fit.
    public var asInt: Int? {
        var digits: [UInt8] = []
        var scale = 0
        var rest = Array(canonicalText.utf8)[...]
        let isNegative = rest.first == Byte.minus
        if isNegative { rest = rest.dropFirst() }
        guard rest.first?.isDigit == true else { return nil }
        var isFraction = false
        while let byte = rest.popFirst() {
            if byte == Byte.point {
                isFraction = true
            } else if byte.isDigit {
                digits.append(byte - Byte.zero)
                scale -= isFraction ? 1 : 0
            } else {
                scale += Self.exponent(rest)
                break
            }
        }
        while digits.last == 0 {
            digits.removeLast()
            scale += 1
        }
        let significant = digits.drop { $0 == 0 }
        if significant.isEmpty { return 0 }
        guard scale >= 0, significant.count + scale <= 19 else { return nil }
        return Self.integer(significant + repeatElement(0, count: scale), isNegative: isNegative)
    }

    /// The number in the spelling of RFC 8259 §6. JSON has no `Infinity` and `NaN`: they become `null`, as in ECMAScript.
    public var canonicalText: String {
        let sign = text.utf8.first == Byte.minus ? "-" : ""
        if let hexadecimalDigits { return Self.decimal(hexadecimalDigits).map { sign + $0 } ?? "null" }
        var rest = Array(text.utf8)[...]
        if rest.first == Byte.minus || rest.first == Byte.plus { rest = rest.dropFirst() }
        let whole = rest.prefix(while: \.isDigit)
        rest = rest.dropFirst(whole.count)
        var fraction = rest.prefix(0)
        if rest.first == Byte.point {
            fraction = rest.dropFirst().prefix(while: \.isDigit)
            rest = rest.dropFirst(1 + fraction.count)
        }
        if whole.isEmpty && fraction.isEmpty { return "null" }
        let significant = whole.drop { $0 == Byte.zero }
        var canonical = sign + (significant.isEmpty ? "0" : String(decoding: significant, as: UTF8.self))
        if !fraction.isEmpty { canonical += "." + String(decoding: fraction, as: UTF8.self) }
        if rest.count > 1, rest.last?.isDigit == true { canonical += String(decoding: rest, as: UTF8.self) }
        return canonical
    }

    /// The digits after `0x`, if it is hexadecimal.
    private var hexadecimalDigits: Substring? {
        let unsigned = text.drop { $0 == "-" || $0 == "+" }
        guard unsigned.hasPrefix("0x") || unsigned.hasPrefix("0X") else { return nil }
        return unsigned.dropFirst(2)
    }

    /// Exact up to 64 bits; beyond that the nearest double, as in JSON5.
    private static func decimal(_ hexadecimal: Substring) -> String? {
        if let value = UInt64(hexadecimal, radix: 16) { return String(value) }
        guard let value = Double("0x" + hexadecimal), value.isFinite else { return nil }
        return value.description
    }

    /// The value of the exponent, clamped: larger ones make no difference.
    private static func exponent(_ text: ArraySlice<UInt8>) -> Int {
        var value = 0
        for byte in text where byte.isDigit { value = min(value * 10 + Int(byte - Byte.zero), 1_000_000_000) }
        return text.first == Byte.minus ? -value : value
    }

    private static func integer(_ digits: ArraySlice<UInt8>, isNegative: Bool) -> Int? {
        var value = 0
        for digit in digits {
            let (tens, overflowsTens) = value.multipliedReportingOverflow(by: 10)
            let (next, overflows) = tens.addingReportingOverflow(isNegative ? -Int(digit) : Int(digit))
            if overflowsTens || overflows { return nil }
            value = next
        }
        return value
    }
}
