// The rules of an app file as translated for another platform, with the link that each came from, and the links that could
// not be translated.

package struct TranslatedList<Rule: Sendable>: Sendable {
    package var rules: [Rule] = []
    /// For each rule, the index of its link; -1 for a rule that has none.
    package var origins: [Int] = []
    /// The links that are omitted, with the feature that is not supported.
    package var unsupported: [Int: String] = [:]

    /// Phones evaluate the list for every link, so it must not be longer.
    package static var rulesMax: Int { 10_000 }

    package mutating func append(_ translation: RuleTranslation<Rule>, of link: Int) {
        guard rules.count + translation.rules.count <= Self.rulesMax else {
            unsupported[link] = "a list of more than \(Self.rulesMax) rules"
            return
        }
        rules += translation.rules
        origins += Array(repeating: link, count: translation.rules.count)
        if let feature = translation.unsupported { unsupported[link] = feature }
    }

    /// The rules of a link. They are next to each other.
    package func rules(of link: Int) -> ArraySlice<Rule> {
        let start = origins.firstIndexInSorted { $0 >= link }
        return rules[start..<origins.firstIndexInSorted { $0 > link }]
    }
}

/// The translation of one rule for another platform.
package struct RuleTranslation<Rule> {
    var rules: [Rule] = []
    /// The feature that the platform does not support, as the end of "it needs …". If it is nil and there are no rules, the
    /// original rule matches nothing either.
    var unsupported: String?
}

extension AppFile {
    /// The rules for Android 15; nil if only the app's manifest decides.
    package var androidRules: TranslatedList<AndroidRule>? {
        translation ?? translatedForAndroid
    }

    /// Stores the translation, which the examples and the document need later.
    mutating func rememberTranslation() { translation = translatedForAndroid }

    private var translatedForAndroid: TranslatedList<AndroidRule>? {
        guard let android, android.hasDynamicRules, android.relations.contains(AndroidApp.handleAllURLs),
            !links.isEmpty
        else { return nil }
        let translator = AndroidTranslator(defaults: ios?.defaults ?? AppleDefaults(), variables: ios?.variables ?? [])
        var list = TranslatedList<AndroidRule>()
        for (index, link) in links.enumerated() { list.append(translator.translate(link), of: index) }
        if list.rules.isEmpty {
            // With an empty list the manifest would decide, and open all its links.
            list.rules = [.nothing]
            list.origins = [-1]
        }
        return list
    }

    /// The rules for iOS 9 to 12; nil if the app file does not have them.
    package var legacyPaths: TranslatedList<String>? {
        guard let ios, ios.hasLegacyPaths, ios.services.contains(.applinks), !links.isEmpty else { return nil }
        let translator = LegacyTranslator(defaults: ios.defaults, variables: ios.variables)
        var list = TranslatedList<String>()
        for (index, link) in links.enumerated() { list.append(translator.translate(link), of: index) }
        return list
    }

    /// The rules for Apple's systems; nil if there is no iOS app that opens links.
    public var appleMatcher: AppleMatcher? {
        guard let ios, ios.services.contains(.applinks), !links.isEmpty else { return nil }
        return sourceMatcher
    }

    /// The rules for Android 15, ready to decide; nil if only the app's manifest decides.
    public var androidMatcher: AndroidMatcher? { androidRules.map { AndroidMatcher($0, of: links) } }

    /// The rules as they are written, for any platform. The landing page uses them.
    public var sourceMatcher: AppleMatcher {
        sourceMatcher(first: links.count, table: SubstitutionTable(ios?.variables ?? []))
    }

    /// The same with only the first rules, for a list that is too long for a search.
    package func sourceMatcher(first count: Int, table: SubstitutionTable) -> AppleMatcher {
        var matcher = AppleMatcher(components: Array(links.prefix(count)), defaults: defaults, table: table)
        matcher.isOfAppFile = true
        return matcher
    }
}

extension AndroidRule {
    /// Opens no link.
    package static var nothing: AndroidRule { AndroidRule(path: "*", exclude: true) }
}
