// The rules of an app file in a form that a server can evaluate on bytes, without Apple's pattern syntax: a few patterns to
// compare with the path and the query of a request as they were sent.
//
// A rule that this form cannot express is omitted on the safe side: an including rule is dropped, and an excluding rule
// ends the list. So if the compiled rules include a path, the app opens it. The reverse does not always hold.

/// A rule with its variables replaced by their values.
public struct CompiledRule: Hashable, Sendable {
    public var excludes: Bool
    /// Whether ASCII letters are compared without case. The patterns are in lower case then.
    public var foldsCase: Bool
    /// For the normalised path: runs of `/` and of `*` are one character, and it ends with `/` or `*`.
    public var path: [UInt8]?
    public var query: Query?

    /// A condition on the query.
    public enum Query: Hashable, Sendable {
        case whole([UInt8])
        case items([Item])
    }

    /// Every parameter with this name must match. A missing one counts as empty.
    public struct Item: Hashable, Sendable {
        public var name: [UInt8]
        public var pattern: [UInt8]
    }

    /// The meaning of a pattern byte below space: one character of a class. Requests have no such bytes.
    public enum CharacterClass: UInt8, CaseIterable, Sendable {
        case letter = 1
        case upper
        case lower
        case alphanumeric
        case digit
        case hexadecimal
    }
}

extension AppFile {
    /// The rules in this form, in order. A browser does not send the fragment, so it counts as absent.
    public var compiledRules: [CompiledRule] {
        let table = SubstitutionTable(ios?.variables ?? [])
        var rules: [CompiledRule] = []
        for link in links {
            let component = link.inheriting(from: defaults)
            let found = RuleCompiler(component, table: table).rules
            if let found, rules.count + found.count <= RuleCompiler.rulesOfAppMax {
                rules += found
            } else if component.exclude == true {
                break
            }
        }
        return rules
    }
}

/// Compiles one component.
struct RuleCompiler {
    /// Compiled rules of one rule, and of all rules of an app.
    static let variantsMax = 2_048
    static let rulesOfAppMax = 4_096

    private let component: AppleComponent
    private let table: SubstitutionTable
    private let folds: Bool

    init(_ component: AppleComponent, table: SubstitutionTable) {
        (self.component, self.table) = (component, table)
        folds = component.caseSensitive == false
    }

    /// Empty if the rule matches no request; nil if this form cannot express it.
    var rules: [CompiledRule]? {
        if let fragment = component.fragment {
            let pattern = GlobPattern(ParsedPattern(fragment), folds: folds, table: table)
            if !pattern.matches([]) { return [] }
        }
        // Such a rule is compared with decoded text, in which an encoded slash is a slash. The sent bytes differ from it.
        if component.percentEncoded == false, component.path != nil || component.query != nil { return nil }
        var rules = [CompiledRule(excludes: component.exclude == true, foldsCase: folds)]
        if let path = component.path {
            guard let patterns = patterns(path, isPath: true), multiply(&rules, by: patterns, { $0.path = $1 }) else {
                return nil
            }
        }
        switch component.query {
        case nil: return rules
        case .whole(let text):
            guard let patterns = patterns(text) else { return nil }
            return multiply(&rules, by: patterns, { $0.query = .whole($1) }) ? rules : nil
        case .items(let items):
            for index in rules.indices { rules[index].query = .items([]) }
            for item in items {
                guard let patterns = patterns(item.pattern) else { return nil }
                let name = Array(item.name.utf8)
                let isInBounds = multiply(&rules, by: patterns) { rule, pattern in
                    guard case .items(let known) = rule.query else { return }
                    rule.query = .items(known + [CompiledRule.Item(name: name, pattern: pattern)])
                }
                guard isInBounds else { return nil }
            }
            return rules
        }
    }

    /// Replaces each rule with one for each pattern. False if there would be too many.
    private func multiply(
        _ rules: inout [CompiledRule], by patterns: [[UInt8]], _ set: (inout CompiledRule, [UInt8]) -> Void
    ) -> Bool {
        guard rules.count * patterns.count <= Self.variantsMax else { return false }
        rules = rules.flatMap { rule in
            patterns.map { pattern in
                var rule = rule
                set(&rule, pattern)
                return rule
            }
        }
        return true
    }

    /// A pattern with its variables replaced by their values; nil if there would be too many.
    private func patterns(_ text: String, isPath: Bool = false) -> [[UInt8]]? {
        // Most patterns have no variables and need not be read character by character.
        if !folds, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "$") }) {
            return [isPath ? AppleSlashes.normalised(Array(text.utf8)) : Array(text.utf8)]
        }
        let written = ParsedPattern(text)
        let pattern = isPath ? AppleSlashes.normalised(written) : written
        var variants: [[UInt8]] = [[]]
        for token in pattern.tokens {
            var next: [[UInt8]] = []
            switch token {
            case .broken: return []
            case .variable(let index):
                let name = pattern.names[index]
                if let character = characterClass(name) {
                    next = [[character.rawValue]]
                    break
                }
                guard let values = PatternVariants(table: table, limit: Self.variantsMax).values(of: name) else {
                    return []
                }
                guard variants.count * values.count <= Self.variantsMax else { return nil }
                next = values.compactMap { value in
                    value.reduce([UInt8]?([])) { text, token in text.flatMap { text in bytes(token).map { text + $0 } }
                    }
                }
            case .scalar, .any, .star: next = [bytes(token)].compactMap { $0 }
            }
            variants = variants.flatMap { start in next.map { start + $0 } }
        }
        return variants
    }

    /// The bytes of one token; nil for a character that is in no request.
    private func bytes(_ token: PatternToken) -> [UInt8]? {
        switch token {
        case .star: return [UInt8(ascii: "*")]
        case .any: return [UInt8(ascii: "?")]
        case .variable, .broken: return nil
        case .scalar(let scalar):
            let character = folds ? scalar.folded : scalar
            guard character.isASCII, character.value > 0x20, character.value < 0x7F else { return nil }
            return [UInt8(character.value)]
        }
    }

    /// The class of a predefined variable; nil if the app file defines a variable with this name.
    private func characterClass(_ name: String) -> CompiledRule.CharacterClass? {
        if table.values(of: name) != nil { return nil }
        switch name {
        case "alpha": return .letter
        case "upper": return folds ? .letter : .upper
        case "lower": return folds ? .letter : .lower
        case "alnum": return .alphanumeric
        case "digit": return .digit
        case "xdigit": return .hexadecimal
        default: return nil
        }
    }
}
