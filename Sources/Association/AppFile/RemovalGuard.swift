// What an app file says about removals.

/// What the server does when an app id, fingerprint, host or whole file that is live disappears.
public enum RemovalGuard: String, Hashable, Sendable, CaseIterable {
    /// Keeps the last version until the file lists it as retired.
    case block
    case warn
    case off
}
