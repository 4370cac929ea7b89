// What is fuzzed: for each target a name, and a check that takes any bytes whatever. The check reads them as the program
// would, and complains where the answer breaks a promise; a trap is a complaint too. script/fuzz feeds a target what
// libFuzzer makes up, and the tests feed it everything that is kept in Fuzzing/.

/// One target of fuzzing.
public struct FuzzTarget: Sendable {
    /// As script/fuzz knows it, and as its folders below Fuzzing/ are called.
    public let name: String
    /// What is read, and what must hold.
    public let summary: String
    /// Throws a `Complaint` where something does not hold.
    public let check: @Sendable ([UInt8]) throws -> Void

    public static let all: [FuzzTarget] = [
        .request, .json, .apple, .statements, .patterns, .appfile, .certificates, .state, .records, .fields,
        .neighbours, .response, .template, .fronts, .tenant, .names, .authority,
    ]

    public static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// A promise that was not kept.
public struct Complaint: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}

/// Complains unless the condition holds.
func demand(_ condition: Bool, _ complaint: @autoclosure () -> String) throws(Complaint) {
    if !condition { throw Complaint(complaint()) }
}
