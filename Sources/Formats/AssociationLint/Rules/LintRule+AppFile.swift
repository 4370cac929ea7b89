// Rules for app files: mistakes in one, and link rules that the two platforms apply differently.

import Association

extension LintRule {
    static let appFile: [LintRule] = [
        LintRule(
            .app001, or: .warning, "the file is not valid JSON5",
            why: "The server cannot read the file, so its hosts keep their last good version.",
            fix: "Correct the line that the finding names."),
        LintRule(
            .app002, "the top level is not an object",
            why: "An app file is one object with a key for each part.",
            fix: "Put the keys inside { }."),
        LintRule(
            .app003, or: .warning, "unknown key",
            why:
                "The key has no effect. If `exclude` is misspelled, the rule opens the app for URLs that must stay in "
                + "the browser; therefore the file is not published. It is a warning, and the file is published, if "
                + "no known key is similar and the key is outside links, ios and android.",
            fix: "Use the nearest known key, or remove it."),
        LintRule(
            .app004, "a key is written twice",
            why: "The server would have to guess which value is meant, and would publish the guess.",
            fix: "Keep one of them.",
            sources: [.rfc8259]),
        LintRule(
            .app005, "a value has the wrong type",
            why: "If the server converted the value, it could open more links than intended.",
            fix: "Write the type that the finding names."),
        LintRule(
            .app006, "a required key is missing or empty",
            why: "Without it there is no association to serve.",
            fix: "Add it."),
        LintRule(
            .app007, "a value is not one of the allowed words",
            why: "The key accepts only a few words.",
            fix: "Use one of the words that the finding names."),
        LintRule(
            .app008, "a host is not a DNS name",
            why: "iOS and Android fetch association files by DNS name only, so no phone would ever ask for this host.",
            fix: "Write only the name: no scheme, port, path or IP address.",
            sources: [.appleTN3155, .appleWWDC19]),
        LintRule(
            .app009, "a host is not written in the form that clients use",
            why: "Clients compare names in lower case, in Punycode and without a trailing dot.",
            fix: "Write it in that form.",
            sources: [.appleWWDC19]),
        LintRule(
            .app010, "a host is listed twice",
            why: "One of the two was probably meant to be another name.",
            fix: "Remove one of them."),
        LintRule(
            .app011, "a wildcard without its parent domain",
            why: "iOS and Android fetch the file for *.example.com from example.com.",
            fix: "List the parent domain too.",
            sources: [.appleTN3155, .androidVerify]),
        LintRule(
            .app012, "a host without a dot",
            why: "Phones reject such a name. A wildcard for it would cover a whole top-level domain.",
            fix: "Use a full domain name.",
            sources: [.appleWWDC19]),
        LintRule(
            .app013, "App Clips on a wildcard host",
            why: "Apple allows no wildcards in the appclips service.",
            fix: "List each host whose links open the App Clip.",
            sources: [.appleAssociatedDomains, .appleAppClips]),
        LintRule(
            .app014, "an entry is listed twice",
            why: "One of the two was probably meant to be another entry.",
            fix: "Remove one of them."),
        LintRule(
            .app015, "a fingerprint is served in another form",
            why:
                "Google rejects lower case, and no verifier accepts a fingerprint without colons. So the server "
                + "writes it in the accepted form.",
            fix: "Write it as it is served.",
            sources: [.googleCompatibility]),
        LintRule(
            .app016, "neither ios nor android",
            why: "The server serves nothing for the app.",
            fix: "Add the platform that the app runs on."),
        LintRule(
            .app017, "no links",
            why: "No URL opens the app on iOS, and on Android only the app's manifest decides.",
            fix: "Add rules, or turn the service off.",
            sources: [.swcutil, .androidConfigure]),
        LintRule(
            .app018, "invalid URL scheme",
            why:
                "Android compares schemes case-sensitively and expects lower case, and some schemes are reserved by "
                + "the system.",
            fix: "Use lower-case letters, digits, +, - and dots.",
            sources: [.rfc3986]),
        LintRule(
            .app019, "invalid App Store id",
            why: "The Smart App Banner needs the number of the app, not the bundle id.",
            fix: "Use the digits after /id in the app's App Store address.",
            sources: [.appleBanner]),
        LintRule(
            .app020, "a number is out of range",
            why: "The server would have to use another number than the one in the file.",
            fix: "Use a whole number in the range that the finding names."),
        LintRule(
            .app021, "an entry is retired and still in use",
            why: "It is still served, and the removal guard will not protect it.",
            fix: "Remove it from one of the two places."),
        LintRule(
            .app022, or: .note, "an environment that no app file has",
            why:
                "Every host would be served as in production, so the server does not start. If only some app files "
                + "lack the environment, this is a note.",
            fix: "Correct the name, or add the environment to an app file."),
        LintRule(
            .app023, "a setting has no effect",
            why: "The feature that it belongs to is missing or turned off.",
            fix: "Remove it, or turn the feature on."),
        LintRule(
            .app024, "a variable that cannot work",
            why: "Apple drops it or never matches it, so the rules that use it have no effect.",
            fix: "Give it a name without $, ( and ), and plain values.",
            sources: [.appleVariables]),
        LintRule(
            .app025, "an example is not a URL",
            why: "The server cannot check it.",
            fix: "Write https://, the host and the path."),
        LintRule(
            .app026, "an example fails",
            why: "The rules do not give the result that the example expects.",
            fix: "Correct the rule that decides, or the example."),
        LintRule(
            .app027, or: .warning, "an example cannot be checked",
            why: "The file has no app for the platform, or too many rules for its examples.",
            fix: "Remove the expected result, or use fewer examples."),
        LintRule(
            .app028, "an example is on another host",
            why: "The rules never apply to that host.",
            fix: "Add the host, or remove the example.",
            sources: [.swcutil]),
        LintRule(
            .app029, or: .note, "a rule that Android cannot express",
            why: "It is omitted from the dynamic rules, so these URLs are handled differently on Android.",
            fix:
                "Rewrite the rule with features that both platforms have, use variables with fewer values, or accept the "
                + "difference.",
            sources: [.androidConfigure, .aosp]),
        LintRule(
            .app030, or: .warning, "a rule matches slightly different URLs on Android",
            why:
                "Android decides differently for some URLs that the rule matches on iOS. The finding names one.",
            fix: "If it is a warning, change the rule. If it is a note, no change is needed unless you use such URLs.",
            sources: [.androidConfigure, .aosp]),
        LintRule(
            .app031, "a rule that iOS 9 to 12 cannot express",
            why: "It is omitted from `paths`, so these URLs are handled differently on those systems.",
            fix: "Accept the difference, or turn legacyPaths off.",
            sources: [.appleDetails, .appleArchive]),
        LintRule(
            .app032, or: .warning, "a rule matches slightly different URLs on iOS 9 to 12",
            why:
                "Those systems decide differently for some URLs that the rule matches on later ones. The finding "
                + "names one.",
            fix: "If it is a warning, change the rule. If it is a note, no change is needed unless you use such URLs.",
            sources: [.appleDetails, .appleArchive]),
        LintRule(
            .app033, "the statement list of a host is too large",
            why: "Android's verifier reads at most 1 MiB and rejects a longer file.",
            fix: "Use fewer rules or variables, or move apps to their own hosts.",
            sources: [.aosp]),
        LintRule(
            .app034, "the AASA file of a host is too large",
            why: "Apple reads at most 131,072 bytes, counted after decompression, and rejects a longer file.",
            fix: "Use wildcards and variables, or move apps to their own hosts.",
            sources: [.appleArchive]),
        LintRule(
            .app035, "the AASA file of a host is almost too large",
            why: "With a few more rules, Apple rejects it.",
            fix: "Use wildcards and variables, or move apps to their own hosts.",
            sources: [.appleArchive]),
        LintRule(
            .app036, "two apps claim the same URL",
            why: "If both apps are installed, the system chooses which one opens.",
            fix: "Exclude the URL in one of the apps, or narrow its rules.",
            sources: [.appleComponents, .androidVerify]),
        LintRule(
            .app037, "app files of one host disagree about a setting",
            why: "The host has one document of each kind, so only one of the settings takes effect.",
            fix: "Make them equal."),
        LintRule(
            .app038, "an app is in two app files of a host",
            why: "It is not known whether Apple reads its second entry, and on Android the result is undefined.",
            fix: "Merge the two files.",
            sources: [.inference, .androidConfigure]),
        LintRule(
            .app039, "a variable is published under another name",
            why: "All apps of a host share one table of variables, which also has the predefined ones.",
            fix: "No change is needed. If the name matters, choose one that is unique.",
            sources: [.appleVariables]),
        LintRule(
            .app040, or: .note, "a rule has no effect",
            why:
                "The first rule that matches a URL decides. Either an earlier rule matches all URLs of this one, or it "
                + "matches no URL, or it excludes URLs that no later rule includes.",
            fix: "Move it up, correct it or remove it.",
            sources: [.swcutil]),
        LintRule(
            .app041, "the document cannot be signed",
            why: "A client that needs a signed document rejects a plain one, so the server serves neither.",
            fix: "Put an RSA or ECDSA certificate into the host's folder, or remove signed.",
            sources: [.appleArchive]),
        LintRule(
            .app042, "an app id, App Clip, package, fingerprint or host was removed while it was live",
            why:
                "Phones, Apple and Google cache association files for days, and the server cannot clear these caches. "
                + "So the server keeps the last good version in service, in case the removal was a mistake. With "
                + "`guard: \"warn\"` in the app file, the removal takes effect, and this is a warning. After an update "
                + "of the server, this error also names a host that is no longer served, because its app file is "
                + "broken and its saved copy in the state directory cannot be used.",
            fix:
                "Restore it, list it under `retired` in the app file, or run `associated retire FILE` to take the "
                + "whole file out of service.",
            sources: [.appleArchive, .androidVerify], subject: .installation),
        LintRule(
            .app043, "a large file was not checked completely",
            why: "Rules are compared over all URLs, so only a limited number of rules is compared.",
            fix: "Use wildcards and variables, or ignore this note."),
        LintRule(
            .app045, "too many app files name one host",
            why: "When one of these files changes, the server generates the host's documents again from all of them.",
            fix: "Merge app files, or move apps to their own hosts."),
        LintRule(
            .app046, "an app file names a host that its folder may not name",
            why: "owners in server.json defines which hosts the files of a folder may name. The file is not published.",
            fix: "Remove the host from the file. If it belongs to no other folder, the operator can add it to owners.",
            subject: .installation),
        LintRule(
            .app047, "an example fails with the Android manifest alone",
            why:
                "Android 14 and earlier, and later versions without dynamic rules, use only the manifest, and its "
                + "filters cannot exclude URLs. The check assumes the manifest that `associated snippet` prints.",
            fix:
                "Turn on dynamicRules for Android 15 and later. Write the result that you accept on Android 14 and "
                + "earlier as `android14`.",
            sources: [.androidConfigure]),
        LintRule(
            .app049, "a host has a form that IDNA reserves or does not allow",
            why:
                "Phones request such a name if the DNS has it. But certificate authorities put no label with -- in positions "
                + "3 and 4 into a certificate unless it begins with xn--, and software that follows IDNA 2008 refuses symbols "
                + "such as emoji. A label that browsers refuse too is an error (APP-008).",
            fix: "Use another name, or make sure that a wildcard certificate covers it.",
            sources: [.rfc5891]),
        LintRule(
            .app050, "an address of passkeys is not an https URL",
            why:
                "Password managers open only https URLs of passkey-endpoints, and browsers compare each origin of webauthn "
                + "with that of the page: a scheme and a host, without a path.",
            fix: "Write https://, the host, and for enroll, manage and prfUsageDetails the path of the page.",
            sources: [.w3cPasskeyEndpoints, .w3cWebAuthn]),
    ]
}
