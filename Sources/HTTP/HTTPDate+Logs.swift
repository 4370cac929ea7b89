// Dates as logs write them: RFC 3339 for machines, and the form that web servers have used since the first of them. Both in
// UTC, because a worker looks at no time zone.

extension HTTPDate {
    /// The length of `2026-11-20T15:33:04`, to which fractions and the zone are added.
    public static let timestampByteCount = 19
    /// The length of `20/Nov/2026:15:33:04 +0000`.
    public static let commonLogByteCount = 26

    /// Writes `2026-11-20T15:33:04` (RFC 3339 §5.6).
    public static func writeTimestamp(_ seconds: Int64, into target: UnsafeMutableRawBufferPointer) {
        precondition(target.count >= timestampByteCount, "a timestamp takes 19 bytes")
        let days = floorDivide(seconds, 86_400)
        let (year, month, day) = civilDate(daysSince1970: days)
        put(year / 100, target, 0)
        put(year % 100, target, 2)
        target[4] = UInt8(ascii: "-")
        put(month, target, 5)
        target[7] = UInt8(ascii: "-")
        put(day, target, 8)
        target[10] = UInt8(ascii: "T")
        putTime(Int(seconds - days * 86_400), target, 11)
    }

    /// Writes `20/Nov/2026:15:33:04 +0000`.
    public static func writeCommonLog(_ seconds: Int64, into target: UnsafeMutableRawBufferPointer) {
        precondition(target.count >= commonLogByteCount, "such a date takes 26 bytes")
        let days = floorDivide(seconds, 86_400)
        let (year, month, day) = civilDate(daysSince1970: days)
        put(day, target, 0)
        target[2] = UInt8(ascii: "/")
        for step in 0..<3 { target[3 + step] = months.utf8Start[(month - 1) * 3 + step] }
        target[6] = UInt8(ascii: "/")
        put(year / 100, target, 7)
        put(year % 100, target, 9)
        target[11] = UInt8(ascii: ":")
        putTime(Int(seconds - days * 86_400), target, 12)
        let zone: StaticString = " +0000"
        for step in 0..<6 { target[20 + step] = zone.utf8Start[step] }
    }

    private static func putTime(_ second: Int, _ target: UnsafeMutableRawBufferPointer, _ offset: Int) {
        put(second / 3600, target, offset)
        target[offset + 2] = UInt8(ascii: ":")
        put(second / 60 % 60, target, offset + 3)
        target[offset + 5] = UInt8(ascii: ":")
        put(second % 60, target, offset + 6)
    }

    private static func put(_ number: Int, _ target: UnsafeMutableRawBufferPointer, _ offset: Int) {
        target[offset] = UInt8(truncatingIfNeeded: 0x30 + number / 10 % 10)
        target[offset + 1] = UInt8(truncatingIfNeeded: 0x30 + number % 10)
    }
}
