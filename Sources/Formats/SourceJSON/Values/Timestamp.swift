// Dates in JSON are strings, by convention in the form of RFC 3339 (Internet date and time).

/// Dates of RFC 3339.
package enum Timestamp {
    /// Seconds since 1970; nil if the text is not a date with a time and a time zone.
    package static func seconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20 else { return nil }
        func number(_ range: Range<Int>) -> Int64? {
            var value: Int64 = 0
            for byte in bytes[range] {
                guard byte >= 0x30, byte <= 0x39 else { return nil }
                value = value * 10 + Int64(byte - 0x30)
            }
            return value
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
            let minute = number(14..<16), let second = number(17..<19), bytes[4] == UInt8(ascii: "-"),
            bytes[7] == UInt8(ascii: "-"), bytes[10] | 0x20 == UInt8(ascii: "t"), bytes[13] == UInt8(ascii: ":"),
            bytes[16] == UInt8(ascii: ":"), (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60,
            second < 61
        else { return nil }
        var rest = bytes[19...]
        if rest.first == UInt8(ascii: ".") { rest = rest.dropFirst().drop { $0 >= 0x30 && $0 <= 0x39 } }
        guard let zone = zoneSeconds(rest) else { return nil }
        return days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - zone
    }

    private static func zoneSeconds(_ bytes: ArraySlice<UInt8>) -> Int64? {
        if bytes.count == 1, bytes.first.map({ $0 | 0x20 }) == UInt8(ascii: "z") { return 0 }
        let zone = Array(bytes)
        guard zone.count == 6, zone[3] == UInt8(ascii: ":"),
            [zone[1], zone[2], zone[4], zone[5]].allSatisfy({
                $0 >= 0x30 && $0 <= 0x39
            })
        else { return nil }
        let hours = Int64(zone[1] - 0x30) * 10 + Int64(zone[2] - 0x30)
        let minutes = Int64(zone[4] - 0x30) * 10 + Int64(zone[5] - 0x30)
        guard hours < 24, minutes < 60 else { return nil }
        switch zone[0] {
        case UInt8(ascii: "+"): return hours * 3_600 + minutes * 60
        case UInt8(ascii: "-"): return -(hours * 3_600 + minutes * 60)
        default: return nil
        }
    }

    /// Days from 1970 to a date of the Gregorian calendar. Years begin in March here, so that the leap day is their last day.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month > 2 ? year : year - 1
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
