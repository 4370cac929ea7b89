// The rules of an app file in another dialect, with the way back: which line of `links` each came from, and which lines
// did not make it.

/// A translated list of rules.
package struct TranslatedList<Rule: Sendable>: Sendable {
    package var rules: [Rule] = []
    /// For each rule, the index of the link it was made from; -1 for one that stands for the end of the list.
    package var origins: [Int] = []
    /// The links that are left out, and why.
    package var obstacles: [Int: String] = [:]

    /// Every phone works through the list for every link.
    package static var rulesMax: Int { 10_000 }

    package mutating func append(_ translation: RuleTranslation<Rule>, of link: Int) {
        guard rules.count + translation.rules.count <= Self.rulesMax else {
            obstacles[link] = "a list of more than \(Self.rulesMax) rules"
            return
        }
        rules += translation.rules
        origins += Array(repeating: link, count: translation.rules.count)
        if let obstacle = translation.obstacle { obstacles[link] = obstacle }
    }

    /// The rules that were made from a link; they stand together.
    package func rules(of link: Int) -> ArraySlice<Rule> {
        // The origins ascend, so both ends are found by halving.
        let start = firstIndex { $0 >= link }
        return rules[start..<firstIndex { $0 > link }]
    }

    private func firstIndex(where isPast: (Int) -> Bool) -> Int {
        var low = 0
        var high = origins.count
        while low < high {
            let middle = (low + high) / 2
            if isPast(origins[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// What became of one rule in another dialect.
package struct RuleTranslation<Rule> {
    var rules: [Rule] = []
    /// What the other dialect cannot say, as the end of "it needs …". Without one and without rules, the rule matches
    /// nothing in its own dialect either.
    var obstacle: String?
}

extension AppFile {
    /// The rules for Android 15; nil where the app's manifest alone decides.
    package var androidRules: TranslatedList<AndroidRule>? {
        translation ?? translatedForAndroid
    }

    /// Keeps the translation for those who ask for it later: the examples and the document.
    mutating func rememberTranslation() { translation = translatedForAndroid }

    private var translatedForAndroid: TranslatedList<AndroidRule>? {
        guard let android, android.hasDynamicRules, android.relations.contains(AndroidApp.handleAllURLs),
            !links.isEmpty
        else { return nil }
        let translator = AndroidTranslator(defaults: ios?.defaults ?? AppleDefaults(), variables: ios?.variables ?? [])
        var list = TranslatedList<AndroidRule>()
        for (index, link) in links.enumerated() { list.append(translator.translate(link), of: index) }
        if list.rules.isEmpty {
            // An empty list would hand the decision back to the manifest, and open every link it has.
            list.rules = [.nothing]
            list.origins = [-1]
        }
        return list
    }

    /// The rules for iOS 9 to 12; nil where they are not asked for.
    package var legacyPaths: TranslatedList<String>? {
        guard let ios, ios.hasLegacyPaths, ios.services.contains(.applinks), !links.isEmpty else { return nil }
        let translator = LegacyTranslator(defaults: ios.defaults, variables: ios.variables)
        var list = TranslatedList<String>()
        for (index, link) in links.enumerated() { list.append(translator.translate(link), of: index) }
        return list
    }

    /// The rules as Apple's systems get them; nil where there is no iOS app that opens links.
    public var appleMatcher: AppleMatcher? {
        guard let ios, ios.services.contains(.applinks), !links.isEmpty else { return nil }
        return sourceMatcher
    }

    /// The rules as Android 15 gets them; nil where the app's manifest alone decides.
    public var androidMatcher: AndroidMatcher? { androidRules.map { AndroidMatcher(rules: $0.rules) } }

    /// The rules as they are written, whatever platform they are for: what the landing page goes by.
    public var sourceMatcher: AppleMatcher {
        sourceMatcher(first: links.count, table: SubstitutionTable(ios?.variables ?? []))
    }

    /// The same for the first rules of a list that is too long for a question about all of it.
    package func sourceMatcher(first count: Int, table: SubstitutionTable) -> AppleMatcher {
        AppleMatcher(
            components: Array(links.prefix(count)), defaults: [(ios?.defaults ?? AppleDefaults()).component],
            table: table)
    }
}

extension AndroidRule {
    /// Opens no link.
    package static var nothing: AndroidRule { AndroidRule(path: "*", exclude: true) }
}
