// What a look from outside is told: where hosts are, whom to ask beside them, and what they should serve.

/// Everything about a look but the host.
public struct CheckSettings: Sendable {
    public var limits = FetchLimits()
    public var overrides: [AddressOverride] = []
    /// Where Apple's copies are asked for, up to the host's name; nil where they are not.
    public var appleCDN: WebLocation?
    /// Where Google's service is asked, up to the query; nil where it is not.
    public var google: WebLocation?
    /// What a host should answer, where that is known.
    public var expected: @Sendable (String) -> ExpectedFiles? = { _ in nil }

    public init() {}
}

/// What a configuration would serve for a host.
public struct ExpectedFiles: Hashable, Sendable {
    /// Nil where there is to be none.
    public var apple: [UInt8]?
    public var statements: [UInt8]?
    /// Whether an Android app of the configuration names `*.` and this host.
    public var isParentOfWildcard: Bool

    public init(apple: [UInt8]?, statements: [UInt8]?, isParentOfWildcard: Bool = false) {
        self.apple = apple
        self.statements = statements
        self.isParentOfWildcard = isParentOfWildcard
    }

    subscript(document: Probe.Document) -> [UInt8]? {
        switch document {
        case .apple: apple
        case .statements: statements
        }
    }
}
