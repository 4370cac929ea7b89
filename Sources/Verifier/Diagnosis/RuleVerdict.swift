// What the rules of published files decide about one URL, as values. Who reads the files and asks the rules is up to the caller.

/// The decision of the rules for one app, or for several with the same decision.
public struct RuleVerdict: Hashable, Sendable {
    public var apps: [String]
    public var outcome: Outcome
    /// The deciding rule in words.
    public var message: String

    public enum Outcome: Hashable, Sendable {
        case opensApp
        /// Android decides by the manifest, which is not known here.
        case manifestDecides
        case staysInBrowser
        /// No signed app can have the entry, or no verifier accepts it.
        case noApp
    }

    public init(_ apps: [String], _ outcome: Outcome, _ message: String) {
        (self.apps, self.outcome, self.message) = (apps, outcome, message)
    }

    /// The outcome for a platform: one app that opens is enough.
    static func outcome(of verdicts: [RuleVerdict]) -> Outcome {
        let order: [Outcome] = [.opensApp, .manifestDecides, .staysInBrowser]
        return order.first { outcome in verdicts.contains { $0.outcome == outcome } } ?? .noApp
    }
}

/// The decisions about one URL by all files.
public struct LinkVerdicts: Sendable {
    /// By the files of the host; nil if a file could not be read.
    public var apple: [RuleVerdict]?
    public var android: [RuleVerdict]?
    /// By Apple's copy, if there is one.
    public var appleCopy: [RuleVerdict]?
    /// Whether the copy names none of the apps that the host's file names.
    public var isCopyForeign = false

    public init() {}
}
