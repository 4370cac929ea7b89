// What an assetlinks.json file says: its statements and includes, and which of the three consumers can use which.

public import SourceJSON

/// A statement list.
public struct StatementList: Sendable {
    /// Every entry that is an object and no include, also those that nobody can use.
    public var statements: [Statement]
    /// The URLs of the includes.
    public var includes: [LocatedText]
    /// What is wrong with entries in the eyes of AOSP, in their order.
    public var flaws: [StatementFlaw]
    public var range: SourceRange

    public init(
        statements: [Statement] = [], includes: [LocatedText] = [], flaws: [StatementFlaw] = [],
        range: SourceRange
    ) {
        self.statements = statements
        self.includes = includes
        self.flaws = flaws
        self.range = range
    }

    /// The flaw for which an Android version rejects the whole list; nil where it reads the list.
    public func rejection(on release: AndroidRelease) -> StatementFlaw? {
        flaws.first { $0.rejectsList(on: release) }
    }

    /// The statements that a consumer can use.
    public func statements(for consumer: StatementConsumer) -> [Statement] {
        statements.filter { $0.consumers.contains(consumer) }
    }

    /// The consumers that could verify an app by a statement for a relation; AOSP as the newest Android has it.
    public func acceptance(of statement: Statement, for relation: String) -> Set<StatementConsumer> {
        guard statement.relations.contains(where: { $0.text.isIdentical(to: relation) }),
            case .androidApp(_, let fingerprints)? = statement.target,
            // Fingerprints are compared as they are written, and only one form is ever asked for.
            fingerprints.contains(where: { Fingerprint(normalising: $0.text)?.text.isIdentical(to: $0.text) == true })
        else { return [] }
        return Set(StatementConsumer.allCases).filter { consumer in
            switch consumer {
            case .google: statement.consumers.contains(.google)
            case .aosp: statement.consumers.contains(.aosp) && rejection(on: .newest) == nil
            case .chromium: true
            }
        }
    }
}

/// What a host says about a target.
public struct Statement: Sendable {
    /// The well-formed relations.
    public var relations: [LocatedText]
    /// Nil where it could not be read.
    public var target: StatementTarget?
    /// Android 15's rules for `handle_all_urls`; nil where there are none or Android discards them, which lets the
    /// manifest decide.
    public var dynamicRules: [AndroidRule]?
    /// Every list of dynamic rules in it, also one that nothing reads.
    package var ruleLists: [[AndroidRule]] = []
    /// The rule for whose sake they are taken as discarded; nil where there is none.
    public var malformedRule: MalformedRule?
    /// Who can use the statement, if the file as a whole reaches them.
    public var consumers: Set<StatementConsumer>
    public var range: SourceRange

    public init(
        relations: [LocatedText] = [], target: StatementTarget? = nil, dynamicRules: [AndroidRule]? = nil,
        consumers: Set<StatementConsumer> = Set(StatementConsumer.allCases), range: SourceRange
    ) {
        self.relations = relations
        self.target = target
        self.dynamicRules = dynamicRules
        self.consumers = consumers
        self.range = range
    }
}

/// The target of a statement.
public enum StatementTarget: Hashable, Sendable {
    /// An app and the certificates that sign it, as they were written.
    case androidApp(package: LocatedText, fingerprints: [LocatedText])
    case web(site: LocatedText)
    /// Specified, and read by nothing on Android.
    case iOSApp(id: LocatedText)
}

/// A reader of statement lists.
public enum StatementConsumer: String, Hashable, Sendable, CaseIterable {
    /// Google's Digital Asset Links service, which Play services and credential sharing ask.
    case google
    /// The StatementService of Android's open source, on the device.
    case aosp
    /// Chromium, for Trusted Web Activities and related apps.
    case chromium

    /// As it is called in sentences.
    public var name: String {
        switch self {
        case .google: "Google"
        case .aosp: "AOSP"
        case .chromium: "Chromium"
        }
    }
}

/// A rule over the decoded parts of a URL. A part that is nil is not looked at; a rule without any never matches.
public struct AndroidRule: Sendable {
    public var path: String?
    public var query: [QueryItemPattern]?
    public var fragment: String?
    public var exclude: Bool
    /// Where it was read from.
    public var range: SourceRange?

    public init(
        path: String? = nil, query: [QueryItemPattern]? = nil, fragment: String? = nil, exclude: Bool = false,
        range: SourceRange? = nil
    ) {
        self.path = path
        self.query = query
        self.fragment = fragment
        self.exclude = exclude
        self.range = range
    }

    /// Whether it looks at no part of the URL.
    package var isEmpty: Bool { path == nil && query == nil && fragment == nil }
}

/// The first malformed rule of a list.
public struct MalformedRule: Hashable, Sendable {
    /// Its index in the list as it was written.
    public var index: Int
    /// Where the value stands.
    public var range: SourceRange

    public init(index: Int, range: SourceRange) {
        self.index = index
        self.range = range
    }

    /// What becomes of any URL.
    public var step: MatchStep {
        MatchStep(
            rule: index, outcome: .leftOpen,
            message: "rule \(index) has a value of the wrong type, so Android throws all the rules away and the "
                + "manifest decides alone",
            range: range)
    }

    public var unsettled: UnsettledPoint { UnsettledPoint(.malformedRule, rule: index) }
}
