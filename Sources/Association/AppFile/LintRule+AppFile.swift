// The catalogue's rules for app files: what a person can get wrong in one, and where the two platforms part ways over
// the rules it states once. A table: it reads best whole.

extension LintRule {
    static let appFile: [LintRule] = [
        LintRule(
            "APP-001", .error, or: .warning, "the file is not JSON5",
            why: "Nothing of it can be read, so the hosts keep what they had.",
            fix: "mend the line it names.", sources: [.inference]),
        LintRule(
            "APP-002", .error, "the top level is not an object",
            why: "An app file is one object with a key for each part.",
            fix: "put the keys into { }.", sources: [.inference]),
        LintRule(
            "APP-003", .error, or: .warning, "an unknown key",
            why:
                "It has no effect: a misspelt exclude publishes what it was to exclude. A warning where no known key is "
                + "near and it is outside links, ios and android.",
            fix: "use the nearest known key, or remove it.", sources: [.inference]),
        LintRule(
            "APP-004", .error, "a key is written twice",
            why: "Which of the two is meant is a guess, and a guess would be published.",
            fix: "keep one.", sources: [.rfc8259]),
        LintRule(
            "APP-005", .error, "a value has the wrong type",
            why: "Read as something else, it could open more links than intended.",
            fix: "write the type that the message names.", sources: [.inference]),
        LintRule(
            "APP-006", .error, "a required key is missing or empty",
            why: "Without it there is no association to serve.",
            fix: "add it.", sources: [.inference]),
        LintRule(
            "APP-007", .error, "a value that means nothing here",
            why: "The key takes one of a few words.",
            fix: "use one of the words that the message names.", sources: [.inference]),
        LintRule(
            "APP-008", .error, "a host is not a DNS name",
            why: "Verifiers ask for names only, so the site would never be asked for.",
            fix: "write the bare name: no scheme, port, path or address.", sources: [.appleTN3155, .appleWWDC19]),
        LintRule(
            "APP-009", .note, "a host is written in another form than clients ask for",
            why: "Names are compared in lower case, in Punycode and without a trailing dot.",
            fix: "write it that way.", sources: [.appleWWDC19]),
        LintRule(
            "APP-010", .warning, "a host is listed twice",
            why: "One of the two was probably meant to be another name.",
            fix: "remove one.", sources: [.inference]),
        LintRule(
            "APP-011", .warning, "a wildcard without its parent",
            why: "Apple and Android fetch the file for *.example.com from example.com.",
            fix: "list the parent too.", sources: [.appleTN3155, .androidVerify]),
        LintRule(
            "APP-012", .warning, "a host without a dot",
            why: "Phones refuse such a name, and a wildcard over it would cover a whole top-level domain.",
            fix: "use a full domain name.", sources: [.appleWWDC19]),
        LintRule(
            "APP-013", .warning, "App Clips on a wildcard host",
            why: "Apple allows no wildcards in the appclips service.",
            fix: "list each host that a clip is invoked from.", sources: [.appleAssociatedDomains, .appleAppClips]),
        LintRule(
            "APP-014", .warning, "an entry is listed twice",
            why: "One of the two was probably meant to be another.",
            fix: "remove one.", sources: [.inference]),
        LintRule(
            "APP-015", .note, "a fingerprint is served in another spelling",
            why: "Google rejects lower case, and nothing accepts a form without colons.",
            fix: "write it as it is served.", sources: [.googleCompatibility]),
        LintRule(
            "APP-016", .error, "neither ios nor android",
            why: "Nothing would be served for the app.",
            fix: "add the platform it is on.", sources: [.inference]),
        LintRule(
            "APP-017", .warning, "no links",
            why: "No URL opens the app on iOS, and Android goes by the app's manifest alone.",
            fix: "add rules, or turn the service off.", sources: [.swcutil, .androidConfigure]),
        LintRule(
            "APP-018", .error, "not a URL scheme of an app",
            why: "Android compares schemes exactly and in lower case, and the system keeps its own.",
            fix: "use lower-case letters, digits, +, - and a dot.", sources: [.rfc3986]),
        LintRule(
            "APP-019", .error, "not an App Store number",
            why: "The Smart App Banner takes the number, not the bundle id.",
            fix: "use the digits after /id in the app's App Store address.", sources: [.appleBanner]),
        LintRule(
            "APP-020", .error, "a number out of range",
            why: "It would be cut to something that nobody wrote.",
            fix: "use a whole number within the bounds of the message.", sources: [.inference]),
        LintRule(
            "APP-021", .warning, "listed as retired and still in use",
            why: "It is served, and its later removal would not be guarded.",
            fix: "remove it in one of the two places.", sources: [.inference]),
        LintRule(
            "APP-022", .error, or: .note, "an environment that no app file has",
            why:
                "Every host would be served as in production, so the server does not start. That some app files have it "
                + "and others do not is a note.",
            fix: "correct the name, or add the environment to an app file.", sources: [.inference]),
        LintRule(
            "APP-023", .warning, "a setting without effect",
            why: "What it belongs to is missing or turned off.",
            fix: "remove it, or turn on what it needs.", sources: [.inference]),
        LintRule(
            "APP-024", .error, "a variable that cannot work",
            why: "Apple drops it or never matches it, so rules that use it are dead.",
            fix: "give it a name without $, ( and ), and plain values.", sources: [.appleVariables]),
        LintRule(
            "APP-025", .error, "an example is not a URL",
            why: "It could not be checked.",
            fix: "write https://, the host and the path.", sources: [.inference]),
        LintRule(
            "APP-026", .error, "an example fails",
            why: "The rules do something else than the file promises.",
            fix: "mend the rule that decides, or the example.", sources: [.inference]),
        LintRule(
            "APP-027", .note, or: .warning, "an example that nothing here can check",
            why: "The file has no app for the platform, or has too many rules for its examples.",
            fix: "drop the expectation, or take fewer examples.", sources: [.inference]),
        LintRule(
            "APP-028", .error, "an example on another host",
            why: "The rules never apply there.",
            fix: "add the host, or remove the example.", sources: [.swcutil]),
        LintRule(
            "APP-029", .warning, "a rule that Android cannot express",
            why: "It is left out of the dynamic rules, so its URLs go another way there.",
            fix: "rewrite the rule in what both platforms know, or accept the difference.",
            sources: [.androidConfigure, .aosp]),
        LintRule(
            "APP-030", .note, or: .warning, "a rule that means a little less on Android",
            why: "Some unusual URLs are decided differently there.",
            fix: "nothing, unless such URLs are in use.", sources: [.androidConfigure, .aosp]),
        LintRule(
            "APP-031", .warning, "a rule that iOS 9 to 12 cannot express",
            why: "It is left out of `paths`, so its URLs go another way on those systems.",
            fix: "accept the difference, or turn legacyPaths off.", sources: [.appleDetails, .appleArchive]),
        LintRule(
            "APP-032", .note, or: .warning, "a rule that means a little less on iOS 9 to 12",
            why: "Some unusual URLs are decided differently there.",
            fix: "nothing, unless such URLs are in use.", sources: [.appleDetails, .appleArchive]),
        LintRule(
            "APP-033", .error, "the statement list of a host is too large",
            why: "Android's verifier reads a megabyte and refuses a longer file.",
            fix: "use fewer rules or variables, or move apps to hosts of their own.", sources: [.aosp]),
        LintRule(
            "APP-034", .error, "the association document of a host is too large",
            why: "Apple reads 131,072 bytes, counted unpacked, and refuses a longer file.",
            fix: "use wildcards and variables, or move apps to hosts of their own.", sources: [.appleArchive]),
        LintRule(
            "APP-035", .warning, "the association document of a host is nearly too large",
            why: "A few more rules and Apple refuses it.",
            fix: "use wildcards and variables, or move apps to hosts of their own.", sources: [.appleArchive]),
        LintRule(
            "APP-036", .warning, "two apps claim the same URL",
            why: "With both installed, which one opens is up to the system.",
            fix: "exclude the URL in one of the apps, or narrow its rules.",
            sources: [.appleComponents, .androidVerify]),
        LintRule(
            "APP-037", .warning, "apps on one host want different things",
            why: "The host has one document of each kind, so one setting wins.",
            fix: "make them equal.", sources: [.inference]),
        LintRule(
            "APP-038", .warning, "one app in two app files of a host",
            why: "Whether Apple reads its second entry is unsettled, and Android leaves it undefined.",
            fix: "merge the two files.", sources: [.inference, .androidConfigure]),
        LintRule(
            "APP-039", .note, "a variable is published under another name",
            why: "All apps of a host share one table of variables, beside the predefined ones.",
            fix: "nothing; or give it a name of its own.", sources: [.appleVariables]),
        LintRule(
            "APP-040", .warning, or: .note, "a rule that decides nothing",
            why: "The first rule that matches decides; this one never is the first, or matches nothing.",
            fix: "move it up, mend it or remove it.", sources: [.swcutil]),
        LintRule(
            "APP-041", .error, "the document is to be signed and cannot be",
            why: "Whoever asks for a signed document refuses a plain one, so nothing is served in its place.",
            fix: "put a certificate for RSA or ECDSA into the host's folder, or remove signed.",
            sources: [.appleArchive]),
        LintRule(
            "APP-042", .error, "something that is live disappears",
            why: "Phones and the caches of Apple and Google keep what they know for days and cannot be told, so the "
                + "last good version stays in service; with guard: \"warn\" it goes, and this is a warning.",
            fix: "restore it, list it under retired, or run `associated retire FILE` for the whole file.",
            sources: [.appleArchive, .androidVerify], subject: .installation),
        LintRule(
            "APP-043", .note, "not everything in a large file was examined",
            why: "Rules are compared over all URLs, and that is done for a bounded number of them.",
            fix: "use wildcards and variables, or take it as it is.",
            sources: [.inference]),
        LintRule(
            "APP-045", .error, "more app files name one host than can be served",
            why: "Each change of one of them makes the host's documents again, of all of them.",
            fix: "merge app files, or move apps to hosts of their own.", sources: [.inference]),
        LintRule(
            "APP-046", .error, "an app file names a host that its folder may not name",
            why:
                "server.json says under owners which hosts the files of a folder may name, and the file is not published.",
            fix: "remove the host from the file, or add it to owners.", sources: [.inference], subject: .installation),
        LintRule(
            "APP-047", .warning, "an example that the Android manifest does not keep",
            why: "Android 14 and earlier, and later versions without dynamic rules, go by the manifest alone, and its "
                + "filters exclude nothing. The manifest of `associated snippet` is taken for the app's.",
            fix:
                "turn on dynamicRules for Android 15 and later, and write what is acceptable on Android 14 and earlier "
                + "as `android14`.", sources: [.androidConfigure]),
        LintRule(
            "APP-048", .note, "a landing page that leads to no iOS app",
            why: "On an iPhone without the app, the page has a name and no button.",
            fix: "add ios.storeID or scheme, or turn the landing page off.", sources: [.inference]),
    ]
}
