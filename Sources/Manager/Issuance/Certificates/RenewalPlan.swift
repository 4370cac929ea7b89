// When to renew a certificate, and when to try again. Pure: the caller passes random numbers and stores the results, so
// a restart does not change them. All times are in milliseconds, moments since 1970.

/// The schedule of a certificate.
public enum RenewalPlan {
    private static let minuteMilliseconds: Int64 = 60_000
    private static let hourMilliseconds = 60 * minuteMilliseconds
    private static let dayMilliseconds = 24 * hourMilliseconds

    /// A random moment in the window of the authority; without one, after two thirds of the life, give or take a
    /// twentieth. At the latest, a sixth of the life is left, whatever the window. May be in the past: then the renewal
    /// is due.
    /// - Parameter windowMilliseconds: from renewal information (RFC 9773).
    /// - Parameter draw: a random number.
    public static func renewalMilliseconds(
        notBeforeMilliseconds: Int64, notAfterMilliseconds: Int64, windowMilliseconds: Range<Int64>?, draw: UInt64
    ) -> Int64 {
        let life = max(0, notAfterMilliseconds - notBeforeMilliseconds)
        let twoThirds = notBeforeMilliseconds + life / 3 * 2
        var window = twoThirds - life / 20..<twoThirds + life / 20
        if let windowMilliseconds { window = windowMilliseconds }
        return min(
            window.lowerBound + part(of: window.upperBound - window.lowerBound, draw), notAfterMilliseconds - life / 6)
    }

    /// How long to wait before asking for renewal information again.
    /// - Parameter nextCheckSeconds: as the authority wants it.
    public static func nextCheckMilliseconds(nextCheckSeconds: Int64, draw: UInt64) -> Int64 {
        withJitter(nextCheckSeconds * 1_000, draw)
    }

    /// Which of the configured authorities to use: the first for about a day of failures, or for one failure if it is
    /// urgent; then each in turn.
    /// - Parameter tries: the number of failed attempts so far.
    public static func authorityIndex(tries: Int64, isUrgent: Bool, count: Int) -> Int {
        precondition(count > 0, "there is an authority")
        return Int(max(0, tries - triesMax(isUrgent: isUrgent) + 1) % Int64(count))
    }

    /// The failures after which an authority, or an order that it has, is given up for the next one.
    static func triesMax(isUrgent: Bool) -> Int64 { isUrgent ? 1 : Int64(retryMinutes.count) }

    /// The waits after failed orders; the last one is repeated.
    private static let retryMinutes: [Int64] = [1, 10, 100, 24 * 60]

    /// How long to wait after a failed order.
    /// - Parameters:
    ///   - tries: the number of failed attempts before this one.
    ///   - needsOperator: whether trying again sooner than in a day is useless.
    ///   - lifeLeftMilliseconds: of the present certificate, if any. Certificates of a few days need more attempts in a day.
    public static func retryMilliseconds(
        tries: Int64, needsOperator: Bool = false, lifeLeftMilliseconds: Int64? = nil, draw: UInt64
    ) -> Int64 {
        let last = retryMinutes.count - 1
        let index = needsOperator ? last : Int(min(max(0, tries), Int64(last)))
        let most = lifeLeftMilliseconds.map { max(minuteMilliseconds, $0 / 8) } ?? .max
        return min(most, withJitter(retryMinutes[index] * minuteMilliseconds, draw))
    }

    /// The waits after failed preflights. Then hourly for a week, daily for a month (of 30 days), and weekly.
    private static let preflightMinutes: [Int64] = [1, 2, 5, 10, 20, 40]

    /// How long to wait after a failed preflight.
    /// - Parameter tries: the number of failed preflights before this one.
    public static func preflightMilliseconds(tries: Int64) -> Int64 {
        let later = tries - Int64(preflightMinutes.count)
        return switch later {
        case ..<0: preflightMinutes[Int(max(0, tries))] * minuteMilliseconds
        case ..<(7 * 24): hourMilliseconds
        case ..<(7 * 24 + 30): dayMilliseconds
        default: 7 * dayMilliseconds
        }
    }

    /// Up to a fifth longer, so that many certificates do not come at once.
    private static func withJitter(_ milliseconds: Int64, _ draw: UInt64) -> Int64 {
        milliseconds + part(of: milliseconds / 5, draw)
    }

    /// A number below the limit, or zero.
    private static func part(of limit: Int64, _ draw: UInt64) -> Int64 {
        limit > 0 ? Int64(draw % UInt64(limit)) : 0
    }
}
