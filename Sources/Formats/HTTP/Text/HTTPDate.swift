// Dates in the format of HTTP (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`. The data plane needs them, so they depend on
// neither a locale nor a library.

/// Converts whole seconds since 1970 to text and back.
public enum HTTPDate {
    /// The length of every date.
    public static let byteCount = 29

    static let months: [StaticString] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Writes the date into `target`, which has room for 29 bytes.
    public static func write(_ seconds: Int64, into target: inout MutableSpan<UInt8>) {
        let days = floorDivide(seconds, 86_400)
        let (year, month, day) = civilDate(daysSince1970: days)
        let weekday = Int(((days % 7) + 7) % 7)
        put("Thu, Fri, Sat, Sun, Mon, Tue, Wed, ", from: weekday * 5, count: 5, &target, 0)
        put(day, &target, 5)
        target[7] = Octet.space
        put(months[month - 1], count: 3, &target, 8)
        target[11] = Octet.space
        put(year / 100, &target, 12)
        put(year % 100, &target, 14)
        target[16] = Octet.space
        putTime(Int(seconds - days * 86_400), &target, 17)
        put(" GMT", count: 4, &target, 25)
    }

    /// The date as text, for the control plane.
    public static func text(_ seconds: Int64) -> String {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        var span = bytes.mutableSpan
        write(seconds, into: &span)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads a date in any of the three forms. `now`, in seconds since 1970, is for years of two digits only.
    public static func read(_ text: Span<UInt8>, now: Int64) -> Int64? {
        guard text.count == byteCount, text[3] == UInt8(ascii: ",") else { return readObsolete(text, now: now) }
        guard text[4] == Octet.space, text[7] == Octet.space, text[11] == Octet.space, text[16] == Octet.space,
            text.extracting(25..<29).equals(" GMT"), let day = number(text, 5), let month = monthNumber(text, at: 8),
            let century = number(text, 12), let yearOfCentury = number(text, 14), let time = timeOfDay(text, at: 17)
        else { return nil }
        return seconds(year: century * 100 + yearOfCentury, month: month, day: day, time: time)
    }

    static func seconds(year: Int, month: Int, day: Int, time: Int) -> Int64? {
        guard day >= 1, day <= 31 else { return nil }
        return daysSince1970(year: year, month: month, day: day) * 86_400 + Int64(time)
    }

    /// `08:49:37` in seconds; a leap second counts as the first second of the next minute.
    static func timeOfDay(_ text: Span<UInt8>, at start: Int) -> Int? {
        guard text[start + 2] == UInt8(ascii: ":"), text[start + 5] == UInt8(ascii: ":"),
            let hour = number(text, start),
            let minute = number(text, start + 3), let second = number(text, start + 6), hour <= 23, minute <= 59,
            second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    static func number(_ text: Span<UInt8>, _ index: Int) -> Int? {
        guard let tens = digit(text, index), let ones = digit(text, index + 1) else { return nil }
        return tens * 10 + ones
    }

    static func digit(_ text: Span<UInt8>, _ index: Int) -> Int? {
        Octet.isDigit(text[index]) ? Int(text[index] - 0x30) : nil
    }

    static func monthNumber(_ text: Span<UInt8>, at offset: Int) -> Int? {
        for month in 0..<12 where text.extracting(offset..<offset + 3).equals(months[month]) { return month + 1 }
        return nil
    }

    static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        value >= 0 ? value / divisor : -((divisor - 1 - value) / divisor)
    }

    /// The Gregorian date of a day, counting years from March so that the leap day comes last.
    static func civilDate(daysSince1970 days: Int64) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = Int(shifted - era * 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let march = (5 * dayOfYear + 2) / 153
        let month = march < 10 ? march + 3 : march - 9
        return (yearOfEra + Int(era) * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * march + 2) / 5 + 1)
    }

    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return Int64(era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468)
    }

    /// The length of `2026-11-20T15:33:04`; the caller adds fractions and the zone.
    public static let timestampByteCount = 19
    /// The length of `20/Nov/2026:15:33:04 +0000`.
    public static let commonLogByteCount = 26

    /// `2026-11-22T13:40:06Z`
    public static func timestamp(_ seconds: Int64) -> String {
        var bytes = [UInt8](repeating: 0, count: timestampByteCount)
        var span = bytes.mutableSpan
        writeTimestamp(seconds, into: &span)
        return "\(String(decoding: bytes, as: UTF8.self))Z"
    }

    /// Writes `2026-11-20T15:33:04` (RFC 3339 §5.6).
    public static func writeTimestamp(_ seconds: Int64, into target: inout MutableSpan<UInt8>) {
        let days = floorDivide(seconds, 86_400)
        let (year, month, day) = civilDate(daysSince1970: days)
        put(year / 100, &target, 0)
        put(year % 100, &target, 2)
        target[4] = UInt8(ascii: "-")
        put(month, &target, 5)
        target[7] = UInt8(ascii: "-")
        put(day, &target, 8)
        target[10] = UInt8(ascii: "T")
        putTime(Int(seconds - days * 86_400), &target, 11)
    }

    /// Writes `20/Nov/2026:15:33:04 +0000`.
    public static func writeCommonLog(_ seconds: Int64, into target: inout MutableSpan<UInt8>) {
        let days = floorDivide(seconds, 86_400)
        let (year, month, day) = civilDate(daysSince1970: days)
        put(day, &target, 0)
        target[2] = UInt8(ascii: "/")
        put(months[month - 1], count: 3, &target, 3)
        target[6] = UInt8(ascii: "/")
        put(year / 100, &target, 7)
        put(year % 100, &target, 9)
        target[11] = UInt8(ascii: ":")
        putTime(Int(seconds - days * 86_400), &target, 12)
        put(" +0000", count: 6, &target, 20)
    }

    private static func putTime(_ second: Int, _ target: inout MutableSpan<UInt8>, _ offset: Int) {
        put(second / 3600, &target, offset)
        target[offset + 2] = UInt8(ascii: ":")
        put(second / 60 % 60, &target, offset + 3)
        target[offset + 5] = UInt8(ascii: ":")
        put(second % 60, &target, offset + 6)
    }

    private static func put(
        _ text: StaticString, from index: Int = 0, count: Int, _ target: inout MutableSpan<UInt8>, _ offset: Int
    ) {
        for step in 0..<count { target[offset + step] = unsafe text.utf8Start[index + step] }
    }

    private static func put(_ number: Int, _ target: inout MutableSpan<UInt8>, _ offset: Int) {
        target[offset] = UInt8(truncatingIfNeeded: 0x30 + number / 10 % 10)
        target[offset + 1] = UInt8(truncatingIfNeeded: 0x30 + number % 10)
    }

    /// `now` decides the century of a two-digit year: it is at most fifty years ahead.
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
        // A day below ten has a space instead of its first digit.
        guard let ones = digit(text, 9), let tens = text[8] == Octet.space ? 0 : digit(text, 8),
            let month = monthNumber(text, at: 4), let time = timeOfDay(text, at: 11), let century = number(text, 20),
            let yearOfCentury = number(text, 22)
        else { return nil }
        return seconds(year: century * 100 + yearOfCentury, month: month, day: tens * 10 + ones, time: time)
    }
}
