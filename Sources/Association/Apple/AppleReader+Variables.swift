// `substitutionVariables`, and who uses them.

import SourceJSON

extension AppleReader {
    mutating func readVariables(_ value: SourceValue) {
        guard case .object(let members) = value.kind else {
            findings.report(
                .aasa064, at: value.range,
                "substitutionVariables is \(value.spokenName), so no variable is defined",
                fix: "write an object of names and arrays of strings")
            return
        }
        variables = members.map { member in
            if SubstitutionTable.predefinedNames.contains(member.key) {
                findings.report(
                    .aasa063, at: member.keyRange,
                    "variable \(member.key.quoted) has the name of a predefined one and, as far as is known, replaces "
                        + "it in the whole file",
                    fix: "choose another name")
            }
            if member.key.unicodeScalars.contains(where: "$()".unicodeScalars.contains) {
                findings.report(
                    .aasa064, at: member.keyRange,
                    "variable \(member.key.quoted) has a name that no pattern can write between $( and ), so it is "
                        + "never used",
                    fix: "choose a name without $, ( and )")
                usedVariables.insert(ExactText(member.key))
            }
            var variable = SubstitutionVariable(name: member.key, values: values(of: member))
            if case .string = member.value.kind { variable.isBare = true }
            return variable
        }
        for member in members { variableRanges[ExactText(member.key)] = member.keyRange }
    }

    private mutating func values(of member: SourceMember) -> [String] {
        let elements: [SourceValue]
        switch member.value.kind {
        case .array(let array): elements = array
        case .string:
            findings.report(
                .aasa064, at: member.value.range,
                "variable \(member.key.quoted) is a string; it seems to be read as its only value, but values are "
                    + "documented to stand in an array",
                fix: "write an array of strings", edit: findings.wrapping(member.value.range, in: "[", "]"))
            elements = [member.value]
        default:
            findings.report(
                .aasa064, at: member.value.range,
                "variable \(member.key.quoted) is \(member.value.spokenName), so it has no value and a pattern with it "
                    + "never matches",
                fix: "write an array of strings")
            return []
        }
        let values = elements.compactMap { value($0, of: member.key) }
        if elements.isEmpty {
            findings.report(
                .aasa064, at: member.value.range,
                "variable \(member.key.quoted) has no value, so a pattern with it never matches",
                fix: "add values, or remove the variable")
        }
        return values
    }

    private mutating func value(_ element: SourceValue, of name: String) -> String? {
        guard case .string(let text) = element.kind else {
            findings.report(
                .aasa064, at: element.range,
                "a value of variable \(name.quoted) is \(element.spokenName), so it matches nothing",
                fix: "put it in quotation marks")
            return nil
        }
        if text.contains(run: "$(") {
            findings.report(
                .aasa062, at: element.range,
                "the value \(text.quoted) of variable \(name.quoted) refers to a variable, which Apple does not allow; "
                    + "the value is dropped",
                fix: "write the alternatives out")
            return nil
        }
        lookForUK(text)
        return text
    }

    /// Remembers the variables of a pattern.
    mutating func note(variablesOf pattern: String, at range: SourceRange) {
        let names = ParsedPattern(pattern).names
        guard !names.isEmpty else { return }
        findings.reportOnce(
            .aasa067, at: range,
            "the pattern uses a variable, which needs iOS 13.5 or macOS 10.15.6; on older systems it never matches")
        usedVariables.formUnion(names.map(ExactText.init(_:)))
        if names.contains("region"), !variables.contains(where: { $0.name == "region" }) {
            regionUse = regionUse ?? range
        }
    }

    /// Whether an author speaks of the United Kingdom by the code that `$(region)` lacks.
    mutating func lookForUK(_ text: String) {
        let words = text.lowercased().split { !($0.isLetter || $0.isNumber) }
        if words.contains("uk") { mentionsUK = true }
    }

    mutating func reportVariables(_ links: AppleLinks?) {
        for variable in variables where !usedVariables.contains(ExactText(variable.name)) {
            findings.report(
                .aasa065, at: variableRanges[ExactText(variable.name)],
                "variable \(variable.name.quoted) is never used",
                fix: "remove it")
        }
        if let regionUse, mentionsUK {
            findings.report(
                .aasa066, at: regionUse,
                "$(region) stands for ISO codes, in which the United Kingdom is GB, so it does not match UK, which "
                    + "this file speaks of",
                fix: "define a variable of your own with the codes that your URLs use")
        }
    }
}
