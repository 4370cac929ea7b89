// What an assetlinks.json file says: its statements and includes, and which of the three consumers can use which.

public import SourceJSON

/// A statement list.
public struct StatementList: Sendable {
    /// Every entry that is an object and no include, also those that nobody can use.
    public var statements: [Statement]
    /// The URLs of the includes.
    public var includes: [LocatedText]
    /// The consumers that may drop the whole list because of one entry.
    public var endangeredFor: Set<StatementConsumer>
    public var range: SourceRange

    public init(
        statements: [Statement] = [], includes: [LocatedText] = [], endangeredFor: Set<StatementConsumer> = [],
        range: SourceRange
    ) {
        self.statements = statements
        self.includes = includes
        self.endangeredFor = endangeredFor
        self.range = range
    }

    /// The statements that a consumer can use.
    public func statements(for consumer: StatementConsumer) -> [Statement] {
        statements.filter { $0.consumers.contains(consumer) }
    }
}
