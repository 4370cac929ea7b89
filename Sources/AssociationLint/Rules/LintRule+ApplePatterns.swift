// The catalogue's rules for what an apple-app-site-association file matches: order, patterns, variables, defaults, the
// legacy paths, and the services beside applinks. A table: it reads best whole.

import Association

extension LintRule {
    static let applePatterns: [LintRule] = [
        LintRule(
            .aasa037, "a rule is never reached",
            why:
                "The first rule that matches decides, and earlier ones match everything that this one does. Apple "
                + "accepts the file and the other rules work, so it is no error, however surely it is a mistake.",
            fix: "put the narrower rule, and every exclude, first.",
            sources: [.appleComponents, .swcutil]),
        LintRule(
            .aasa038, "an exclude rule matches everything",
            why: "Nothing after it is reached, so it turns off the rest of the entry.",
            fix: "move it to the end or remove it.",
            sources: [.appleComponents, .swcutil]),
        LintRule(
            .aasa039, "an entry has exclude rules only",
            why: "What no rule includes stays in the browser, so no URL opens the app.",
            fix: "add a rule that includes, for instance {\"/\": \"*\"} at the end.",
            sources: [.appleComponents]),
        LintRule(
            .aasa040, "an exclude rule takes nothing away",
            why: "No later rule includes what it excludes, so what reaches it stays in the browser without it.",
            fix: "remove it, or keep it for the reader.",
            sources: [.appleComponents]),
        LintRule(
            .aasa041, "a path pattern has a query in it",
            why: "In a path `?` stands for one character; the query of a URL is no part of its path.",
            fix: "move it under \"?\".",
            sources: [.appleComponents]),
        LintRule(
            .aasa042, "a path or query pattern has a # in it",
            why: "Neither part of a URL can have one unless it is encoded, so the pattern never matches.",
            fix: "move it under \"#\".",
            sources: [.appleComponents, .rfc3986]),
        LintRule(
            .aasa043, "a path pattern has a scheme or a host",
            why: "Only the path is compared, so the pattern matches no link of this host.",
            fix: "write the path alone.",
            sources: [.appleComponents]),
        LintRule(
            .aasa044, "a pattern looks like a regular expression",
            why: "Only `*`, `?` and `$(name)` are special; the rest is compared as text.",
            fix: "use `*` for any text, `?` for one character, or a variable.",
            sources: [.appleComponents]),
        LintRule(
            .aasa045, "a pattern has a router's placeholder",
            why: "`{id}` and `:id` are compared as text, so real URLs do not match.",
            fix: "write `?*` for one or more characters.",
            sources: [.appleComponents]),
        LintRule(
            .aasa046, "a pattern has a backslash",
            why: "Apple documents no escape, and a URL has no backslash.",
            fix: "remove it.",
            sources: [.inference]),
        LintRule(
            .aasa047, "a pattern that ends in /* also matches the path without it",
            why: "From iOS 13 on, `/buy/*` matches `/buy` too, yet the list treats `/buy` on its own.",
            fix: "write `/buy/?*` where the bare path is meant to differ, or drop the rule for it.",
            sources: [.swcutil]),
        LintRule(
            .aasa048, "a prefix pattern without a slash covers its neighbours",
            why: "`/buy*` also matches `/buyer`, which the list treats on its own.",
            fix: "write `/buy/*`, which matches `/buy` as well.",
            sources: [.swcutil]),
        LintRule(
            .aasa049, "a path pattern does not start with a slash",
            why: "macOS 27 adds it; older systems are not known to.",
            fix: "write the slash.",
            sources: [.swcutil]),
        LintRule(
            .aasa050, "a path pattern ends in `?*` without a slash before it",
            why: "It is unsettled whether `/a?*` matches `/a` itself, through the slash that is added for comparing.",
            fix: "write `/a/?*`, or `/a*` where the bare path is meant too.",
            sources: [.inference]),
        LintRule(
            .aasa051, "a pattern has characters that URLs have in encoded form",
            why:
                "The URL is compared as it is encoded, so a space or an `é` in the pattern never matches. Some clients "
                + "encode `|` and `{`, some do not.",
            fix: "percent-encode the pattern, or set percentEncoded to false (iOS 14).",
            sources: [.appleComponents, .swcutil]),
        LintRule(
            .aasa052, "a pattern is encoded although percentEncoded is false",
            why:
                "The URL is decoded before comparing and the pattern is not, so `%20` matches only links that are encoded twice.",
            fix: "write the decoded character.",
            sources: [.swcutil]),
        LintRule(
            .aasa053, "an encoded character has lower-case digits",
            why: "`%c3` and `%C3` differ in the comparison, and most clients write upper case.",
            fix: "write upper-case digits.",
            sources: [.swcutil]),
        LintRule(
            .aasa054, "a percent sign without two hex digits",
            why: "A URL cannot have it, so the pattern never matches.",
            fix: "write `%25` for a percent sign.",
            sources: [.rfc3986]),
        LintRule(
            .aasa055, "percentEncoded is false",
            why: "It needs iOS 14 or macOS 11, and `%2F` in a URL becomes a slash.",
            fix: "nothing, if that is meant.",
            sources: [.appleComponents, .swcutil]),
        LintRule(
            .aasa056, "caseSensitive is false",
            why: "It needs iOS 13.5 or macOS 10.15.5; older systems compare case.",
            fix: "nothing, if that is meant.",
            sources: [.appleComponents]),
        LintRule(
            .aasa057, "a query item with the pattern `*` requires nothing",
            why: "An item that the URL lacks counts as empty text, which `*` matches.",
            fix: "write `?*` to require the item, or remove it.",
            sources: [.swcutil]),
        LintRule(
            .aasa058, "a query pattern in string form has to equal the whole query",
            why: "One more parameter, such as a campaign tag, and it no longer matches.",
            fix: "write an object of names and patterns.",
            sources: [.appleQuery, .swcutil]),
        LintRule(
            .aasa059, "a query pattern has a plus sign",
            why: "It is not read as a space; whether clients send `+` or `%20` varies.",
            fix: "write `%20`, or one rule for each spelling.",
            sources: [.inference]),
        LintRule(
            .aasa060, "an undefined variable",
            why: "A pattern with it never matches.",
            fix: "define it under substitutionVariables, or correct its name.",
            sources: [.appleVariables]),
        LintRule(
            .aasa061, "a variable without its closing parenthesis",
            why: "A pattern with it never matches.",
            fix: "close it: `$(name)`.",
            sources: [.appleVariables]),
        LintRule(
            .aasa062, "a variable's value refers to a variable",
            why: "Apple does not allow it; the value is dropped.",
            fix: "write the alternatives out.",
            sources: [.appleVariables]),
        LintRule(
            .aasa063, "a variable has the name of a predefined one",
            why: "It replaces the predefined one for the whole file, as far as is known.",
            fix: "choose another name.",
            sources: [.appleVariables, .inference]),
        LintRule(
            .aasa064, "a variable without a usable value",
            why: "Values are strings in an array; a pattern with a variable that has none never matches.",
            fix: "write an array of strings.",
            sources: [.appleVariables]),
        LintRule(
            .aasa065, "a variable is never used",
            why: "It does nothing.",
            fix: "remove it.",
            sources: [.appleVariables]),
        LintRule(
            .aasa066, "$(region) does not match UK",
            why: "It stands for the ISO codes, in which the United Kingdom is GB.",
            fix: "define a variable of your own with the codes that your URLs use.",
            sources: [.swcutil]),
        LintRule(
            .aasa067, "variables are used",
            why: "They need iOS 13.5 or macOS 10.15.6; on older systems the pattern never matches.",
            fix: "write the alternatives out where older systems matter.",
            sources: [.appleVariables]),
        LintRule(
            .aasa068, "defaults hold a pattern or exclude",
            why: "Every component that lacks the key inherits it, which few readers expect.",
            fix: "write it in the components.",
            sources: [.swcutil]),
        LintRule(
            .aasa069, "defaults stand beside paths only",
            why: "iOS 9 to 12, for which paths are there, ignore them.",
            fix: "write components, or spell the paths out.",
            sources: [.appleDetails]),
        LintRule(
            .aasa070, "NOT in a component",
            why: "The prefix belongs to the legacy paths; here it is compared as text, so the rule does not exclude "
                + "what follows it.",
            fix: "remove it and add \"exclude\": true.",
            sources: [.appleComponents]),
        LintRule(
            .aasa071, "NOT is not written `NOT `",
            why: "Without the space it is an ordinary pattern; in lower case it is undocumented.",
            fix: "write `NOT ` in upper case with one space.",
            sources: [.appleArchive, .inference]),
        LintRule(
            .aasa072, "a NOT path is never reached",
            why: "The first path that matches decides, and an earlier one matches all of it.",
            fix: "put the NOT paths first.",
            sources: [.appleArchive, .swcutil]),
        LintRule(
            .aasa073, "a legacy path has a query in it",
            why: "paths compare the path alone, and `?` stands for one character.",
            fix: "write components with \"?\".",
            sources: [.appleArchive]),
        LintRule(
            .aasa074, "a service has no array of apps",
            why: "The service names its apps in \"apps\"; without it, it does nothing.",
            fix: "write {\"apps\": [\"TEAMID.bundle.id\"]}.",
            sources: [.appleAssociatedDomains]),
        LintRule(
            .aasa075, "details in a service other than applinks",
            why: "It is ignored; these services have no patterns.",
            fix: "remove it.",
            sources: [.appleAssociatedDomains]),
        LintRule(
            .aasa076, "an App Clip's id does not continue the id of its app",
            why: "An App Clip is called like its app, with one more part; any other id is probably wrong.",
            fix: "compare with the bundle id of the App Clip target in Xcode.",
            sources: [.appleAppClips]),
        LintRule(
            .aasa077, "an app has applinks and no webcredentials",
            why: "Passkeys and password AutoFill for the app need webcredentials.",
            fix: "add it to webcredentials.apps, if that is wanted.",
            sources: [.appleSharedCredentials]),
        LintRule(
            .aasa079, "the file is signed",
            why: "Only iOS 8 needed it; how Apple's CDN treats a signed file is unknown.",
            fix: "serve the plain JSON.",
            sources: [.appleArchive]),
        LintRule(
            .aasa081, "the rules match the association files themselves",
            why: "It harms nothing, but a tap on a link to them, while looking for a mistake, opens the app.",
            fix: "start with {\"/\": \"/.well-known/*\", \"exclude\": true}.",
            sources: [.inference]),
        LintRule(
            .aasa082, "a list is too long to be judged as a whole",
            why: "Whether a rule is ever reached is proved over all URLs, and that is done for the first rules only.",
            fix: "use wildcards and variables, or take it as it is.",
            sources: [.inference]),
    ]
}
