// One statement of a list: relations, a target, and the rules that narrow them.

public import SourceJSON

/// What a host says about a target.
public struct Statement: Sendable {
    /// The well-formed relations.
    public var relations: [LocatedText]
    /// Nil where it could not be read.
    public var target: StatementTarget?
    /// Android 15's rules for `handle_all_urls`; nil where there are none or Android discards them, which lets the
    /// manifest decide.
    public var dynamicRules: [AndroidRule]?
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
