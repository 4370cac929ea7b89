// The catalogue's rules for the structure of an apple-app-site-association file: the text, the services, app ids and
// the entries of `details`. A table: it reads best whole.

import Association

extension LintRule {
    static let appleStructure: [LintRule] = [
        LintRule(
            .aasa001, "the text is not strict JSON",
            why: "Apple's readers reject the file as a whole, so no link opens any app and no password is offered.",
            fix: "write the file with a JSON library, or let this server render it; the finding shows the place.",
            sources: [.rfc8259, .appleAssociatedDomains, .fieldReports]),
        LintRule(
            .aasa002, "the top level is not an object",
            why: "Every service is looked up by its key in one object.",
            fix: "put the services into one object: {\"applinks\": …}.",
            sources: [.appleAssociatedDomains]),
        LintRule(
            .aasa003, "the text is not UTF-8",
            why: "Devices may read UTF-16, but they get the file through Apple's CDN, which is a different reader.",
            fix: "save the file as UTF-8 without a byte order mark.",
            sources: [.rfc8259, .inference]),
        LintRule(
            .aasa004, "the text starts with a byte order mark",
            why: "Some readers skip it; nobody has shown that Apple's CDN does.",
            fix: "save the file as UTF-8 without a byte order mark.",
            sources: [.rfc8259, .inference]),
        LintRule(
            .aasa005, "the file is larger than 131,072 bytes",
            why: "The limit counts the bytes after gzip is undone; a longer file is refused whole.",
            fix: "merge patterns with wildcards and variables, or split the apps over several hosts.",
            sources: [.appleArchive]),
        LintRule(
            .aasa006, "the file is larger than 100 KB",
            why: "It is close to the limit of 131,072 bytes, and every device downloads it.",
            fix: "merge patterns with wildcards and variables.",
            sources: [.appleArchive]),
        LintRule(
            .aasa007, "an object has the same key twice",
            why: "Which of the two a reader takes is undefined, and readers differ.",
            fix: "keep one of them.",
            sources: [.rfc8259]),
        LintRule(
            .aasa008, or: .error, "unknown service",
            why: "Unknown keys are ignored without a word, so a misspelt service does nothing.",
            fix: "use applinks, webcredentials, appclips or activitycontinuation.",
            sources: [.appleAssociatedDomains]),
        LintRule(
            .aasa009, "the file names no app for any service",
            why: "It associates nothing, yet every device downloads it.",
            fix: "add an app, or answer 404.",
            sources: [.appleAssociatedDomains]),
        LintRule(
            .aasa010, "applinks has no details",
            why: "Apps and patterns are read from details and from nowhere else that Apple documents.",
            fix: "add \"details\": [{\"appIDs\": […], \"components\": […]}].",
            sources: [.appleDetails]),
        LintRule(
            .aasa011, "details is an object keyed by app id",
            why:
                "It is the form of 2015; it is still read, but the order of apps, which decides between them, is lost.",
            fix: "write an array of objects with appIDs and components.",
            sources: [.appleArchive, .fieldReports]),
        LintRule(
            .aasa012, "details is neither an array nor an object",
            why: "It is ignored, so no link opens any app.",
            fix: "write an array of objects.",
            sources: [.appleDetails]),
        LintRule(
            .aasa013, "entries for iOS 12 and older stand without apps",
            why: "iOS 9 to 12 read paths and appID only where \"apps\": [] stands beside details.",
            fix: "add \"apps\": [], or write components and appIDs for iOS 13 and later.",
            sources: [.appleArchive]),
        LintRule(
            .aasa014, or: .warning, "applinks.apps is not empty",
            why:
                "The key is a leftover that has to be an empty array; what systems do with entries in it is "
                + "undocumented. Beside details, which do name apps, it is a warning: no system is known to refuse the "
                + "file for it.",
            fix: "write \"apps\": [] or leave the key out; apps belong into details.",
            sources: [.appleArchive]),
        LintRule(
            .aasa015, "an entry of details names no app",
            why: "The entry is ignored.",
            fix: "add appIDs.",
            sources: [.appleDetails, .swcutil]),
        LintRule(
            .aasa016, "appIDs is empty",
            why: "No app is registered, even where appID names one: the array wins.",
            fix: "list the app ids, or remove the key.",
            sources: [.swcutil]),
        LintRule(
            .aasa017, "appIDs and appID name different apps",
            why: "iOS 13 and later read the array, older systems the single id, so phones differ.",
            fix: "put the same id in both, or drop appID.",
            sources: [.appleDetails, .swcutil]),
        LintRule(
            .aasa018, "appIDs is no array of strings, or appID no string",
            why: "A value of the wrong type is not read, so the entry names no app.",
            fix: "write \"appIDs\": [\"…\"].",
            sources: [.appleDetails]),
        LintRule(
            .aasa019, "an app id is not PREFIX.bundle.id",
            why: "Ids are compared whole with the one in the app's signature, so this one equals none.",
            fix: "write the ten characters of the team id (or of the legacy prefix), a dot, and the bundle id.",
            sources: [.appleAssociatedDomains, .appleDetails]),
        LintRule(
            .aasa020, "the prefix of an app id has lower-case letters",
            why: "Team ids are upper case; whether Apple folds them is undocumented.",
            fix: "write it in upper case.",
            sources: [.inference]),
        LintRule(
            .aasa021, or: .warning, "a bundle id has a character that none can have",
            why: "Bundle ids are made of letters, digits, hyphens and dots; wildcards are not supported.",
            fix: "list each app by the bundle id that Xcode shows.",
            sources: [.appleAssociatedDomains]),
        LintRule(
            .aasa022, "an app id is a placeholder",
            why: "It was copied from documentation or a template, so no app of yours has it.",
            fix: "write your team id and bundle id.",
            sources: [.fieldReports]),
        LintRule(
            .aasa023, "an app stands in two entries of details",
            why: "Whether the later entry counts is unsettled: it may be merged or ignored.",
            fix: "merge the entries.",
            sources: [.inference]),
        LintRule(
            .aasa024, "an app id stands twice in one list",
            why: "The second does nothing.",
            fix: "remove it.",
            sources: [.inference]),
        LintRule(
            .aasa025, or: .note, "an entry has both components and paths",
            why: "iOS 13 and later read components only, and Apple warns of unexpected behaviour.",
            fix: "keep both only to serve iOS 9 to 12; otherwise drop paths.",
            sources: [.appleTN3155, .appleDetails]),
        LintRule(
            .aasa026, "components and paths of an entry differ in what they open",
            why: "Old and new systems open different URLs.",
            fix: "write one from the other.",
            sources: [.appleDetails]),
        LintRule(
            .aasa027, "an entry uses only paths",
            why: "It works, but paths cannot look at the query or the fragment.",
            fix: "write appIDs and components.",
            sources: [.appleDetails]),
        LintRule(
            .aasa028, or: .warning, "components is empty",
            why: "Nothing matches, so no link opens the app.",
            fix: "add rules, or remove the entry.",
            sources: [.swcutil]),
        LintRule(
            .aasa029, "an entry has neither components nor paths",
            why: "Every URL of the host opens the app, by what the field reports; no document says so.",
            fix: "say it: \"components\": [{\"/\": \"*\"}].",
            sources: [.fieldReports]),
        LintRule(
            .aasa030, "a component looks at no part of the URL",
            why: "It matches every URL of the host.",
            fix: "add a pattern under \"/\", \"?\" or \"#\", or write \"/\": \"*\" to say that it is meant.",
            sources: [.swcutil]),
        LintRule(
            .aasa031, "an element of components or paths has the wrong type",
            why:
                "Components are objects and paths are strings; what a system makes of anything else is undocumented, "
                + "and elsewhere it errs on the side of matching too much.",
            fix: "remove it or write it as an object (components) or a string (paths).",
            sources: [.appleComponents, .inference]),
        LintRule(
            .aasa032, "a path or fragment pattern is not a string",
            why: "It counts as absent, so the component matches more than it says.",
            fix: "write a string.",
            sources: [.appleComponents, .swcutil]),
        LintRule(
            .aasa033, "a query pattern is not a string",
            why: "One such value drops the whole query dictionary, so the component matches more than it says.",
            fix: "put the value in quotation marks.",
            sources: [.appleQuery, .swcutil]),
        LintRule(
            .aasa034, "a query is neither a string nor an object",
            why: "It is ignored, so the component matches more than it says.",
            fix: "write an object of names and patterns.",
            sources: [.appleComponents, .inference]),
        LintRule(
            .aasa035, or: .error, "unknown key",
            why: "Unknown keys are ignored without a word, so a misspelt one does nothing.",
            fix: "use the key that the finding names, or remove it.",
            sources: [.appleComponents, .swcutil]),
        LintRule(
            .aasa036, "a flag is not true or false",
            why: "How other values are read is undocumented.",
            fix: "write true or false without quotation marks.",
            sources: [.appleComponents, .inference]),
    ]
}
