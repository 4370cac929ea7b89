// The variables of all apps on a host in the one table that the document has.
//
// A name may mean different things to different apps, and a custom name may hide one that Apple defines, which is not
// known to work the same everywhere. Such a variable gets another name; nobody but the document's reader sees it.

/// Collects variables and gives each meaning a name of its own.
struct VariableTable {
    private(set) var variables: [SubstitutionVariable] = []
    private var values: [String: [String]] = [:]

    /// Takes in what an app's rules use; returns the new names of those that had to change.
    mutating func add(_ app: AppFile) -> [String: String] {
        let used = Set(app.links.flatMap(\.patterns).flatMap(PatternToken.tokens).compactMap(\.variableName))
        var renamed: [String: String] = [:]
        for variable in app.ios?.variables ?? [] where used.contains(variable.name) {
            let name = name(for: variable)
            if name != variable.name { renamed[variable.name] = name }
        }
        return renamed
    }

    private mutating func name(for variable: SubstitutionVariable) -> String {
        for number in 1... {
            let name = number == 1 ? variable.name : "\(variable.name)_\(number)"
            if SubstitutionTable.predefinedNames.contains(name) { continue }
            if let known = values[name] {
                if known == variable.values { return name }
            } else {
                variables.append(SubstitutionVariable(name: name, values: variable.values))
                values[name] = variable.values
                return name
            }
        }
        return variable.name
    }
}

extension AppleComponent {
    /// Every pattern in the rule.
    var patterns: [String] {
        let queries: [String] =
            switch query {
            case nil: []
            case .whole(let pattern): [pattern]
            case .items(let items): items.map(\.pattern)
            }
        return [path, fragment].compactMap { $0 } + queries
    }

    /// The rule with variables called by other names.
    func renaming(_ names: [String: String]) -> AppleComponent {
        guard !names.isEmpty else { return self }
        let rename = { (pattern: String) in PatternToken.text(of: PatternToken.tokens(of: pattern), renaming: names) }
        var result = self
        result.path = path.map(rename)
        result.fragment = fragment.map(rename)
        switch query {
        case nil: break
        case .whole(let pattern): result.query = .whole(rename(pattern))
        case .items(let items):
            result.query = .items(items.map { QueryItemPattern(name: $0.name, pattern: rename($0.pattern)) })
        }
        return result
    }
}

extension PatternToken {
    /// The pattern as it is written, with some variables under other names. An unclosed variable does not come back as
    /// it was, but the reader lets no such rule pass.
    static func text(of tokens: [PatternToken], renaming names: [String: String] = [:]) -> String {
        var text = ""
        for token in tokens {
            switch token {
            case .scalar(let scalar): text.unicodeScalars.append(scalar)
            case .any: text += "?"
            case .star: text += "*"
            case .variable(let name): text += "$(\(names[name] ?? name))"
            case .broken: text += "$("
            }
        }
        return text
    }
}
