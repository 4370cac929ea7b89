// What reading an assetlinks.json file gives.

/// What reading a statement list gave.
public struct StatementReading: Sendable {
    /// Nil where no consumer sees a list.
    public let list: StatementList?
    /// In the order of the text.
    public let findings: [Finding]
}
