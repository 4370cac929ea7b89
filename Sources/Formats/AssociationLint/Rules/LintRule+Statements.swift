// Rules for assetlinks.json: statements, includes, and the dynamic rules of Android 15. Three verifiers read the file
// (Google's service, AOSP on the device, Chromium), and each explanation says which of them fails.

import Association

extension LintRule {
    static let statements: [LintRule] = [
        LintRule(
            .dal001, "the text is not strict JSON",
            why: "Google reports malformed content, and Android and Chromium ignore the file. No statement counts.",
            fix: "Write the file with a JSON library, or let this server generate it. The finding shows the place.",
            sources: [.rfc8259, .googleCompatibility, .aosp, .chromium]),
        LintRule(
            .dal002, "the top level is not an array",
            why: "Google, Android and Chromium reject the file, even if it has only one statement.",
            fix: "Put the statements into one array.",
            sources: [.googleCompatibility, .aosp]),
        LintRule(
            .dal003, "the list is empty",
            why: "The file says that the host trusts no app.",
            fix: "Add a statement, or answer 404.",
            sources: [.googleCompatibility]),
        LintRule(
            .dal004, "a statement is incomplete or not an object",
            why:
                "Google reports it and keeps the other statements. Android skips a statement without a relation or "
                + "a target. Android rejects the whole file if an entry is not an object.",
            fix: "Write {\"relation\": […], \"target\": {…}}.",
            sources: [.googleCompatibility, .aosp]),
        LintRule(
            .dal005, "relation is not an array of strings",
            why:
                "Google reports the statement as malformed. If relation is, or contains, a number or null, or if the "
                + "array contains a boolean, every Android version rejects the whole file. If the array contains an "
                + "object or an array, Android 12 and later reject the whole file, and earlier versions skip the "
                + "statement. If the array is empty, or if relation is a string, a boolean or an object, every version "
                + "skips the statement.",
            fix: "Write \"relation\": [\"…\"].",
            sources: [.googleCompatibility, .aosp]),
        LintRule(
            .dal006, "a relation is not in the form kind/detail",
            why:
                "Google reports the statement as malformed. Android 12 and later reject the whole file; earlier "
                + "versions skip the statement.",
            fix: "Write it in lower case, with one slash and no wildcard: delegate_permission/common.handle_all_urls.",
            sources: [.googleCompatibility, .aosp]),
        LintRule(
            .dal007, or: .error, "unknown relation",
            why: "Verifiers accept it, but none is known to look for it.",
            fix: "Use the known relation if this one is misspelled.",
            sources: [.googleStatements, .googleCompatibility]),
        LintRule(
            .dal008, "unknown namespace",
            why:
                "Google rejects the statement. Android 12 and later reject the whole file; earlier versions skip "
                + "the statement.",
            fix: "Write android_app or web.",
            sources: [.googleCompatibility, .aosp]),
        LintRule(
            .dal009, "the package name is missing or invalid",
            why:
                "The statement never applies to an app. If the name is missing or empty, Android 12 and later "
                + "reject the whole file.",
            fix: "Write the applicationId of the app.",
            sources: [.androidApplicationID, .aosp]),
        LintRule(
            .dal010, "a fingerprint has lower-case letters",
            why: "Google rejects it as malformed. Chromium compares it exactly, so it finds no match.",
            fix: "Write it in upper case.",
            sources: [.googleCompatibility, .chromium]),
        LintRule(
            .dal011, "a fingerprint is not a SHA-256 fingerprint",
            why: "Google reports the statement as malformed, and the fingerprint matches no certificate.",
            fix: "Write the 32 bytes as upper-case pairs with colons, as keytool prints them.",
            sources: [.googleCompatibility, .androidTroubleshoot]),
        LintRule(
            .dal012, "sha256_cert_fingerprints is missing, empty or not an array",
            why:
                "Google reports the statement as malformed, and Chromium finds no match. Android 12 and later "
                + "reject the whole file; earlier versions skip the statement.",
            fix: "Write an array of one or more fingerprints.",
            sources: [.googleCompatibility, .chromium]),
        LintRule(
            .dal013, "a fingerprint or package name is a placeholder",
            why: "It was copied from documentation or made up, so none of your apps has it.",
            fix: "Write the value of your app.",
            sources: [.androidConfigure, .fieldReports]),
        LintRule(
            .dal014, "an app has only one fingerprint",
            why:
                "With Play App Signing, Google signs the app on users' phones with the app signing key. keytool on your "
                + "machine prints the upload key, which signs none of these apps.",
            fix:
                "Compare the fingerprint with the app signing key (Play Console, App integrity). Add the upload key if "
                + "builds signed with it must open links too.",
            sources: [.androidVerify, .androidConfigure]),
        LintRule(
            .dal015, "a fingerprint belongs to a public debug key",
            why: "The private key is public, so anyone can sign an app that this host trusts.",
            fix: "List the release key. Use debug keys only on a test host.",
            sources: [.googleSpecification, .fieldReports]),
        LintRule(
            .dal016, or: .warning, "a web site is not in the form scheme://host",
            why:
                "Google reports the statement as malformed if the site has a path, a query or user information, or "
                + "no scheme. Android 12 and later reject the whole file; earlier versions skip the statement. A "
                + "slash at the end is harmless on Android.",
            fix: "Write https:// and the host, without a slash at the end.",
            sources: [.googleCompatibility, .googleStatements, .aosp]),
        LintRule(
            .dal017, "a web site has a path for query_webapk",
            why:
                "Chromium compares the site with the full address of the manifest, so this relation alone needs "
                + "the path. But Google rejects the statement, and Android 12 and later reject the whole file.",
            fix: "Serve such a statement from a host that has no app.",
            sources: [.chromium]),
        LintRule(
            .dal018, "a web site includes the default port",
            why: "Google's documents say to omit ports 80 and 443.",
            fix: "Remove the port.",
            sources: [.googleStatements, .googleCompatibility]),
        LintRule(
            .dal019, "a web site uses plain http",
            why: "Anyone on the network path can impersonate the site.",
            fix: "Write https.",
            sources: [.googleSpecification]),
        LintRule(
            .dal020, "an app has get_login_creds without handle_all_urls",
            why: "Passwords are shared, but passkeys need both relations.",
            fix: "Add delegate_permission/common.handle_all_urls if you need passkeys.",
            sources: [.googleCredentials]),
        LintRule(
            .dal021, "an entry has an include and also a relation or a target",
            why: "Google reports an invalid field. Android follows the include and drops the statement.",
            fix: "Write two entries.",
            sources: [.googleCompatibility, .aosp]),
        LintRule(
            .dal022, "an include is not an https URL",
            why: "A list that was fetched over https must not include one that was not. Google reports it.",
            fix: "Write an https URL that answers 200.",
            sources: [.googleSpecification, .googleCompatibility]),
        LintRule(
            .dal023, or: .note, "the file includes other files",
            why: "Chromium ignores includes, and Android follows only one level.",
            fix: "Write the statements into this file. Use includes only for sharing credentials.",
            sources: [.aosp, .chromium]),
        LintRule(
            .dal024, "an include points back to this file",
            why: "Google stops with an exhausted budget, and Android stops after one level.",
            fix: "Write the statements into this file.",
            sources: [.googleCompatibility, .aosp]),
        LintRule(
            .dal025, or: .note, "a statement is listed twice",
            why: "The second one does nothing. If both have dynamic rules, it is undefined which rules count.",
            fix: "Merge them.",
            sources: [.androidConfigure]),
        LintRule(
            .dal026, "an app has two lists of dynamic rules",
            why: "It is undefined which list Android uses.",
            fix: "Merge them into one.",
            sources: [.androidConfigure]),
        LintRule(
            .dal027, or: .warning, "dynamic rules are in the wrong place",
            why:
                "Android reads them under relation_extensions, then the relation that the statement grants, then "
                + "dynamic_app_link_components. Anywhere else they do nothing.",
            fix: "Put them under delegate_permission/common.handle_all_urls.",
            sources: [.androidConfigure]),
        LintRule(
            .dal028, "a dynamic rule has an empty value",
            why: "Because of one empty value, Android discards all rules of the list, and only the manifest decides.",
            fix: "Remove it.",
            sources: [.androidConfigure]),
        LintRule(
            .dal029, "a dynamic rule has a value of the wrong type",
            why: "Android ignores at least this value, and possibly all rules of the list.",
            fix: "Write strings under `/` and `#`, an object of strings under `?`, and true or false under `exclude`.",
            sources: [.androidConfigure, .aosp]),
        LintRule(
            .dal030, "a dynamic rule has no pattern",
            why: "On Android it never matches. On iOS the same rule matches everything.",
            fix: "Write {\"/\": \"*\"} to match everything.",
            sources: [.aosp]),
        LintRule(
            .dal031, "all dynamic rules exclude",
            why: "A URL opens the app only if a rule includes it. Here no rule includes any URL.",
            fix: "End the list with {\"/\": \"*\"}.",
            sources: [.androidConfigure]),
        LintRule(
            .dal032, "a dynamic rule is never reached",
            why:
                "The first rule that matches a URL decides, and earlier rules match every URL that this one "
                + "matches. Android accepts the file, and the other rules work.",
            fix: "If the earlier rules have the same result, remove this rule. Otherwise move it above them.",
            sources: [.androidConfigure, .aosp]),
        LintRule(
            .dal033, "a dynamic rule for /prefix/* does not match /prefix",
            why: "On Android the path `/prefix` does not match. On iOS it does.",
            fix: "Add a rule for `/prefix`.",
            sources: [.aosp]),
        LintRule(
            .dal034, "a dynamic rule matches a path only with, or only without, a trailing slash",
            why: "On Android `/shoes` and `/shoes/` are different paths. On iOS they are the same.",
            fix: "Add a rule for the other form.",
            sources: [.aosp]),
        LintRule(
            .dal035, or: .note, "a star in the middle of a dynamic rule does not backtrack",
            why:
                "Android's star stops at the first occurrence of the character that follows it, so the rest of the "
                + "pattern often does not match.",
            fix: "End the pattern with the star, or write one rule for each form.",
            sources: [.androidConfigure, .aosp]),
        LintRule(
            .dal036, "a star is followed by `?` or `*`",
            why: "Android then looks for a literal dot, so the rule matches other URLs than intended.",
            fix: "Write `?*` for one or more characters, or a single star.",
            sources: [.aosp]),
        LintRule(
            .dal037, "a dynamic rule is percent-encoded",
            why: "Android decodes the URL before comparing, so `%20` matches only links that are encoded twice.",
            fix: "Write the decoded character.",
            sources: [.aosp]),
        LintRule(
            .dal038, or: .note, "on Android, `*` for a query parameter or a fragment needs a URL that has it",
            why: "On Android a part that the URL lacks never matches, not even with `*`. On iOS it does.",
            fix: "Remove the key if the part is optional.",
            sources: [.aosp]),
        LintRule(
            .dal039, "a dynamic rule uses an iOS feature",
            why: "caseSensitive, percentEncoded and comment do nothing on Android, and $(name) is compared as text.",
            fix: "Remove the key, or write the alternatives out.",
            sources: [.androidConfigure, .aosp]),
        LintRule(
            .dal040, "dynamic rules need Android 15",
            why: "They need Android 15 or later with Google services. On other devices, only the manifest decides.",
            fix: "Keep the manifest's intent filters as narrow as possible.",
            sources: [.androidConfigure]),
        LintRule(
            .dal041, or: .note, "unknown key",
            why: "Verifiers ignore unknown keys without a message, so a misspelled key does nothing.",
            fix: "Use the key that the finding suggests, or remove it.",
            sources: [.googleCompatibility, .aosp]),
        LintRule(
            .dal042, "an object has the same key twice",
            why: "JSON does not define which of the two counts, and readers differ.",
            fix: "Keep one of them.",
            sources: [.rfc8259]),
        LintRule(
            .dal043, "a path of a dynamic rule does not start with a slash",
            why: "Every URL path starts with a slash. Android compares the pattern as it is; iOS adds the slash.",
            fix: "Start the pattern with a slash.",
            sources: [.aosp]),
        LintRule(
            .dal044, "a list of dynamic rules is too long to be checked as a whole",
            why:
                "The check whether a rule is ever reached covers all URLs, so it is done only for the first rules "
                + "of a long list. The rules that were not compared may have more problems.",
            fix: "Use wildcards, or ignore this note."),
        LintRule(
            .dal045, "an entry makes Android reject the whole file",
            why:
                "Android's JSON reader accepts no number, no null and no boolean in an array, wherever they are. "
                + "Every version then rejects the file with all its statements. Android 12 and later also reject it "
                + "for a namespace other than android_app and web. Android 15 and later also reject it for a dynamic "
                + "rule that is not an object.",
            fix: "Remove the value or write it as a string. Remove the statement, or serve it from another host.",
            sources: [.aosp]),
        LintRule(
            .dal046, "rules in include or exclude of a statement",
            why:
                "Some tutorials about dynamic rules show {\"include\": {\"paths\": [ … ]}}. No system reads that: a "
                + "statement with `include` counts as an include, and `exclude` is ignored.",
            fix:
                "Write the rules under relation_extensions, those that exclude first. `associated import` translates them.",
            sources: [.androidConfigure, .aosp, .fieldReports]),
    ]
}
