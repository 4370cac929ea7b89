// The rules of an app file in a form that a server can decide with bytes alone, without knowing Apple's dialect: a
// handful of patterns to be compared with a request's path and query as they were sent.
//
// What the form cannot say is left out on the safe side: a rule that includes is dropped, one that excludes ends the
// list. So a path that the plain rules include is always one that the app opens, though not the other way round.

/// A rule whose variables are written out.
public struct CompiledRule: Hashable, Sendable {
    public var excludes: Bool
    /// Letters of ASCII are compared without their case. The patterns are in lower case then.
    public var foldsCase: Bool
    /// For the path in its normal form: runs of `/` and of `*` as one, `/` at the end unless a `*` stands there.
    public var path: [UInt8]?
    public var query: Query?

    /// A condition on the query.
    public enum Query: Hashable, Sendable {
        case whole([UInt8])
        case items([Item])
    }

    /// Every item of this name must match; an absent one counts as empty.
    public struct Item: Hashable, Sendable {
        public var name: [UInt8]
        public var pattern: [UInt8]
    }

    /// What a byte of a pattern below space stands for: one character of a class. No request has such bytes.
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
    /// The rules in their plain form, in order. Fragments never reach a server, so they count as absent.
    public var compiledRules: [CompiledRule] {
        let table = SubstitutionTable(ios?.variables ?? [])
        let defaults = [(ios?.defaults ?? AppleDefaults()).component]
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

/// Makes plain rules of one component.
struct RuleCompiler {
    /// How many rules one rule may become, and all rules of an app together.
    static let variantsMax = 2_048
    static let rulesOfAppMax = 4_096

    private let component: AppleComponent
    private let table: SubstitutionTable
    private let folds: Bool

    init(_ component: AppleComponent, table: SubstitutionTable) {
        self.component = component
        self.table = table
        folds = component.caseSensitive == false
    }

    /// Empty when the rule matches nothing that a server is asked for; nil when the form cannot say what it matches.
    var rules: [CompiledRule]? {
        if let fragment = component.fragment {
            let pattern = GlobPattern(ParsedPattern(fragment), folds: folds, table: table)
            if !pattern.matches([]) { return [] }
        }
        // Compared with decoded text, in which an encoded slash is a slash: the bytes that were sent do not show it.
        if component.percentEncoded == false, component.path != nil || component.query != nil { return nil }
        var rules = [CompiledRule(excludes: component.exclude == true, foldsCase: folds)]
        if let path = component.path {
            guard let patterns = plainPath(path) ?? patterns(AppleSlashes.normalised(ParsedPattern(path))) else {
                return nil
            }
            guard multiply(&rules, by: patterns, { $0.path = $1 }) else { return nil }
        }
        switch component.query {
        case nil: return rules
        case .whole(let text):
            guard let patterns = plainText(text).map({ [$0] }) ?? patterns(ParsedPattern(text)) else { return nil }
            return multiply(&rules, by: patterns, { $0.query = .whole($1) }) ? rules : nil
        case .items(let items):
            for index in rules.indices { rules[index].query = .items([]) }
            for item in items {
                guard let patterns = plainText(item.pattern).map({ [$0] }) ?? patterns(ParsedPattern(item.pattern))
                else { return nil }
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

    /// Makes of each rule one for each pattern. False when there would be too many.
    private func multiply(
        _ rules: inout [CompiledRule], by patterns: [[UInt8]], _ set: (inout CompiledRule, [UInt8]) -> Void
    ) -> Bool {
        guard rules.count * patterns.count <= Self.variantsMax else { return false }
        if patterns.count == 1 {
            for index in rules.indices { set(&rules[index], patterns[0]) }
            return true
        }
        rules = rules.flatMap { rule in
            patterns.map { pattern in
                var rule = rule
                set(&rule, pattern)
                return rule
            }
        }
        return true
    }

    /// The form of a path without variables, by its bytes: most paths are such.
    private func plainPath(_ path: String) -> [[UInt8]]? { plainText(path).map { [AppleSlashes.normalised($0)] } }

    /// Likewise of any other pattern; nil when it has to be looked at character by character.
    private func plainText(_ text: String) -> [UInt8]? {
        guard !folds, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "$") }) else { return nil }
        return Array(text.utf8)
    }

    /// A pattern with its variables written out; nil when there would be too many.
    private func patterns(_ pattern: ParsedPattern) -> [[UInt8]]? {
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

    /// The bytes of one token; nil for a character that no request can have.
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

    /// The class that a predefined variable is, unless the app file has a variable of that name.
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
