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
            rule: HouseRule.whiteSpace.name, subject: "deploy/fronts/Caddyfile",
            reason: "as `caddy fmt` writes it, with tabs"),
        Exception(
            rule: HouseRule.output.name, subject: "Sources/Program/Supervision/Process/Console.swift",
            reason: "the one place: it escapes whatever goes to a person or into the log"),
        Exception(
            rule: HouseRule.output.name, subject: "Sources/System/Posix/Processes/BugExit.swift",
            reason: "the last words of a broken process, which are StaticString and need no memory"),
        Exception(
            rule: HouseRule.output.name, subject: "Sources/System/Posix/Files/LogOutput.swift",
            reason: "the descriptors themselves: for the access log, whose lines LineCursor escapes"),
        Exception(
            rule: HouseRule.testCompanion.name, subject: "Sources/Formats/Association/Model/AppFile.swift",
            reason: "the model that AppFileReader makes, tested with it in AppFileReaderTests"),
        Exception(
            rule: HouseRule.testCompanion.name, subject: "Sources/Formats/Association/Reading/AppFileReading.swift",
            reason: "the door to AppFileReader; every test of AppFileReaderTests goes through it"),
        Exception(
            rule: HouseRule.testCompanion.name, subject: "Sources/Formats/Association/Reading/StatementReader.swift",
            reason: "what makes a StatementList; every test of StatementListTests goes through it"),
        Exception(
            rule: HouseRule.testCompanion.name, subject: "Sources/Formats/AssociationLint/Search/RuleList.swift",
            reason: "what RuleComparison compares; RuleComparisonTests makes it from rules of both platforms"),
    ]
}
