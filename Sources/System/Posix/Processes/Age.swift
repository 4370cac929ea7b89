// Durations as a person reads them.

/// Durations in words.
public enum Age {
    /// `12 minutes`, in the largest unit that fits at least once.
    public static func text(seconds: Int64) -> String {
        let seconds = max(0, seconds)
        let units: [(Int64, String)] = [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")]
        for (length, name) in units where seconds >= length {
            let count = seconds / length
            return "\(count) \(name)\(count == 1 ? "" : "s")"
        }
        return "0 seconds"
    }

    public static func ago(from then: Int64, to now: Int64) -> String {
        now - then < 1 ? "just now" : "\(text(seconds: now - then)) ago"
    }

    /// A duration in up to two units, such as `1 day 2 hours`.
    public static func duration(seconds: Int64) -> String {
        let seconds = max(0, seconds)
        let rest =
            seconds >= 86_400 ? seconds % 86_400 / 3_600 * 3_600 : seconds >= 3_600 ? seconds % 3_600 / 60 * 60 : 0
        return rest == 0 ? text(seconds: seconds) : "\(text(seconds: seconds)) \(text(seconds: rest))"
    }
}
