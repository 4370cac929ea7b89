// Which changed folders are checked when. A folder rests after a check, so that a tenant who replaces files continuously, or keys that
// take long to open, delays no other. Pure: the time is passed in.

/// Folders that have changed, by name.
public struct ChangedFolders: Sendable {
    private var waiting: Set<String> = []
    private var restsUntil: [String: Int64] = [:]

    /// A folder rests for this many times as long as its check took, within these limits.
    private static let restShare: Int64 = 20
    private static let restMilliseconds: (min: Int64, max: Int64) = (1_000, 60_000)

    /// When `take` has a folder; the latest time if there is none.
    public private(set) var due: Int64 = .max

    public init() {}

    public mutating func note(_ names: some Collection<String>, at now: Int64) {
        if names.isEmpty { return }
        waiting.formUnion(names)
        due = now
    }

    /// A folder that does not rest. `rest` has to follow.
    public mutating func take(at now: Int64) -> String? {
        if now < due { return nil }
        restsUntil = restsUntil.filter { $0.value > now }
        guard let name = waiting.first(where: { restsUntil[$0] == nil }) else {
            due = waiting.compactMap { restsUntil[$0] }.min() ?? .max
            return nil
        }
        waiting.remove(name)
        return name
    }

    /// A folder was checked in this time.
    public mutating func rest(_ name: String, after check: Range<Int64>) {
        let rest = Int64(check.count) * ChangedFolders.restShare
        let (min, max) = ChangedFolders.restMilliseconds
        restsUntil[name] = check.upperBound + Swift.min(Swift.max(rest, min), max)
    }
}
