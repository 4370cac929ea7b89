// The rules of an app file as each platform gets them.

extension AppFile {
    /// The rules for Android 15; nil where the app's manifest alone decides.
    var androidRules: TranslatedList<AndroidRule>? {
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
        sourceMatcher(first: links.count, table: SubstitutionTable(ios?.variables ?? []))
    }

    /// The same for the first rules of a list that is too long for a question about all of it.
    func sourceMatcher(first count: Int, table: SubstitutionTable) -> AppleMatcher {
        AppleMatcher(
            components: Array(links.prefix(count)), defaults: [(ios?.defaults ?? AppleDefaults()).component],
            table: table)
    }
}

extension AndroidRule {
    /// Opens no link.
    static var nothing: AndroidRule { AndroidRule(path: "*", exclude: true) }
}
