// The catalogue's rules for app files: what a person can get wrong in one, and where the two platforms part ways over
// the rules it states once. A table: it reads best whole.

import Association

extension LintRule {
    static let appFile: [LintRule] = [
        LintRule(
            .app001, or: .warning, "the file is not JSON5",
            why: "Nothing of it can be read, so the hosts keep what they had.",
            fix: "mend the line it names.", sources: [.inference]),
        LintRule(
            .app002, "the top level is not an object",
            why: "An app file is one object with a key for each part.",
            fix: "put the keys into { }.", sources: [.inference]),
        LintRule(
            .app003, or: .warning, "an unknown key",
            why:
                "It has no effect: a misspelt exclude publishes what it was to exclude. A warning where no known key is "
                + "near and it is outside links, ios and android.",
            fix: "use the nearest known key, or remove it.", sources: [.inference]),
        LintRule(
            .app004, "a key is written twice",
            why: "Which of the two is meant is a guess, and a guess would be published.",
            fix: "keep one.", sources: [.rfc8259]),
        LintRule(
            .app005, "a value has the wrong type",
            why: "Read as something else, it could open more links than intended.",
            fix: "write the type that the message names.", sources: [.inference]),
        LintRule(
            .app006, "a required key is missing or empty",
            why: "Without it there is no association to serve.",
            fix: "add it.", sources: [.inference]),
        LintRule(
            .app007, "a value that means nothing here",
            why: "The key takes one of a few words.",
            fix: "use one of the words that the message names.", sources: [.inference]),
        LintRule(
            .app008, "a host is not a DNS name",
            why: "Verifiers ask for names only, so the site would never be asked for.",
            fix: "write the bare name: no scheme, port, path or address.", sources: [.appleTN3155, .appleWWDC19]),
        LintRule(
            .app009, "a host is written in another form than clients ask for",
            why: "Names are compared in lower case, in Punycode and without a trailing dot.",
            fix: "write it that way.", sources: [.appleWWDC19]),
        LintRule(
            .app010, "a host is listed twice",
            why: "One of the two was probably meant to be another name.",
            fix: "remove one.", sources: [.inference]),
        LintRule(
            .app011, "a wildcard without its parent",
            why: "Apple and Android fetch the file for *.example.com from example.com.",
            fix: "list the parent too.", sources: [.appleTN3155, .androidVerify]),
        LintRule(
            .app012, "a host without a dot",
            why: "Phones refuse such a name, and a wildcard over it would cover a whole top-level domain.",
            fix: "use a full domain name.", sources: [.appleWWDC19]),
        LintRule(
            .app013, "App Clips on a wildcard host",
            why: "Apple allows no wildcards in the appclips service.",
            fix: "list each host that a clip is invoked from.", sources: [.appleAssociatedDomains, .appleAppClips]),
        LintRule(
            .app014, "an entry is listed twice",
            why: "One of the two was probably meant to be another.",
            fix: "remove one.", sources: [.inference]),
        LintRule(
            .app015, "a fingerprint is served in another spelling",
            why: "Google rejects lower case, and nothing accepts a form without colons.",
            fix: "write it as it is served.", sources: [.googleCompatibility]),
        LintRule(
            .app016, "neither ios nor android",
            why: "Nothing would be served for the app.",
            fix: "add the platform it is on.", sources: [.inference]),
        LintRule(
            .app017, "no links",
            why: "No URL opens the app on iOS, and Android goes by the app's manifest alone.",
            fix: "add rules, or turn the service off.", sources: [.swcutil, .androidConfigure]),
        LintRule(
            .app018, "not a URL scheme of an app",
            why: "Android compares schemes exactly and in lower case, and the system keeps its own.",
            fix: "use lower-case letters, digits, +, - and a dot.", sources: [.rfc3986]),
        LintRule(
            .app019, "not an App Store number",
            why: "The Smart App Banner takes the number, not the bundle id.",
            fix: "use the digits after /id in the app's App Store address.", sources: [.appleBanner]),
        LintRule(
            .app020, "a number out of range",
            why: "It would be cut to something that nobody wrote.",
            fix: "use a whole number within the bounds of the message.", sources: [.inference]),
        LintRule(
            .app021, "listed as retired and still in use",
            why: "It is served, and its later removal would not be guarded.",
            fix: "remove it in one of the two places.", sources: [.inference]),
        LintRule(
            .app022, or: .note, "an environment that no app file has",
            why:
                "Every host would be served as in production, so the server does not start. That some app files have it "
                + "and others do not is a note.",
            fix: "correct the name, or add the environment to an app file.", sources: [.inference]),
        LintRule(
            .app023, "a setting without effect",
            why: "What it belongs to is missing or turned off.",
            fix: "remove it, or turn on what it needs.", sources: [.inference]),
        LintRule(
            .app024, "a variable that cannot work",
            why: "Apple drops it or never matches it, so rules that use it are dead.",
            fix: "give it a name without $, ( and ), and plain values.", sources: [.appleVariables]),
        LintRule(
            .app025, "an example is not a URL",
            why: "It could not be checked.",
            fix: "write https://, the host and the path.", sources: [.inference]),
        LintRule(
            .app026, "an example fails",
            why: "The rules do something else than the file promises.",
            fix: "mend the rule that decides, or the example.", sources: [.inference]),
        LintRule(
            .app027, or: .warning, "an example that nothing here can check",
            why: "The file has no app for the platform, or has too many rules for its examples.",
            fix: "drop the expectation, or take fewer examples.", sources: [.inference]),
        LintRule(
            .app028, "an example on another host",
            why: "The rules never apply there.",
            fix: "add the host, or remove the example.", sources: [.swcutil]),
        LintRule(
            .app029, "a rule that Android cannot express",
            why: "It is left out of the dynamic rules, so its URLs go another way there.",
            fix: "rewrite the rule in what both platforms know, or accept the difference.",
            sources: [.androidConfigure, .aosp]),
        LintRule(
            .app030, or: .warning, "a rule that means a little less on Android",
            why: "Some unusual URLs are decided differently there.",
            fix: "nothing, unless such URLs are in use.", sources: [.androidConfigure, .aosp]),
        LintRule(
            .app031, "a rule that iOS 9 to 12 cannot express",
            why: "It is left out of `paths`, so its URLs go another way on those systems.",
            fix: "accept the difference, or turn legacyPaths off.", sources: [.appleDetails, .appleArchive]),
        LintRule(
            .app032, or: .warning, "a rule that means a little less on iOS 9 to 12",
            why: "Some unusual URLs are decided differently there.",
            fix: "nothing, unless such URLs are in use.", sources: [.appleDetails, .appleArchive]),
        LintRule(
            .app033, "the statement list of a host is too large",
            why: "Android's verifier reads a megabyte and refuses a longer file.",
            fix: "use fewer rules or variables, or move apps to hosts of their own.", sources: [.aosp]),
        LintRule(
            .app034, "the association document of a host is too large",
            why: "Apple reads 131,072 bytes, counted unpacked, and refuses a longer file.",
            fix: "use wildcards and variables, or move apps to hosts of their own.", sources: [.appleArchive]),
        LintRule(
            .app035, "the association document of a host is nearly too large",
            why: "A few more rules and Apple refuses it.",
            fix: "use wildcards and variables, or move apps to hosts of their own.", sources: [.appleArchive]),
        LintRule(
            .app036, "two apps claim the same URL",
            why: "With both installed, which one opens is up to the system.",
            fix: "exclude the URL in one of the apps, or narrow its rules.",
            sources: [.appleComponents, .androidVerify]),
        LintRule(
            .app037, "apps on one host want different things",
            why: "The host has one document of each kind, so one setting wins.",
            fix: "make them equal.", sources: [.inference]),
        LintRule(
            .app038, "one app in two app files of a host",
            why: "Whether Apple reads its second entry is unsettled, and Android leaves it undefined.",
            fix: "merge the two files.", sources: [.inference, .androidConfigure]),
        LintRule(
            .app039, "a variable is published under another name",
            why: "All apps of a host share one table of variables, beside the predefined ones.",
            fix: "nothing; or give it a name of its own.", sources: [.appleVariables]),
        LintRule(
            .app040, or: .note, "a rule that decides nothing",
            why: "The first rule that matches decides; this one never is the first, or matches nothing.",
            fix: "move it up, mend it or remove it.", sources: [.swcutil]),
        LintRule(
            .app041, "the document is to be signed and cannot be",
            why: "Whoever asks for a signed document refuses a plain one, so nothing is served in its place.",
            fix: "put a certificate for RSA or ECDSA into the host's folder, or remove signed.",
            sources: [.appleArchive]),
        LintRule(
            .app042, "something that is live disappears",
            why: "Phones and the caches of Apple and Google keep what they know for days and cannot be told, so the "
                + "last good version stays in service; with guard: \"warn\" it goes, and this is a warning.",
            fix: "restore it, list it under retired, or run `associated retire FILE` for the whole file.",
            sources: [.appleArchive, .androidVerify], subject: .installation),
        LintRule(
            .app043, "not everything in a large file was examined",
            why: "Rules are compared over all URLs, and that is done for a bounded number of them.",
            fix: "use wildcards and variables, or take it as it is.",
            sources: [.inference]),
        LintRule(
            .app045, "more app files name one host than can be served",
            why: "Each change of one of them makes the host's documents again, of all of them.",
            fix: "merge app files, or move apps to hosts of their own.", sources: [.inference]),
        LintRule(
            .app046, "an app file names a host that its folder may not name",
            why:
                "server.json says under owners which hosts the files of a folder may name, and the file is not published.",
            fix: "remove the host from the file, or add it to owners.", sources: [.inference], subject: .installation),
        LintRule(
            .app047, "an example that the Android manifest does not keep",
            why: "Android 14 and earlier, and later versions without dynamic rules, go by the manifest alone, and its "
                + "filters exclude nothing. The manifest of `associated snippet` is taken for the app's.",
            fix:
                "turn on dynamicRules for Android 15 and later, and write what is acceptable on Android 14 and earlier "
                + "as `android14`.", sources: [.androidConfigure]),
        LintRule(
            .app048, "a landing page that leads to no iOS app",
            why: "On an iPhone without the app, the page has a name and no button.",
            fix: "add ios.storeID or scheme, or turn the landing page off.", sources: [.inference]),
    ]
}
