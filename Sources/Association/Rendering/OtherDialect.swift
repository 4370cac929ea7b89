// A dialect that an app file's rules are translated to, as the comparison of the platforms sees it.

/// The translated rules of an app file, ready to be asked.
struct OtherDialect {
    /// In messages.
    var name: String
    var cannotExpress: RuleID
    var differs: RuleID
    var list: RuleList
    /// The links that are left out, and why.
    var obstacles: [Int: String]
    /// Whether a URL opens the app, and from which link the deciding rule was made; nil where there is no telling.
    var decide: (LinkURL) -> (opens: Bool, link: Int?)?
    /// The list that some of the links alone would be translated to.
    var part: (_ links: [Int]) -> RuleList
    /// What one link alone looks for: makes a question out of it.
    var holds: (_ link: Int) -> (LinkURL) -> Bool

    /// Whether there is a rule that opens the app.
    var opensAnything: Bool { (0..<list.count).contains(where: list.opens) }

    static func android(_ app: AppFile) -> OtherDialect? {
        guard let list = app.androidRules else { return nil }
        let matcher = AndroidMatcher(rules: list.rules)
        return OtherDialect(
            name: "Android", cannotExpress: .app029, differs: .app030, list: .android(matcher),
            obstacles: list.obstacles,
            decide: { url in
                let decision = matcher.decide(url)
                return decision.opens.map { ($0, decision.rule.flatMap { list.origins.element(at: $0) }) }
            },
            part: { links in
                let rules = links.flatMap { list.rules(of: $0) }
                return .android(AndroidMatcher(rules: rules.isEmpty ? [.nothing] : rules))
            },
            holds: { link in
                let single = AndroidMatcher(rules: Array(list.rules(of: link)))
                return { single.decide($0).rule != nil }
            })
    }

    static func legacy(_ app: AppFile) -> OtherDialect? {
        guard let list = app.legacyPaths else { return nil }
        let matcher = AppleMatcher(paths: list.rules)
        return OtherDialect(
            name: "iOS 9 to 12", cannotExpress: .app031, differs: .app032, list: .apple(matcher),
            obstacles: list.obstacles,
            decide: { url in
                let decision = matcher.decide(url)
                return (decision.opens, decision.rule.flatMap { list.origins.element(at: $0) })
            },
            part: { links in .apple(AppleMatcher(paths: links.flatMap { list.rules(of: $0) })) },
            holds: { link in
                let single = AppleMatcher(paths: Array(list.rules(of: link)))
                return { single.decide($0).rule != nil }
            })
    }
}
