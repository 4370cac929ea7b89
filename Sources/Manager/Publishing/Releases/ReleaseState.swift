// The states of a release and what changes them. A release is never edited: approvals belong to one release, and a rollback is a new one.

/// What has become of a release.
public enum ReleaseState: String, Sendable, CaseIterable {
    /// Waits for the approval of another.
    case proposed
    /// Waits for its time.
    case scheduled
    /// What the tenant's hosts are to serve.
    case live
    /// Was live until a later release.
    case superseded
    /// Never went live.
    case rejected

    /// What happens to a release.
    enum Event: CaseIterable {
        /// Another token has approved it.
        case approved
        /// Its time has come, and it was checked again.
        case due
        /// Somebody, or a check, has refused it.
        case refused
        /// A later release went live.
        case replaced
    }

    /// The state of a new release.
    init(needsApproval: Bool, isLater: Bool) { self = needsApproval ? .proposed : isLater ? .scheduled : .live }

    /// The next state; nil if this cannot happen to such a release.
    /// - Parameter isLater: whether its time is still to come.
    func next(_ event: Event, isLater: Bool = false) -> ReleaseState? {
        switch (self, event) {
        case (.proposed, .approved): isLater ? .scheduled : .live
        case (.scheduled, .due): .live
        case (.proposed, .refused), (.scheduled, .refused): .rejected
        case (.live, .replaced): .superseded
        default: nil
        }
    }

    /// Whether it may still go live.
    var isOpen: Bool { self == .proposed || self == .scheduled }
}
