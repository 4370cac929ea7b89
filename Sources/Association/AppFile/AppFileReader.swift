// From the values of an app file to the model. One reader walks one file, collects findings and goes on after each,
// so that a person sees every mistake at once; the file counts only when none of them is an error.

import SourceJSON

/// Reads one app file and remembers what was wrong with it.
struct AppFileReader {
    let file: String
    private(set) var findings: [Finding] = []
    private(set) var hasErrors = false
    /// The names under `environments`.
    var environments: [String] = []

    /// A file that was never meant as an app file could have a finding for each of its bytes; nobody reads past these.
    static let findingsMax = 500
    /// Entries of one array: more hosts, ids or rules than any document made from the file can hold.
    static let elementsMax = 10_000
    /// Examples are run at every reading, each against all the rules.
    static let examplesMax = 1_000
    static let variablesMax = 1_000
    static let environmentsMax = 100
    /// Characters of one pattern; no URL that anybody opens is longer.
    static let patternMax = 2_048

    init(file: String) { self.file = file }

    mutating func report(
        _ rule: AppFileRule, _ range: SourceRange?, _ message: String, fix: String? = nil, replacement: String? = nil
    ) {
        report(rule.rawValue, range, message, fix: fix, replacement: replacement)
    }

    /// For rules that app files share with the documents made from them.
    mutating func report(
        _ rule: String, _ range: SourceRange?, _ message: String, fix: String? = nil, replacement: String? = nil
    ) {
        let severity = LintRule.named(rule)?.severity ?? .error
        var edit: SourceEdit?
        if let range, let replacement { edit = SourceEdit(range: range, replacement: replacement) }
        report(
            Finding(
                rule: rule, severity: severity, file: file, range: range, message: message, fix: fix,
                edit: edit))
    }

    mutating func report(_ finding: Finding) {
        if finding.severity == .error { hasErrors = true }
        if findings.count < Self.findingsMax { findings.append(finding) }
    }

    mutating func wrongType(_ value: SourceValue, _ place: String, wanted: String, fix: String? = nil) {
        report(.wrongType, value.range, "\(place.quoted) is \(value.spokenName), and must be \(wanted)", fix: fix)
    }
}

/// The members of one object, each key known and at most once.
struct AppFileFields {
    /// The path of the object in the file, such as `ios`; empty at the top.
    let place: String
    let range: SourceRange
    let members: [SourceMember]

    subscript(key: String) -> SourceMember? { members.first { $0.key == key } }

    func path(_ key: String) -> String { place.isEmpty ? key : "\(place).\(key)" }
}

/// A value and where it was written.
struct Located<Value> {
    var value: Value
    var range: SourceRange
}

extension SourceValue {
    /// What a value is, as the end of "it is …".
    var spokenName: String {
        switch kind {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
