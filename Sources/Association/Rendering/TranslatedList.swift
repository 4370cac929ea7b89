// The rules of an app file in another dialect, with the way back: which line of `links` each came from, and which lines
// did not make it.

/// A translated list of rules.
struct TranslatedList<Rule> {
    var rules: [Rule] = []
    /// For each rule, the index of the link it was made from; -1 for one that stands for the end of the list.
    var origins: [Int] = []
    /// The links that are left out, and why.
    var obstacles: [Int: String] = [:]

    /// Every phone works through the list for every link.
    static var rulesMax: Int { 10_000 }

    mutating func append(_ translation: RuleTranslation<Rule>, of link: Int) {
        guard rules.count + translation.rules.count <= Self.rulesMax else {
            obstacles[link] = "a list of more than \(Self.rulesMax) rules"
            return
        }
        rules += translation.rules
        origins += Array(repeating: link, count: translation.rules.count)
        if let obstacle = translation.obstacle { obstacles[link] = obstacle }
    }

    /// The rules that were made from a link; they stand together.
    func rules(of link: Int) -> ArraySlice<Rule> {
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

extension AppFile {
    /// The rules for Android 15; nil where the app's manifest alone decides.
    var androidRules: TranslatedList<AndroidRule>? {
        guard let android, android.hasDynamicRules, !links.isEmpty else { return nil }
        let translator = AndroidTranslator(defaults: ios?.defaults ?? AppleDefaults(), variables: ios?.variables ?? [])
        var list = TranslatedList<AndroidRule>()
        for (index, link) in links.enumerated() { list.append(translator.translate(link), of: index) }
        if list.rules.isEmpty {
            // An empty list would hand the decision back to the manifest, and open every link it has.
            list.rules = [AndroidRule(path: "*", exclude: true)]
            list.origins = [-1]
        }
        return list
    }

    /// The rules for iOS 9 to 12; nil where they are not asked for.
    var legacyPaths: TranslatedList<String>? {
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
        AppleMatcher(
            components: links, defaults: [(ios?.defaults ?? AppleDefaults()).component], variables: ios?.variables ?? []
        )
    }
}

extension AppleDefaults {
    var component: AppleComponent {
        AppleComponent(caseSensitive: caseSensitive, percentEncoded: percentEncoded)
    }
}
