// Bounds on those who ask the admin listener. They are few and friendly, or it has a token; the bounds are for the rest.

/// How much and how long.
struct AdminLimits: Sendable {
    /// Connections at once. One more ends the one that has been silent for longest, so that a probe always gets through.
    var connectionsMax = 32
    /// A head, all of it.
    var headBytesMax = 8_192
    /// From a connection's start, or the first byte of a head, to the head's end.
    var headMilliseconds: Int64 = 5_000
    /// Between requests: longer than the minute between two scrapes.
    var idleMilliseconds: Int64 = 75_000
    /// For an answer to be taken.
    var writeMilliseconds: Int64 = 10_000
    /// For reading on after the last answer, so that it is seen instead of a reset.
    var lingerMilliseconds: Int64 = 1_000
}
