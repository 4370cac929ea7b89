// One rule of an Apple list with its defaults inherited and its patterns compiled.

/// A compiled Apple rule. A part that is nil is not compared.
package struct AppleRule: Sendable {
    package let component: AppleComponent
    package let excludes: Bool
    /// How the URL is transformed before it is compared.
    package let reading: URLReading
    package private(set) var path: GlobPattern?
    package private(set) var query: Query?
    package let fragment: GlobPattern?
    /// Doubts about the rule that apply to any URL.
    package let doubts: [UndocumentedBehaviour.Kind]
    /// The path pattern can end on the slash that comparison adds.
    package let mayConsumeAddedSlash: Bool
    /// A pattern for the paths that match whether or not it may do that: those with the added slash left over. Nil if there is
    /// no difference.
    package let surePath: GlobPattern?

    package enum Query: Sendable {
        case whole(GlobPattern)
        case items([Item])

        package struct Item: Sendable {
            package let name: String
            package var nameBytes: [UInt8]
            package let pattern: GlobPattern
            package let written: String
        }
    }

    /// Compiles a component whose defaults have been inherited.
    package init(_ component: AppleComponent, table: SubstitutionTable, doubts: [UndocumentedBehaviour.Kind] = []) {
        self.component = component
        excludes = component.exclude ?? false
        reading = URLReading(decodes: component.percentEncoded == false, folds: component.caseSensitive == false)
        let folds = reading.folds
        func compile(_ pattern: ParsedPattern) -> GlobPattern { GlobPattern(pattern, folds: folds, table: table) }
        let pathPattern = component.path.map { AppleSlashes.normalised(ParsedPattern($0)) }
        path = pathPattern.map(compile)
        fragment = component.fragment.map { compile(ParsedPattern($0)) }
        query = component.query.map { query in
            switch query {
            case .whole(let pattern): .whole(compile(ParsedPattern(pattern)))
            case .items(let items):
                .items(
                    items.map { item in
                        Query.Item(
                            name: item.name, nameBytes: Array(item.name.utf8),
                            pattern: compile(ParsedPattern(item.pattern)), written: item.pattern)
                    })
            }
        }
        mayConsumeAddedSlash = pathPattern.map { AppleSlashes.mayConsumeAddedSlash($0.tokens) } ?? false
        surePath =
            mayConsumeAddedSlash
            ? pathPattern.map { pattern in
                var longer = pattern
                longer.tokens.append(.slash)
                return compile(longer)
            } : nil
        self.doubts = doubts + Self.doubts(about: component, pathNames: pathPattern?.names ?? [], table: table)
    }

    package var withoutPath: AppleRule {
        var rule = self
        rule.path = nil
        return rule
    }

    package var withoutQuery: AppleRule {
        var rule = self
        rule.query = nil
        return rule
    }

    private static func doubts(
        about component: AppleComponent, pathNames: [String], table: SubstitutionTable
    ) -> [UndocumentedBehaviour.Kind] {
        let patterns = component.patterns
        var doubts: [UndocumentedBehaviour.Kind] = component.unreadFlags.isEmpty ? [] : [.flagOfWrongType]
        if patterns.contains(where: { $0.utf8.contains(UInt8(ascii: "\\")) }) { doubts.append(.backslash) }
        if component.path.flatMap(DotSegments.removed) != nil { doubts.append(.dotSegments) }
        let withVariables = patterns.filter { $0.utf8.contains(UInt8(ascii: "$")) }
        if withVariables.isEmpty { return doubts }
        let names = withVariables.flatMap { ParsedPattern($0).names }
        if names.contains(where: table.shadowsPredefined) { doubts.append(.shadowedVariable) }
        if names.contains(where: table.dropsValues) { doubts.append(.nestedVariable) }
        if names.contains(where: table.isBare) { doubts.append(.bareVariable) }
        if pathNames.contains(where: table.bringsSlash) { doubts.append(.variableSlash) }
        return doubts
    }
}

extension AppleRule.Query.Item {
    package func foldingName() -> Self {
        var item = self
        item.nameBytes = Array(name.folded.utf8)
        return item
    }
}
