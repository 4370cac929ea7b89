// Which changed folders are checked when. A folder rests after a check, so that a tenant who replaces files continuously, or keys that
// take long to open, delays no other. Pure: the time is passed in.

import TLS

/// Folders that have changed, by name.
public struct ChangedFolders: Sendable {
    private var waiting: Set<String> = []
    private var restsUntil: [String: Int64] = [:]

    /// A folder rests for this many times as long as its check took, within these limits.
    private static let restShare: Int64 = 20
    private static let restMilliseconds: (min: Int64, max: Int64) = (1_000, 60_000)
    /// Checks that take this long are slow. All slow ones together take at most a fifth of the time, because one tenant may have
    /// many hosts.
    private static let slowMilliseconds = 20
    private static let slowShare: Int64 = 5
    private var slowRestUntil: Int64 = 0

    /// When `take` has folders; the latest time if there are none.
    public private(set) var due: Int64 = .max

    public init() {}

    public mutating func note(_ names: some Collection<String>, at now: Int64) {
        if names.isEmpty { return }
        waiting.formUnion(names)
        due = now
    }

    /// The folders that do not rest. `rest` has to follow for each.
    public mutating func take(at now: Int64) -> Set<String> {
        if now < due { return [] }
        restsUntil = restsUntil.filter { $0.value > now }
        let ready = waiting.filter { restsUntil[$0] == nil }
        waiting.subtract(ready)
        due = waiting.compactMap { restsUntil[$0] }.min() ?? .max
        return ready
    }

    /// A folder was checked in this time.
    public mutating func rest(_ name: String, after check: Range<Int64>) {
        let took = Int64(check.count)
        let (min, max) = ChangedFolders.restMilliseconds
        var end = check.upperBound + Swift.min(Swift.max(took * ChangedFolders.restShare, min), max)
        if took >= ChangedFolders.slowMilliseconds {
            slowRestUntil = Swift.max(slowRestUntil, check.lowerBound) + took * ChangedFolders.slowShare
            end = Swift.max(end, slowRestUntil)
        }
        restsUntil[name] = end
    }
}
