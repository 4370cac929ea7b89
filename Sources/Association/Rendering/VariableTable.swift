// The variables of all apps on a host in the one table that the document has.
//
// A name may mean different things to different apps, and a custom name may hide one that Apple defines, which is not
// known to work the same everywhere. Such a variable gets another name; nobody but the document's reader sees it.

import SourceJSON

/// Collects variables and gives each meaning a name of its own.
struct VariableTable {
    private(set) var variables: [SubstitutionVariable] = []
    private var values: [ExactText: [String]] = [:]

    /// Takes in what an app's rules use; returns the new names of those that had to change.
    mutating func add(_ app: AppFile) -> [ExactText: String] {
        if app.ios?.variables.isEmpty != false { return [:] }
        let used = Set(app.links.flatMap(\.patterns).flatMap { ParsedPattern($0).names.map(ExactText.init(_:)) })
        var renamed: [ExactText: String] = [:]
        for variable in app.ios?.variables ?? [] where used.contains(ExactText(variable.name)) {
            let name = name(for: variable)
            if !name.isIdentical(to: variable.name) { renamed[ExactText(variable.name)] = name }
        }
        return renamed
    }

    private mutating func name(for variable: SubstitutionVariable) -> String {
        for number in 1... {
            let name = number == 1 ? variable.name : "\(variable.name)_\(number)"
            if SubstitutionTable.predefinedNames.contains(name) { continue }
            if let known = values[ExactText(name)] {
                if known.elementsEqual(variable.values, by: { $0.isIdentical(to: $1) }) { return name }
            } else {
                variables.append(SubstitutionVariable(name: name, values: variable.values))
                values[ExactText(name)] = variable.values
                return name
            }
        }
        return variable.name
    }
}
