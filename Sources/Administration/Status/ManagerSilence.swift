// How long the manager has not asked the server for its hosts. The server works without it and stays ready, but no
// certificate is renewed meanwhile, so health, status and metrics report a silent manager, and one that says that it cannot work.

/// The time since the manager's last contact with this server.
public struct ManagerSilence: Sendable, Equatable {
    public var seconds: Int64
    /// Why it cannot work, as it said at the last contact; nil if it can.
    public var problem: String?

    /// A manager is reported as silent from this time on. A running one asks several times a minute.
    public static let secondsMax: Int64 = 60

    public init(seconds: Int64) { self.seconds = seconds }

    /// In milliseconds of the monotonic clock. Without a contact, the silence began with the server's start.
    public init(startedMilliseconds: Int64, contactMilliseconds: Int64?, nowMilliseconds: Int64) {
        seconds = max(0, nowMilliseconds - (contactMilliseconds ?? startedMilliseconds)) / 1_000
    }

    /// The duration in words; nil while the manager is not silent.
    private var duration: String? { seconds >= ManagerSilence.secondsMax ? Age.text(seconds: seconds) : nil }

    /// The note of the health report.
    var note: String? {
        duration.map { "the manager has been silent for \($0)" } ?? problem.map { "the manager cannot work: \($0)" }
    }

    /// The line of the status.
    var text: String? {
        duration.map { "manager: silent for \($0); certificates are not renewed; see its log" }
            ?? problem.map { "manager: \($0); no certificate is ordered or renewed" }
    }
}

extension ManagerSilence: JSONRecord {
    package static var blank: Self { Self(seconds: 0) }
    package static var members: [JSONMember<Self>] {
        [.needed("silentSeconds", \.seconds), .optional("problem", \.problem)]
    }
}
