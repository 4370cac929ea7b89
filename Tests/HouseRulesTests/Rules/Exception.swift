// What may be otherwise, and why. An exception that is no longer needed fails the tests too, so the list stays short.

/// One subject that one rule leaves alone.
struct Exception {
    /// The rule's name.
    var rule: String
    /// A file, or for the length of a function `file function`.
    var subject: String
    var reason: String

    static let all = [
        Exception(
            rule: HouseRule.testCompanion.name, subject: "Sources/Association/AppFile/AppFile.swift",
            reason: "the model that AppFileReader makes, tested with it in AppFileReaderTests"),
        Exception(
            rule: HouseRule.testCompanion.name, subject: "Sources/Association/AppFile/AppFile+Read.swift",
            reason: "the door to AppFileReader; every test of AppFileReaderTests goes through it"),
        Exception(
            rule: HouseRule.testCompanion.name, subject: "Sources/Association/Automata/RuleList.swift",
            reason: "what RuleComparison compares; RuleComparisonTests makes it from rules of both platforms"),
    ]
}
