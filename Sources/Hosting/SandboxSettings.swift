// How far the process shuts itself away once it runs: part of `server.json`.

/// What of the sandbox is wanted, and what it leaves open beyond what the server finds out by itself.
public struct SandboxSettings: Sendable, Equatable {
    public var mode = Mode.on
    /// Folders and files that may be read.
    public var readable: [String] = []
    /// Folders that may be written to.
    public var writable: [String] = []

    public enum Mode: String, Sendable, CaseIterable {
        /// As far as the kernel has it.
        case on
        /// The server does not start where the kernel has not all of it.
        case required
        case off
    }

    public init() {}
}
