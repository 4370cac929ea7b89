// The variables of an apple-app-site-association file: what `substitutionVariables` defines, and which of it the patterns use.

import SourceJSON

/// Reads variables and records their use.
struct AppleVariables {
    private let findings: FindingCollector
    private(set) var all: [SubstitutionVariable] = []
    private(set) var names = VariableNames([])
    private var ranges: [ExactText: SourceRange] = [:]
    private var used: Set<ExactText> = []
    /// The place of the first `$(region)`, and whether any text has the word UK: together they are a mistake.
    private var regionUse: SourceRange?
    private var mentionsUK = false

    init(_ findings: FindingCollector) { self.findings = findings }

    mutating func read(_ value: SourceValue) {
        let members = findings.read(
            \.asObject, of: value, "substitutionVariables", .aasa064, "so no variable is defined",
            fix: "write an object of names and arrays of strings")
        guard let members else { return }
        all = members.map { member in
            let name = "variable \(member.key.quoted)"
            if SubstitutionTable.predefinedNames.contains(member.key) {
                findings.report(
                    .aasa063, at: member.keyRange,
                    "\(name) has the name of a predefined variable and, as far as is known, replaces it in the whole "
                        + "file",
                    fix: "choose another name")
            }
            if member.key.unicodeScalars.contains(where: "$()".unicodeScalars.contains) {
                findings.report(
                    .aasa064, at: member.keyRange,
                    "\(name) cannot be written as $(name) in a pattern, so it is never used",
                    fix: "choose a name without $, ( and )")
                used.insert(ExactText(member.key))
            }
            var variable = SubstitutionVariable(name: member.key, values: values(of: member, name))
            variable.isBare = member.value.asString != nil
            return variable
        }
        names = VariableNames(all)
        for member in members { ranges[ExactText(member.key)] = member.keyRange }
    }

    private mutating func values(of member: SourceMember, _ name: String) -> [String] {
        var elements = [member.value]
        if member.value.asString == nil {
            let array = findings.read(
                \.asArray, of: member.value, name, .aasa064, "so it has no value and its patterns never match",
                fix: "write an array of strings")
            guard let array else { return [] }
            elements = array
        } else {
            findings.report(
                .aasa064, at: member.value.range,
                "\(name) is a string; systems seem to read it as the only value, but only arrays are documented",
                fix: "write an array of strings", edit: findings.list.wrapping(member.value.range, in: "[", "]"))
        }
        if elements.isEmpty {
            findings.report(
                .aasa064, at: member.value.range, "\(name) has no value, so its patterns never match",
                fix: "add values, or remove the variable")
        }
        return elements.compactMap { element in
            let text = findings.read(
                \.asString, of: element, "a value of \(name)", .aasa064, "so it matches nothing",
                fix: "put it in quotation marks", converts: false)
            guard let text else { return nil }
            if text.contains(run: "$(") {
                findings.report(
                    .aasa062, at: element.range,
                    "the value \(text.quoted) of \(name) refers to a variable, so Apple ignores the value",
                    fix: "write the text that it stands for")
                return nil
            }
            lookForUK(text)
            return text
        }
    }

    /// Records the variables in a pattern.
    mutating func noteUse(in pattern: String, at range: SourceRange) {
        let names = ParsedPattern(pattern).names
        guard !names.isEmpty else { return }
        findings.list.reportOnce(
            .aasa067, at: range,
            "variables need iOS 13.5 or macOS 10.15.6; on earlier versions the pattern never matches")
        used.formUnion(names.map(ExactText.init(_:)))
        if names.contains("region"), !all.contains(where: { $0.name == "region" }) { regionUse = regionUse ?? range }
    }

    /// Records whether an author means the United Kingdom by the code that `$(region)` does not have.
    mutating func lookForUK(_ text: String) {
        if text.lowercased().split(whereSeparator: { !($0.isLetter || $0.isNumber) }).contains("uk") {
            mentionsUK = true
        }
    }

    /// Reports variables that no pattern uses, and UK in a file with `$(region)`.
    func reportUse() {
        for variable in all where !used.contains(ExactText(variable.name)) {
            findings.report(
                .aasa065, at: ranges[ExactText(variable.name)], "no pattern uses variable \(variable.name.quoted)",
                fix: "remove it")
        }
        guard mentionsUK, let regionUse else { return }
        findings.report(
            .aasa066, at: regionUse,
            "$(region) has ISO codes, and the one of the United Kingdom is GB, so it does not match UK in this file",
            fix: "define a variable with the codes that your URLs use")
    }
}
