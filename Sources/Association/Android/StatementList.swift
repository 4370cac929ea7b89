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
}
