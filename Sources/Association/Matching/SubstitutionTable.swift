// What `$(name)` stands for: the file's own variables, then the predefined ones (reference A.6.8).

import SourceJSON

/// Resolves variables to what they match.
struct SubstitutionTable: Sendable {
    /// The file's own variables, without those of their values that refer to another variable.
    private let custom: [ExactText: [String]]
    /// The variables that lost values for that.
    private let incomplete: Set<ExactText>
    /// The variables with a value that is empty, or that has a slash at an end.
    private let withSlash: Set<ExactText>
    /// Predefined names go before the file's own; the reading that the engine does not follow.
    private var prefersPredefined = false
    /// The variables that were written as one string, and whether they count as undefined: the reading that is not
    /// followed.
    private let bare: Set<ExactText>
    private var dropsBare = false

    /// Bytes of all values of each.
    private let valueBytes: [ExactText: Int]

    /// Each of the file's own variables, compiled once for exact and once for folded comparison.
    private let compiled: [Bool: [ExactText: GlobElement]]

    init(_ variables: [SubstitutionVariable]) {
        // Of a name that is written twice the last counts, as of every key of a file.
        let values = Dictionary(
            variables.map { (ExactText($0.name), $0.values) }, uniquingKeysWith: { _, last in last })
        let usable = values.mapValues { $0.filter { !Self.refersToVariable($0) } }
        custom = usable
        bare = Set(variables.lazy.filter(\.isBare).map { ExactText($0.name) })
        withSlash = Set(
            usable.lazy.filter { $0.value.contains { $0.isEmpty || $0.begins(with: "/") || $0.ends(with: "/") } }.map(
                \.key)
        )
        valueBytes = values.mapValues { $0.reduce(0) { $0 + $1.utf8.count } }
        incomplete = Set(values.keys.filter { usable[$0]?.count != values[$0]?.count })
        compiled = Dictionary(
            uniqueKeysWithValues: [false, true].map { folds in
                (folds, usable.mapValues { Self.compile($0, folds: folds) })
            })
    }

    /// The same table in the reading in which a predefined name keeps its meaning.
    var preferringPredefined: SubstitutionTable {
        var table = self
        table.prefersPredefined = true
        return table
    }

    /// The same table in the reading in which a string in place of an array defines nothing.
    var droppingBare: SubstitutionTable {
        var table = self
        table.dropsBare = true
        return table
    }

    /// The names Apple defines.
    static let predefinedNames: Set<String> = ["alpha", "upper", "lower", "alnum", "digit", "xdigit", "region", "lang"]

    /// The file's own values of a variable, without those that refer to another variable.
    func values(of name: String) -> [String]? { custom[ExactText(name)] }

    var isEmpty: Bool { valueBytes.isEmpty }

    /// How many bytes all values of one of the file's own variables have together.
    func bytes(ofValuesOf name: String) -> Int { valueBytes[ExactText(name)] ?? 0 }

    func shadowsPredefined(_ name: String) -> Bool {
        Self.predefinedNames.contains(name) && custom[ExactText(name)] != nil
    }

    func isBare(_ name: String) -> Bool { bare.contains(ExactText(name)) }

    func dropsValues(of name: String) -> Bool { incomplete.contains(ExactText(name)) }

    /// Whether slashes of a value stand where those of a pattern are brought into one form.
    func bringsSlash(_ name: String) -> Bool { withSlash.contains(ExactText(name)) }

    /// What a variable matches; an undefined one never does.
    func element(for name: String, folds: Bool) -> GlobElement {
        if dropsBare, isBare(name) { return Self.predefined(name, folds: folds) ?? .never }
        if prefersPredefined, let element = Self.predefined(name, folds: folds) { return element }
        return compiled[folds]?[ExactText(name)] ?? Self.predefined(name, folds: folds) ?? .never
    }

    private static func compile(_ values: [String], folds: Bool) -> GlobElement {
        var plain: [[UInt8]] = []
        var patterns: [[GlobElement]] = []
        for value in values {
            let elements = GlobPattern.elements(of: ParsedPattern(value), folds: folds, table: nil)
            switch (elements.first, elements.count) {
            case (nil, _): plain.append([])
            case (.literal(let bytes), 1): plain.append(bytes)
            default: patterns.append(elements)
            }
        }
        return .choice(GlobChoice(plain: ByteTrie(plain), patterns: patterns))
    }

    private static func refersToVariable(_ value: String) -> Bool {
        guard value.utf8.contains(UInt8(ascii: "$")) else { return false }
        let tokens = PatternToken.tokens(of: value)
        return tokens.contains { token in
            switch token {
            case .variable, .broken: true
            case .scalar, .any, .star: false
            }
        }
    }

    private static let upper = Array(UInt8(ascii: "A")...UInt8(ascii: "Z"))
    private static let lower = Array(UInt8(ascii: "a")...UInt8(ascii: "z"))
    private static let digits = Array(UInt8(ascii: "0")...UInt8(ascii: "9"))

    private static func predefined(_ name: String, folds: Bool) -> GlobElement? {
        let bytes: [UInt8]
        switch name {
        case "alpha": bytes = upper + lower
        case "upper": bytes = upper
        case "lower": bytes = lower
        case "alnum": bytes = upper + lower + digits
        case "digit": bytes = digits
        case "xdigit": bytes = digits + upper.prefix(6) + lower.prefix(6)
        case "region": return .choice(folds ? foldedRegions : regions)
        case "lang": return .choice(folds ? foldedLanguages : languages)
        default: return nil
        }
        return .oneOf(ByteSet(folds ? bytes.map(ASCII.lowercased) : bytes))
    }

    // Both spellings of each code are in the list, and none that mixes them.
    private static let regions = choice(ISOCodes.regions, folds: false)
    private static let foldedRegions = choice(ISOCodes.regions, folds: true)
    private static let languages = choice(ISOCodes.languages, folds: false)
    private static let foldedLanguages = choice(ISOCodes.languages, folds: true)

    private static func choice(_ codes: [String], folds: Bool) -> GlobChoice {
        let lowered = codes.map { $0.utf8.map(ASCII.lowercased) }
        let raised = codes.map { code in code.utf8.map { ASCII.isLetter($0) ? $0 & 0xDF : $0 } }
        return GlobChoice(plain: ByteTrie(folds ? lowered : lowered + raised), patterns: [])
    }
}
