// The variables that a pattern may name: those of the file and Apple's own.

import SourceJSON

/// The names of a file's variables, gathered once for all its patterns.
struct VariableNames {
    private let own: Set<ExactText>
    /// What a name that is not defined is compared with; a file may define thousands.
    let compared: [String]

    private static let comparedMax = 100

    init(_ variables: [SubstitutionVariable]) {
        own = Set(variables.map { ExactText($0.name) })
        compared = variables.prefix(Self.comparedMax).map(\.name) + SubstitutionTable.predefinedNames.sorted()
    }

    func contain(_ name: String) -> Bool {
        own.contains(ExactText(name)) || SubstitutionTable.predefinedNames.contains(name)
    }
}
