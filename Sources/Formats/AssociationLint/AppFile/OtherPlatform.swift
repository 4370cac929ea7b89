// The rules of an app file as translated for another platform, as `PlatformComparison` needs them.

import Association

/// A platform with the rules that were translated for it.
struct OtherPlatform {
    /// For messages.
    var name: String
    /// The versions of iOS that it is compared with, for messages.
    var iOS: String
    var cannotExpress: RuleID
    var differs: RuleID
    var list: RuleList
    /// The links that are omitted, with the unsupported feature.
    var unsupported: [Int: String]
    /// For each rule of the list, its link.
    var origins: [Int]
    /// The translation of one link alone.
    var translation: (_ link: Int) -> RuleList

    /// Whether any rule opens the app.
    var opensAnything: Bool { (0..<list.count).contains(where: list.opens) }

    /// Whether a URL opens the app, and the link of the rule that decides; nil if the result is not known.
    func decide(_ url: LinkURL) -> (opens: Bool, link: Int?)? {
        list.decide(url).map { ($0.opens, $0.rule.flatMap { origins.element(at: $0) }) }
    }

    static func android(_ app: AppFile) -> OtherPlatform? {
        app.androidRules.map { list in
            OtherPlatform(
                name: "Android", iOS: "iOS", cannotExpress: .app029, differs: .app030,
                list: .android(AndroidMatcher(rules: list.rules)), unsupported: list.unsupported, origins: list.origins
            ) { link in .android(AndroidMatcher(rules: Array(list.rules(of: link)))) }
        }
    }

    static func legacy(_ app: AppFile) -> OtherPlatform? {
        app.legacyPaths.map { list in
            OtherPlatform(
                name: "iOS 9 to 12", iOS: "iOS 13 and later", cannotExpress: .app031, differs: .app032,
                list: .apple(AppleMatcher(paths: list.rules)), unsupported: list.unsupported, origins: list.origins
            ) { link in .apple(AppleMatcher(paths: Array(list.rules(of: link)))) }
        }
    }
}
