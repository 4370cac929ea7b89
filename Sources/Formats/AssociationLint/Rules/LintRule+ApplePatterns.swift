// Rules for what an apple-app-site-association file matches: order, patterns, variables, defaults, the legacy paths, and
// the services other than applinks.

import Association

extension LintRule {
    static let applePatterns: [LintRule] = [
        LintRule(
            .aasa037, "a rule is never reached",
            why:
                "The first rule that matches a URL decides, and earlier rules match every URL that this one "
                + "matches. Apple accepts the file, and the other rules work.",
            fix: "If the earlier rules have the same result, remove this rule. Otherwise move it above them.",
            sources: [.appleComponents, .swcutil]),
        LintRule(
            .aasa038, "an exclude rule matches everything",
            why: "No rule after it is reached, so it turns off the rest of the entry.",
            fix: "Move it to the end, or remove it.",
            sources: [.appleComponents, .swcutil]),
        LintRule(
            .aasa039, "an entry has only exclude rules",
            why: "A URL that no rule includes stays in the browser, so no URL opens the app.",
            fix: "Add a rule that includes URLs, for example {\"/\": \"*\"} at the end.",
            sources: [.appleComponents]),
        LintRule(
            .aasa040, "an exclude rule has no effect",
            why: "No later rule includes the URLs that it excludes, so they stay in the browser without it.",
            fix: "Remove it, or keep it as documentation.",
            sources: [.appleComponents]),
        LintRule(
            .aasa041, "a path pattern contains a query",
            why:
                "A path pattern is compared only with the URL's path, which does not include the query. In a path "
                + "pattern, `?` matches any one character.",
            fix: "Move the query to the key \"?\".",
            sources: [.appleComponents]),
        LintRule(
            .aasa042, "a path or query pattern contains a #",
            why: "The path and the query of a URL never contain an unencoded #, so the pattern never matches.",
            fix: "Move the fragment under \"#\".",
            sources: [.appleComponents, .rfc3986]),
        LintRule(
            .aasa043, "a path pattern contains a scheme or a host",
            why: "iOS compares only the path, so the pattern matches no link of this host.",
            fix: "Write only the path.",
            sources: [.appleComponents]),
        LintRule(
            .aasa044, "a pattern looks like a regular expression",
            why: "Only `*`, `?` and `$(name)` are special. iOS compares everything else as text.",
            fix: "Use `*` for any text, `?` for one character, or a variable.",
            sources: [.appleComponents]),
        LintRule(
            .aasa045, "a pattern contains a router's placeholder",
            why: "iOS compares `{id}` and `:id` as text, so real URLs do not match.",
            fix: "Write `?*` for one or more characters.",
            sources: [.appleComponents]),
        LintRule(
            .aasa046, "a pattern contains a backslash",
            why: "Apple documents no escape character, and a URL never contains a backslash.",
            fix: "Remove it."),
        LintRule(
            .aasa047, "a pattern that ends in /* also matches the path without it",
            why: "From iOS 13 on, `/buy/*` also matches `/buy`, so the separate rule for `/buy` has no effect.",
            fix: "Write `/buy/?*` if `/buy` needs its own rule. Otherwise remove that rule.",
            sources: [.swcutil]),
        LintRule(
            .aasa048, "a prefix pattern without a slash matches other paths too",
            why: "`/buy*` also matches `/buyer`, for which the list has a separate rule.",
            fix: "Write `/buy/*`, which also matches `/buy`.",
            sources: [.swcutil]),
        LintRule(
            .aasa049, "a path pattern does not start with a slash",
            why: "macOS 27 adds the slash. It is not known whether older systems do.",
            fix: "Start the pattern with a slash.",
            sources: [.swcutil]),
        LintRule(
            .aasa050, "a path pattern ends in `?*` without a slash before it",
            why:
                "It is not known whether `/a?*` matches `/a`: Apple adds a slash to the path before comparing, and "
                + "`?` may match that slash.",
            fix: "Write `/a/?*`, or `/a*` to include the path `/a`."),
        LintRule(
            .aasa051, "a pattern contains characters that are encoded in URLs",
            why:
                "iOS compares the encoded URL, so a space or an `é` in the pattern never matches. Some clients "
                + "encode `|` and `{`, others do not.",
            fix: "Percent-encode the pattern, or set percentEncoded to false (iOS 14).",
            sources: [.appleComponents, .swcutil]),
        LintRule(
            .aasa052, "a pattern is encoded although percentEncoded is false",
            why:
                "iOS decodes the URL before comparing, but not the pattern. So `%20` matches only links that are "
                + "encoded twice.",
            fix: "Write the decoded character.",
            sources: [.swcutil]),
        LintRule(
            .aasa053, "an encoded character has lower-case letters",
            why: "iOS treats `%c3` and `%C3` as different, and most clients write upper case.",
            fix: "Write upper-case digits.",
            sources: [.swcutil]),
        LintRule(
            .aasa054, "a percent sign is not followed by two hex digits",
            why: "A URL never contains such a percent sign, so the pattern never matches.",
            fix: "Write `%25` for a percent sign.",
            sources: [.rfc3986]),
        LintRule(
            .aasa055, "percentEncoded is false",
            why: "This needs iOS 14 or macOS 11. An encoded slash (`%2F`) in a URL then counts as a slash.",
            fix: "No change is needed if this is intended.",
            sources: [.appleComponents, .swcutil]),
        LintRule(
            .aasa056, "caseSensitive is false",
            why: "This needs iOS 13.5 or macOS 10.15.5. Older systems compare case.",
            fix: "No change is needed if this is intended.",
            sources: [.appleComponents]),
        LintRule(
            .aasa057, "a query parameter with the pattern `*` requires nothing",
            why: "iOS treats a missing parameter as empty text, and `*` matches empty text.",
            fix: "Write `?*` to require the parameter, or remove it.",
            sources: [.swcutil]),
        LintRule(
            .aasa058, "a query pattern that is a string must match the whole query",
            why: "With one more parameter, such as a campaign tag, the pattern no longer matches.",
            fix: "Write an object of names and patterns.",
            sources: [.appleQuery, .swcutil]),
        LintRule(
            .aasa059, "a query pattern contains a plus sign",
            why: "iOS does not read it as a space. Some clients send `+`, others `%20`.",
            fix: "Write `%20`, or one rule for each form."),
        LintRule(
            .aasa060, "undefined variable",
            why: "A pattern with an undefined variable never matches.",
            fix: "Define the variable under substitutionVariables, or correct its name.",
            sources: [.appleVariables]),
        LintRule(
            .aasa061, "a variable has no closing parenthesis",
            why: "A pattern with such a variable never matches.",
            fix: "Close it: `$(name)`.",
            sources: [.appleVariables]),
        LintRule(
            .aasa062, "the value of a variable contains a variable",
            why: "Apple does not allow this and drops the value.",
            fix: "Write the alternatives out.",
            sources: [.appleVariables]),
        LintRule(
            .aasa063, "a variable has the name of a predefined one",
            why: "As far as is known, it replaces the predefined variable in the whole file.",
            fix: "Choose another name.",
            sources: [.appleVariables, .inference]),
        LintRule(
            .aasa064, "a variable's value is empty or not an array of strings, or its name is invalid",
            why:
                "Values must be strings in an array. A pattern whose variable has no value never matches. A name with "
                + "`$`, `(` or `)` cannot be written in a pattern.",
            fix: "Write an array of strings, and a name without these characters.",
            sources: [.appleVariables]),
        LintRule(
            .aasa065, "a variable is never used",
            why: "It does nothing.",
            fix: "Remove it.",
            sources: [.appleVariables]),
        LintRule(
            .aasa066, "$(region) does not match UK",
            why: "$(region) matches ISO codes, and the ISO code of the United Kingdom is GB.",
            fix: "Define your own variable with the codes that your URLs use.",
            sources: [.swcutil]),
        LintRule(
            .aasa067, "variables are used",
            why: "Variables need iOS 13.5 or macOS 10.15.6. On older systems the pattern never matches.",
            fix: "Write the alternatives out if you support older systems.",
            sources: [.appleVariables]),
        LintRule(
            .aasa068, "defaults contain a pattern or exclude",
            why: "Every component without that key inherits it, which few readers expect.",
            fix: "Write the key in the components.",
            sources: [.swcutil]),
        LintRule(
            .aasa069, "defaults are used with paths only",
            why: "paths are for iOS 9 to 12, and these systems ignore defaults.",
            fix: "Write components, or write out each path.",
            sources: [.appleDetails]),
        LintRule(
            .aasa070, "a component starts with NOT",
            why:
                "The prefix works only in the legacy paths. In a component iOS compares it as text, so the rule "
                + "excludes nothing.",
            fix: "Remove it, and add \"exclude\": true.",
            sources: [.appleComponents]),
        LintRule(
            .aasa071, "NOT is not written as `NOT `",
            why: "Without the space it is part of an ordinary pattern. In lower case its effect is not documented.",
            fix: "Write `NOT ` in upper case with one space.",
            sources: [.appleArchive, .inference]),
        LintRule(
            .aasa072, "a NOT path is never reached",
            why:
                "The first path that matches a URL decides, and an earlier path matches every URL that this one "
                + "matches.",
            fix: "If the earlier path has NOT too, remove this one. Otherwise put it first.",
            sources: [.appleArchive, .swcutil]),
        LintRule(
            .aasa073, "a legacy path contains a query",
            why: "iOS compares paths with the path of a URL only, and `?` matches one character.",
            fix: "Write components with \"?\".",
            sources: [.appleArchive]),
        LintRule(
            .aasa074, "a service has no apps array",
            why: "A service names its apps in \"apps\". Without it, the service does nothing.",
            fix: "Write {\"apps\": [\"TEAMID.bundle.id\"]}.",
            sources: [.appleAssociatedDomains]),
        LintRule(
            .aasa075, "details in a service other than applinks",
            why: "Apple ignores it, because these services have no patterns.",
            fix: "Remove it.",
            sources: [.appleAssociatedDomains]),
        LintRule(
            .aasa076, "an App Clip's id does not begin with the id of its app",
            why: "The id of an App Clip is the id of its app with one more part. Any other id is probably wrong.",
            fix: "Compare it with the bundle id of the App Clip target in Xcode.",
            sources: [.appleAppClips]),
        LintRule(
            .aasa077, "an app has applinks but not webcredentials",
            why: "Passkeys and password AutoFill do not work for the app on this host.",
            fix: "Add the app to webcredentials.apps if you need them.",
            sources: [.appleSharedCredentials]),
        LintRule(
            .aasa079, "the file is signed",
            why: "Only iOS 8 needed a signature. How Apple's CDN treats a signed file is not known.",
            fix: "Serve plain JSON.",
            sources: [.appleArchive]),
        LintRule(
            .aasa081, "the rules match the association files themselves",
            why:
                "Tapping a link to the file opens the app. This is harmless, but inconvenient while you look for a "
                + "mistake.",
            fix: "Start with {\"/\": \"/.well-known/*\", \"exclude\": true}."),
        LintRule(
            .aasa082, "a list is too long to be checked as a whole",
            why:
                "The check whether a rule is ever reached covers all URLs, so it is done only for the first rules "
                + "of a long list. The rules that were not compared may have more problems.",
            fix: "Use wildcards and variables, or ignore this note."),
    ]
}
