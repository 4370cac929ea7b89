// The `retired` part of an app file.

/// What a file says it has taken out of service on purpose.
public struct RetiredIdentities: Hashable, Sendable {
    public var appIDs: [String]
    /// In the form they are served in.
    public var fingerprints: [String]
    public var hosts: [HostPattern]

    public init(appIDs: [String] = [], fingerprints: [String] = [], hosts: [HostPattern] = []) {
        self.appIDs = appIDs
        self.fingerprints = fingerprints
        self.hosts = hosts
    }
}
