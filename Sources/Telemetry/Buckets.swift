// Times in buckets with fixed bounds: what a reader wants to know of many times without keeping each.

/// The bounds of every histogram here, from 50 µs, which is a quick answer, to 10 s, which is a lost client.
public enum Buckets {
    /// Upper bounds in microseconds, each included; what is above the last is in a bucket of its own.
    public static let boundsMicroseconds: [Int64] = [
        50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
        2_500_000, 5_000_000, 10_000_000,
    ]

    /// Buckets, the one without a bound included.
    @inlinable public static var count: Int { 18 }

    /// The bucket of a time. Comparisons instead of a table: most times are in one of the first.
    @inlinable
    public static func index(microseconds: Int64) -> Int {
        switch microseconds {
        case ...1_000:
            microseconds <= 100
                ? (microseconds <= 50 ? 0 : 1) : microseconds <= 250 ? 2 : microseconds <= 500 ? 3 : 4
        case ...25_000: microseconds <= 2_500 ? 5 : microseconds <= 5_000 ? 6 : microseconds <= 10_000 ? 7 : 8
        case ...500_000:
            microseconds <= 50_000 ? 9 : microseconds <= 100_000 ? 10 : microseconds <= 250_000 ? 11 : 12
        case ...10_000_000:
            microseconds <= 1_000_000 ? 13 : microseconds <= 2_500_000 ? 14 : microseconds <= 5_000_000 ? 15 : 16
        default: 17
        }
    }
}

/// A histogram as a reader gets it.
public struct HistogramReading: Equatable, Sendable {
    /// How many times are in each bucket, not added up.
    public var counts = [UInt64](repeating: 0, count: Buckets.count)
    public var sumMicroseconds: UInt64 = 0

    public init() {}

    /// All of them.
    public var count: UInt64 { counts.reduce(0, &+) }

    public static func + (left: HistogramReading, right: HistogramReading) -> HistogramReading {
        var sum = left
        for index in 0..<Buckets.count { sum.counts[index] &+= right.counts[index] }
        sum.sumMicroseconds &+= right.sumMicroseconds
        return sum
    }
}
