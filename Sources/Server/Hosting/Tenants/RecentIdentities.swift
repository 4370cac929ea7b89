// The entries that went live a short time ago, which the removal guard releases. A mistake can be undone as long as no verifier
// has seen it.

import Association

/// The entries that went live recently. A mistake can be undone as long as no verifier has seen it: the removal guard releases an
/// entry that is younger than ten minutes or was never fetched. This is kept in memory only; after a restart everything is
/// guarded.
struct RecentIdentities: Sendable {
    /// When each entry went live, by the app file that added it.
    private var since: [String: [LiveIdentity: Int64]] = [:]
    private var count = 0

    static let graceSeconds: Int64 = 600
    /// Verifiers fetch a new host within days.
    private static let daysMax: Int64 = 7
    /// Beyond this many, further entries are guarded at once.
    private static let countMax = 10_000

    /// Notes the entries that a version of a file added.
    mutating func note(_ added: Set<LiveIdentity>, of path: String, at now: Int64) {
        forgetOld(before: now - RecentIdentities.daysMax * 86_400)
        if count + added.count > RecentIdentities.countMax { return }
        for identity in added where since[path, default: [:]].updateValue(now, forKey: identity) == nil { count += 1 }
    }

    /// Whether the guard allows a file to remove an entry.
    /// - Parameter wasFetched: whether a verifier has fetched a host since a time.
    func mayRemove(
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
