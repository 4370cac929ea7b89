// When to look at a service's copy again. Pure: the caller passes the time and a random number, and stores the result as the time
// of the work, so the store is the schedule. All times are in milliseconds.

public import Client
public import Store
import Verifier

/// The schedule of the looks at one copy.
enum DeliveryPlan {
    private static let minuteMilliseconds: Int64 = 60_000
    private static let hourMilliseconds = 60 * minuteMilliseconds
    static let dayMilliseconds = 24 * hourMilliseconds
    static let weekMilliseconds = 7 * dayMilliseconds

    /// After a change: soon, because Apple may fetch a file at once, then every six hours.
    private static let steps: [Int64] =
        [2, 10, 60].map { $0 * minuteMilliseconds } + [6, 12, 24].map { $0 * hourMilliseconds }

    /// How long after a change the first look at a new version is, so that the service had time to fetch it.
    static let firstMilliseconds = steps[0]
    /// How long after a fetch of the current version by the service.
    static let afterFetchMilliseconds = minuteMilliseconds
    /// How long after a look a fetch causes another one that is not known to be the service's.
    static let claimedFetchMilliseconds = hourMilliseconds

    /// How long after the time of a look to look again: at the next step, six-hourly for a week until the copy is equal,
    /// then weekly.
    /// - Parameters:
    ///   - sinceMilliseconds: since the version was published, or since the state changed, whichever is later.
    ///   - maxAgeSeconds: how long the service keeps its answer; a request before gets the same. At most a day is waited for.
    ///   - draw: a random number, so that many hosts do not come at once.
    static func waitMilliseconds(
        _ state: DeliveryState, sinceMilliseconds: Int64, maxAgeSeconds: Int64?, draw: UInt64
    ) -> Int64 {
        let since = max(0, sinceMilliseconds)
        var wait = weekMilliseconds
        if state != .equal, since < weekMilliseconds {
            let step = steps.first { $0 > since }
            let next = step ?? (since / (6 * hourMilliseconds) + 1) * 6 * hourMilliseconds
            let age = min(dayMilliseconds / 1_000, max(0, maxAgeSeconds ?? 0)) * 1_000
            wait = max(next - since, age)
        }
        let spread = wait / 20
        return wait + (spread > 0 ? Int64(draw % UInt64(spread)) : 0)
    }

    /// After a request without a usable answer; doubled with each one, up to about an hour.
    static func retryMilliseconds(tries: Int64) -> Int64 { minuteMilliseconds << min(max(0, tries), 6) }

    /// How long at most until the next look at a host whose questions to another service wait for its quota: spread over the week, so
    /// that the quota of each day is used.
    static func waitMilliseconds(forQuotaWithin wait: Int64, draw: UInt64) -> Int64 {
        min(wait, dayMilliseconds + Int64(draw % UInt64(weekMilliseconds - dayMilliseconds)))
    }

    /// Before a file counts as that of another server, and how much later the second look is: a deployment may be under way, of
    /// which some servers have the new version.
    static let secondLookMilliseconds = 10 * minuteMilliseconds
    /// How long a copy is not the current one before the host is asked from outside.
    static let outsideMilliseconds = 3 * hourMilliseconds
    /// How long a host is not served before its looks end: the server may have started with an old configuration.
    static let goneMilliseconds = hourMilliseconds

    /// Looks in the first hour after a change come before all others. Later ones take turns with the weekly looks: a fleet with many
    /// failing hosts must not starve the rest.
    static func priority(sinceMilliseconds: Int64, waitMilliseconds: Int64) -> Int64 {
        max(0, sinceMilliseconds) + waitMilliseconds <= hourMilliseconds + hourMilliseconds / 20
            ? priorityOfChanges : priorityOfOthers
    }

    /// Of the first look at a version. A tenant that changes its files all the time delays the looks at no other tenant's change.
    /// - Parameter ageMilliseconds: of the version before; nil for the first version of a host.
    static func priority(replacingVersionOfAge ageMilliseconds: Int64?) -> Int64 {
        guard let ageMilliseconds else { return priorityOfChanges }
        return ageMilliseconds < hourMilliseconds ? priorityOfOthers : priorityOfChanges
    }

    static let priorityOfOthers: Int64 = 0
    /// Also of the first look at a host, which makes Apple's CDN fetch the file before the first phone asks. Among both, the turns of
    /// tenants decide: many new hosts of one tenant do not delay the changes of another.
    static let priorityOfChanges: Int64 = 1
}

/// The settings of the delivery monitor.
public struct DeliveryRules: Sendable {
    /// The host is appended.
    public var apple: WebLocation
    /// The query is appended.
    public var google: WebLocation
    /// Where messages about changes go.
    public var messages = WebhookQueue()
    public var userAgent: String
    /// Where to ask whether apps are registered with their certificates; nil not to ask.
    var registration: RegistrationAPI?
    /// For requests over TLS.
    public var proxy: ProxySettings?

    public init(apple: WebLocation, google: WebLocation, userAgent: String) {
        (self.apple, self.google, self.userAgent) = (apple, google, userAgent)
    }

    /// Asks Google also whether apps are registered with their certificates.
    /// - Returns: false if the text cannot be an API key.
    public mutating func watchRegistrations(key: String, at url: String) -> Bool {
        registration = RegistrationAPI(key: key, base: url)
        return registration != nil
    }

    /// Where to look at the copy of a host's file. The answer of Google's service is about all of the host's apps.
    func location(of host: String, at verifier: DeliveryVerifier) -> WebLocation? {
        switch verifier {
        case .apple: WebLocation("\(apple)\(host)")
        case .google: WebLocation("\(google)\(VerifierRequest.googleQuery(host))")
        }
    }
}
