// The content of an assetlinks.json file: its statements and includes, and which of the three consumers can use each.

public import SourceJSON

public struct StatementList: Sendable {
    /// Every entry that is an object and not an include, even if no consumer can use it.
    public var statements: [Statement] = []
    /// The URLs of the includes.
    public var includes: [LocatedText] = []
    /// The flaws of entries for AOSP, in their order.
    public var flaws: [StatementFlaw] = []
    public var range: SourceRange

    /// The flaw because of which an Android version rejects the whole list; nil if it reads the list.
    public func rejection(on release: AndroidRelease) -> StatementFlaw? {
        flaws.first { $0.rejectsList(on: release) }
    }

    /// The packages that its statements name, each once.
    public var packages: [String] {
        statements.compactMap { statement in
            if case .androidApp(let package, _)? = statement.target { package.text } else { nil }
        }.eachOnce
    }

    public func statements(for consumer: StatementConsumer) -> [Statement] {
        statements.filter { $0.consumers.contains(consumer) }
    }

    /// The consumers that can verify an app by a statement for a relation; AOSP in the newest version.
    public func acceptance(of statement: Statement, for relation: String) -> Set<StatementConsumer> {
        guard statement.relations.contains(where: { $0.text.isIdentical(to: relation) }),
            case .androidApp(_, let fingerprints)? = statement.target,
            // Consumers compare fingerprints as text, in one form only.
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

/// A statement of a host about a target.
public struct Statement: Sendable {
    /// The well-formed relations.
    public var relations: [LocatedText] = []
    /// Nil if it could not be read.
    public var target: StatementTarget?
    /// The rules for Android 15 under `handle_all_urls`; nil if there are none or Android discards them, so that the manifest
    /// decides.
    public var dynamicRules: [AndroidRule]?
    /// All lists of dynamic rules in it, even those that no consumer reads.
    package var ruleLists: [[AndroidRule]] = []
    /// The rule because of which Android is assumed to discard them; nil if there is none.
    public var malformedRule: MalformedRule?
    /// The consumers that can use the statement, if they accept the file.
    public var consumers = Set(StatementConsumer.allCases)
    public var range: SourceRange
}

public enum StatementTarget: Hashable, Sendable {
    /// An app and its signing certificates, as they were written.
    case androidApp(package: LocatedText, fingerprints: [LocatedText])
    case web(site: LocatedText)
    /// Specified, but nothing on Android reads it.
    case iOSApp(id: LocatedText)
}

/// A reader of statement lists.
public enum StatementConsumer: String, Hashable, Sendable, CaseIterable {
    /// Google's Digital Asset Links service, for Play services and credential sharing.
    case google
    /// The StatementService of Android's open source, on the device.
    case aosp
    /// Chromium, for Trusted Web Activities and related apps.
    case chromium

    /// The name in messages.
    public var name: String {
        switch self {
        case .google: "Google"
        case .aosp: "Android"
        case .chromium: "Chromium"
        }
    }
}

/// A rule for the decoded parts of a URL. A part that is nil is not compared; a rule without any never matches.
public struct AndroidRule: Sendable {
    public var path: String?
    public var query: [QueryItemPattern]?
    public var fragment: String?
    public var exclude = false
    public var range: SourceRange?

    /// Whether it has no part to compare.
    package var isEmpty: Bool { path == nil && query == nil && fragment == nil }
}

/// The first malformed rule of a list.
public struct MalformedRule: Hashable, Sendable {
    /// Its index in the written list.
    public var index: Int
    /// The range of the malformed value.
    public var range: SourceRange

    /// The result for any URL.
    public var step: MatchStep {
        MatchStep(
            rule: index, outcome: .leftOpen,
            message:
                "rule \(index) has a value of the wrong type, so Android discards all rules and only the manifest decides",
            range: range)
    }

    /// What is not known about it, in words.
    public var doubt: String { "rule \(index): \(UndocumentedBehaviour.Kind.malformedRule.message)" }
}
