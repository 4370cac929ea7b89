// How the server speaks of itself, and of what: `log.process` and `log.level` of `server.json`.

/// What is said of the process log before anything is written to it.
public struct ProcessLogSettings: Hashable, Sendable {
    public var format = Format.text
    public var level = Level.info

    public enum Format: String, CaseIterable, Sendable {
        case text, json
    }

    /// What an event means for the operator. The numbers are those of syslog(3), which journald understands.
    public enum Level: Int, CaseIterable, Comparable, Sendable {
        /// A host, a file or the server does not do what it should.
        case error = 3
        /// It does, and may not for long.
        case warning = 4
        case info = 6

        public init?(_ name: String) {
            guard let level = Level.allCases.first(where: { $0.name == name }) else { return nil }
            self = level
        }

        public var name: String {
            switch self {
            case .error: "error"
            case .warning: "warning"
            case .info: "info"
            }
        }

        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    public init() {}
}
