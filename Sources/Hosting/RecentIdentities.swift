// What went live a moment ago. A mistake can be taken back as easily as it was made, as long as no verifier has seen it: the
// removal guard lets go of an entry that is younger than ten minutes, or that was never fetched. This is the memory for that; a
// restart ends it, and then everything is guarded.

struct RecentIdentities: Sendable {
    /// When each entry went live, by the app file that brought it.
    private var since: [String: [LiveIdentity: Int64]] = [:]
    private var count = 0

    static let graceSeconds: Int64 = 600
    /// Verifiers fetch a new host within days, or it is of no interest to them.
    private static let daysMax: Int64 = 7
    /// Beyond this many, what is added is guarded at once.
    private static let countMax = 10_000

    /// A version of a file went live.
    mutating func note(_ added: Set<LiveIdentity>, of path: String, at now: Int64) {
        forgetOld(before: now - RecentIdentities.daysMax * 86_400)
        if count + added.count > RecentIdentities.countMax { return }
        for identity in added where since[path, default: [:]].updateValue(now, forKey: identity) == nil { count += 1 }
    }

    /// Whether a file may drop an entry without asking.
    /// - Parameter wasFetched: whether a verifier fetched a host since some time.
    func mayDrop(
        _ identity: LiveIdentity, from path: String, at now: Int64, wasFetched: (_ host: String, _ since: Int64) -> Bool
    ) -> Bool {
        guard let began = since[path]?[identity] else { return false }
        return (0..<RecentIdentities.graceSeconds).contains(now - began) || !wasFetched(identity.host, began)
    }

    private mutating func forgetOld(before limit: Int64) {
        for (path, entries) in since where entries.contains(where: { $0.value < limit }) {
            let kept = entries.filter { $0.value >= limit }
            count -= entries.count - kept.count
            since[path] = kept.isEmpty ? nil : kept
        }
    }
}
