// The two obsolete forms of a date, which RFC 9110 §5.6.7 still obliges a recipient to read:
// `Sunday, 06-Nov-94 08:49:37 GMT` (RFC 850) and `Sun Nov  6 08:49:37 1994` (C's asctime).

extension HTTPDate {
    /// `now` decides which century a year of two digits means: never more than fifty years ahead.
    static func readObsolete(_ text: Span<UInt8>, now: Int64) -> Int64? {
        if text.count == 24 { return readAscTime(text) }
        guard let comma = text.firstIndex(of: UInt8(ascii: ",")), text.count == comma + 24 else { return nil }
        return readRFC850(text.extracting(comma..<text.count), now: now)
    }

    /// `, 06-Nov-94 08:49:37 GMT`
    private static func readRFC850(_ text: Span<UInt8>, now: Int64) -> Int64? {
        guard text[1] == Octet.space, text[4] == UInt8(ascii: "-"), text[8] == UInt8(ascii: "-"),
            text[11] == Octet.space,
            text.extracting(20..<24).equals(" GMT")
        else { return nil }
        guard let day = number(text, 2), let month = monthNumber(text, at: 5), let yearOfCentury = number(text, 9),
            let time = timeOfDay(text, at: 12)
        else { return nil }
        let thisYear = 1970 + Int(now / 31_556_952)
        var year = thisYear / 100 * 100 + yearOfCentury
        if year > thisYear + 50 { year -= 100 }
        return seconds(year: year, month: month, day: day, time: time)
    }

    /// `Sun Nov  6 08:49:37 1994`
    private static func readAscTime(_ text: Span<UInt8>) -> Int64? {
        guard text[3] == Octet.space, text[7] == Octet.space, text[10] == Octet.space, text[19] == Octet.space else {
            return nil
        }
        // A day below ten has a space in place of its first digit.
        guard let ones = digit(text, 9), let tens = text[8] == Octet.space ? 0 : digit(text, 8),
            let month = monthNumber(text, at: 4), let time = timeOfDay(text, at: 11), let century = number(text, 20),
            let yearOfCentury = number(text, 22)
        else { return nil }
        return seconds(year: century * 100 + yearOfCentury, month: month, day: tens * 10 + ones, time: time)
    }
}
