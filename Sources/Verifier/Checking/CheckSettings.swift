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
    /// The platforms of which an app names `*.` and this host, and not this host.
    public var wildcardsBelow: Platforms

    /// One of the two files each.
    public struct Platforms: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let apple = Platforms(rawValue: 1)
        public static let android = Platforms(rawValue: 2)
    }

    public init(apple: [UInt8]?, statements: [UInt8]?, wildcardsBelow: Platforms = []) {
        self.apple = apple
        self.statements = statements
        self.wildcardsBelow = wildcardsBelow
    }

    subscript(document: Probe.Document) -> [UInt8]? {
        switch document {
        case .apple: apple
        case .statements: statements
        }
    }
}
