// The rules of an app file in another dialect, with the way back: which line of `links` each came from, and which lines
// did not make it.

/// A translated list of rules.
struct TranslatedList<Rule> {
    var rules: [Rule] = []
    /// For each rule, the index of the link it was made from.
    var origins: [Int] = []
    /// The links that are left out, and why.
    var obstacles: [(link: Int, obstacle: String)] = []

    mutating func append(_ translation: RuleTranslation<Rule>, of link: Int) {
        rules += translation.rules
        origins += Array(repeating: link, count: translation.rules.count)
        if let obstacle = translation.obstacle { obstacles.append((link, obstacle)) }
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
            list.origins = [links.count - 1]
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

    /// The matcher for the rules as they are written; nil where there is no iOS app that opens links.
    var appleMatcher: AppleMatcher? {
        guard let ios, ios.services.contains(.applinks), !links.isEmpty else { return nil }
        return sourceMatcher
    }

    /// The rules as they are written, whatever platform they are for.
    var sourceMatcher: AppleMatcher {
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
