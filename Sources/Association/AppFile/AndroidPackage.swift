// One app on Android, as its signing certificates identify it.

/// A package and the certificates that its builds are signed with.
public struct AndroidPackage: Hashable, Sendable {
    public var name: String
    /// As they are served: upper case, 32 pairs, colons.
    public var fingerprints: [String]

    public init(name: String, fingerprints: [String]) {
        self.name = name
        self.fingerprints = fingerprints
    }
}
