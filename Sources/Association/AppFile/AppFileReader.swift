// From the values of an app file to the model. One reader walks one file, collects findings and goes on after each,
// so that a person sees every mistake at once; the file counts only when none of them is an error.

import SourceJSON

/// Reads one app file and remembers what was wrong with it.
struct AppFileReader {
    var findings: FindingList
    /// The names under `environments`.
    var environments: [String] = []
    /// Where `environments` stands.
    var overlays: SourceRange?
    /// The hosts of all environments, where there are any.
    var allHosts: [HostPattern] = []

    /// Whether everything that the examples are held against could be read; an example that could not is no reason to
    /// let the others go.
    var isFitForExamples = false

    /// Entries of one array: more hosts, ids or rules than any document made from the file can hold.
    static let elementsMax = 10_000
    /// Hosts times what each of them says of the app: at each change of the file it is compared with what is live.
    static let factsMax = 250_000
    /// Characters of one example; no URL that anybody opens is longer.
    static let exampleLengthMax = 2_048
    /// Examples are run at every reading, each against all the rules.
    static let examplesMax = 1_000
    static let variablesMax = 1_000
    static let environmentsMax = 100
    /// Characters of one pattern; no URL that anybody opens is longer.
    static let patternMax = 2_048

    init(_ document: SourceDocument, file: String) {
        findings = FindingList(file: file)
        findings.text = document.text
    }

    mutating func report(
        _ rule: RuleID, _ range: SourceRange?, _ message: String, fix: String? = nil, edit: SourceEdit? = nil
    ) {
        findings.report(rule, at: range, message, fix: fix, edit: edit)
    }

    mutating func wrongType(
        _ value: SourceValue, _ place: String, wanted: String, fix: String? = nil, edit: SourceEdit? = nil
    ) {
        report(
            .app005, value.range, "\(place.quoted) is \(value.spokenName), and must be \(wanted)", fix: fix,
            edit: edit)
    }
}
