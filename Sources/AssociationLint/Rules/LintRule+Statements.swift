// The catalogue's rules for assetlinks.json: statements, includes, and the dynamic rules of Android 15. Three consumers
// read the file (Google's service, AOSP on the device, Chromium), and the reasons say which one breaks. A table.

import Association

extension LintRule {
    static let statements: [LintRule] = [
        LintRule(
            .dal001, "the text is not strict JSON",
            why: "Google reports malformed content, AOSP and Chromium give up; no statement counts.",
            fix: "write the file with a JSON library, or let this server render it; the finding shows the place.",
            sources: [.rfc8259, .googleCompatibility, .aosp, .chromium]),
        LintRule(
            .dal002, "the top level is not an array",
            why: "Every consumer rejects the file, even with a single statement.",
            fix: "put the statements into one array.",
            sources: [.googleCompatibility, .aosp]),
        LintRule(
            .dal003, "the list is empty",
            why: "It says that the host trusts no app.",
            fix: "add a statement, or answer 404.",
            sources: [.googleCompatibility]),
        LintRule(
            .dal004, "a statement is incomplete or no object",
            why:
                "Google reports it and keeps the others. Android skips a statement without a relation or a target, and "
                + "rejects the whole file for an entry that is no object.",
            fix: "write {\"relation\": […], \"target\": {…}}.",
            sources: [.googleCompatibility, .aosp]),
        LintRule(
            .dal005, "relation is not an array of strings",
            why:
                "Google reports the statement as malformed, and Android skips it; Android 12 and later reject the whole "
                + "file for a relation that is no string.",
            fix: "write \"relation\": [\"…\"].",
            sources: [.googleCompatibility, .aosp]),
        LintRule(
            .dal006, "a relation is not written kind/detail",
            why:
                "Google reports the statement as malformed. Android 12 and later reject the whole file, earlier versions "
                + "skip the statement.",
            fix:
                "write it in lower case, with one slash and no wildcard: delegate_permission/common.handle_all_urls.",
            sources: [.googleCompatibility, .aosp]),
        LintRule(
            .dal007, or: .error, "unknown relation",
            why: "It is accepted, but no known consumer looks for it.",
            fix: "use a known relation, if this is one of those misspelt.",
            sources: [.googleStatements, .googleCompatibility]),
        LintRule(
            .dal008, "unknown namespace",
            why: "Google rejects the statement. Android 12 and later reject the whole file, earlier versions skip the "
                + "statement.",
            fix: "write android_app or web.",
            sources: [.googleCompatibility, .aosp]),
        LintRule(
            .dal009, "the package name is missing or none that an app can have",
            why:
                "The statement never applies to an app. Where the name is missing or empty, Android 12 and later reject "
                + "the whole file.",
            fix: "write the applicationId of the app.",
            sources: [.androidApplicationID, .aosp]),
        LintRule(
            .dal010, "a fingerprint has lower-case digits",
            why: "Google rejects it as malformed, and Chromium compares it exactly.",
            fix: "write it in upper case.",
            sources: [.googleCompatibility, .chromium]),
        LintRule(
            .dal011, "a fingerprint is no SHA-256 fingerprint",
            why: "Google reports the statement as malformed, and nothing equals it.",
            fix: "write the 32 bytes as upper-case pairs with colons, as keytool prints them.",
            sources: [.googleCompatibility, .androidTroubleshoot]),
        LintRule(
            .dal012, "sha256_cert_fingerprints is no array, empty or missing",
            why:
                "Google reports the statement as malformed, and Chromium finds no match. Android 12 and later reject the "
                + "whole file, earlier versions skip the statement.",
            fix: "write an array of one or more fingerprints.",
            sources: [.googleCompatibility, .chromium]),
        LintRule(
            .dal013, "a fingerprint or package name is a placeholder",
            why: "It was copied from documentation or made up, so no app of yours has it.",
            fix: "write your own.",
            sources: [.androidConfigure, .fieldReports]),
        LintRule(
            .dal014, "an app has only one fingerprint",
            why:
                "With Play App Signing, users' phones carry Google's key and keytool prints the upload key; a file "
                + "cannot show which one this is.",
            fix: "compare with the app signing key in the Play Console; list both where builds of both are used.",
            sources: [.androidVerify, .androidConfigure]),
        LintRule(
            .dal015, "a fingerprint belongs to a public debug key",
            why: "Everybody has its private key, so anybody can sign an app that this host trusts.",
            fix: "list the release key; keep debug keys on a test host.",
            sources: [.googleSpecification, .fieldReports]),
        LintRule(
            .dal016, or: .warning, "a web site is not scheme://host",
            why:
                "A path, a query, user information or a missing scheme make it malformed for Google. Except for a slash "
                + "at the end, Android 12 and later reject the whole file, and earlier versions skip the statement.",
            fix: "write https:// and the host, without a slash at the end.",
            sources: [.googleCompatibility, .googleStatements, .aosp]),
        LintRule(
            .dal017, "a web site has a path for query_webapk",
            why: "Chromium compares it with the full address of the manifest, so this relation alone needs the path; "
                + "Google rejects the statement, and Android 12 and later reject the whole file.",
            fix: "serve such a statement from a host that has no app.",
            sources: [.chromium]),
        LintRule(
            .dal018, "a web site names the default port",
            why: "Google's documents say to leave 80 and 443 out.",
            fix: "remove the port.",
            sources: [.googleStatements, .googleCompatibility]),
        LintRule(
            .dal019, "a web site is plain http",
            why: "Whoever is on the network path can speak for it.",
            fix: "write https.",
            sources: [.googleSpecification]),
        LintRule(
            .dal020, "an app has get_login_creds without handle_all_urls",
            why: "Passwords are shared, but passkeys need both relations.",
            fix: "add delegate_permission/common.handle_all_urls, if passkeys are wanted.",
            sources: [.googleCredentials]),
        LintRule(
            .dal021, "an include has a relation or a target beside it",
            why: "Google reports an invalid field; AOSP follows the include and drops the statement.",
            fix: "write two entries.",
            sources: [.googleCompatibility, .aosp]),
        LintRule(
            .dal022, "an include is no https URL",
            why: "A list that was fetched securely must not include one that is not; Google reports it.",
            fix: "write an https URL that answers 200.",
            sources: [.googleSpecification, .googleCompatibility]),
        LintRule(
            .dal023, or: .note, "statements are included",
            why: "Chromium ignores includes, and AOSP follows one level only.",
            fix: "write the statements into this file; keep includes for sharing credentials.",
            sources: [.aosp, .chromium]),
        LintRule(
            .dal024, "an include leads back to itself",
            why: "Google gives up with an exhausted budget, and AOSP stops after one level.",
            fix: "write the statements into this file.",
            sources: [.googleCompatibility, .aosp]),
        LintRule(
            .dal025, or: .note, "a statement stands twice",
            why: "The second does nothing, or it is undefined which one counts where they carry dynamic rules.",
            fix: "merge them.",
            sources: [.androidConfigure]),
        LintRule(
            .dal026, "an app has two lists of dynamic rules",
            why: "Which one Android uses is undefined.",
            fix: "merge them into one.",
            sources: [.androidConfigure]),
        LintRule(
            .dal027, or: .warning, "dynamic rules stand where they are not read",
            why: "They are read under relation_extensions, the relation that the statement grants, and "
                + "dynamic_app_link_components; anywhere else they do nothing.",
            fix: "key them by delegate_permission/common.handle_all_urls.",
            sources: [.androidConfigure]),
        LintRule(
            .dal028, "a dynamic rule has an empty value",
            why: "One of these, and Android discards all rules of the list: the manifest alone decides.",
            fix: "remove it.",
            sources: [.androidConfigure]),
        LintRule(
            .dal029, "a dynamic rule has a value of the wrong type",
            why: "Android discards all rules of the list, or ignores this one.",
            fix:
                "write strings under `/` and `#`, an object of strings under `?`, and true or false under `exclude`.",
            sources: [.androidConfigure, .aosp]),
        LintRule(
            .dal030, "a dynamic rule looks at no part of the URL",
            why: "On Android it never matches; on Apple the same rule matches everything.",
            fix: "write {\"/\": \"*\"} to match everything.",
            sources: [.aosp]),
        LintRule(
            .dal031, "the dynamic rules only exclude",
            why: "What no rule allows does not open the app, so no URL does.",
            fix: "end the list with {\"/\": \"*\"}.",
            sources: [.androidConfigure]),
        LintRule(
            .dal032, "a dynamic rule is never reached",
            why:
                "The first rule that matches decides, and earlier ones match everything that this one does. Android "
                + "accepts the file and the other rules work, so it is no error, however surely it is a mistake.",
            fix: "put the narrower rule, and every exclude, first.",
            sources: [.androidConfigure, .aosp]),
        LintRule(
            .dal033, "a dynamic rule for /prefix/* leaves out /prefix",
            why: "On Android the bare path does not match; on Apple it does.",
            fix: "add a rule for the bare path.",
            sources: [.aosp]),
        LintRule(
            .dal034, "a dynamic rule covers a path with or without its trailing slash only",
            why: "On Android `/shoes` and `/shoes/` differ; on Apple they do not.",
            fix: "add a rule for the other spelling.",
            sources: [.aosp]),
        LintRule(
            .dal035, or: .note, "a star in the middle of a dynamic rule does not backtrack",
            why: "It stops at the first occurrence of the character that follows it, so the rest often fails.",
            fix: "end the pattern with the star, or write one rule for each shape.",
            sources: [.androidConfigure, .aosp]),
        LintRule(
            .dal036, "a star is followed by `?` or `*`",
            why: "AOSP then looks for a literal dot.",
            fix: "write `?*` for one or more characters, or one star.",
            sources: [.aosp]),
        LintRule(
            .dal037, "a dynamic rule is percent-encoded",
            why: "Android decodes the URL before comparing, so `%20` matches only links that are encoded twice.",
            fix: "write the decoded character.",
            sources: [.aosp]),
        LintRule(
            .dal038, or: .note, "a star for a query item or a fragment requires that it is there",
            why: "On Android a part that the URL lacks never matches, not even `*`; on Apple it does.",
            fix: "drop the key where the part is optional.",
            sources: [.aosp]),
        LintRule(
            .dal039, "a dynamic rule uses what only Apple knows",
            why:
                "caseSensitive, percentEncoded and comment do nothing on Android, and $(name) is compared as text.",
            fix: "remove the key, or write the alternatives out.",
            sources: [.androidConfigure, .aosp]),
        LintRule(
            .dal040, "dynamic rules need Android 15",
            why: "Android 14 and older ignore them: there the manifest alone decides.",
            fix: "keep the manifest's intent filters as narrow as they can be.",
            sources: [.androidConfigure]),
        LintRule(
            .dal041, or: .note, "unknown key",
            why: "Unknown keys are ignored without a word, so a misspelt one does nothing.",
            fix: "use the key that the finding names, or remove it.",
            sources: [.googleCompatibility, .aosp]),
        LintRule(
            .dal042, "an object has the same key twice",
            why: "Which of the two a consumer takes is undefined, and consumers differ.",
            fix: "keep one of them.",
            sources: [.rfc8259]),
        LintRule(
            .dal043, "a path of a dynamic rule does not start with a slash",
            why: "Paths start with one, and Android compares them as they are; Apple adds it.",
            fix: "write the slash.",
            sources: [.aosp]),
        LintRule(
            .dal044, "a list of dynamic rules is too long to be judged as a whole",
            why: "Whether a rule is ever reached is proved over all URLs, and that is done for the first rules only.",
            fix: "use wildcards, or take it as it is.",
            sources: [.inference]),
        LintRule(
            .dal045, "an entry makes Android reject the whole file",
            why:
                "Android's JSON reader knows no number, no null and no boolean in an array, wherever they are: every "
                + "version then rejects the file with all its statements. Android 12 and later also reject it for a "
                + "namespace other than android_app and web, Android 15 and later for a dynamic rule that is no object.",
            fix: "remove the value or write it as a string; remove the statement, or serve it from another host.",
            sources: [.aosp]),
    ]
}
