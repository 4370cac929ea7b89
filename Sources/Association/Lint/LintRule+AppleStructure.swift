// The catalogue's rules for the structure of an apple-app-site-association file: the text, the services, app ids and
// the entries of `details`. A table: it reads best whole.

extension LintRule {
    static let appleStructure: [LintRule] = [
        LintRule(
            "AASA-001", .error, "the text is not strict JSON",
            why: "Apple's readers reject the file as a whole, so no link opens any app and no password is offered.",
            fix: "write the file with a JSON library, or let this server render it; the finding shows the place.",
            sources: [.rfc8259, .appleAssociatedDomains, .fieldReports]),
        LintRule(
            "AASA-002", .error, "the top level is not an object",
            why: "Every service is looked up by its key in one object.",
            fix: "put the services into one object: {\"applinks\": …}.",
            sources: [.appleAssociatedDomains]),
        LintRule(
            "AASA-003", .error, "the text is not UTF-8",
            why: "Devices may read UTF-16, but they get the file through Apple's CDN, which is a different reader.",
            fix: "save the file as UTF-8 without a byte order mark.",
            sources: [.rfc8259, .inference]),
        LintRule(
            "AASA-004", .warning, "the text starts with a byte order mark",
            why: "Some readers skip it; nobody has shown that Apple's CDN does.",
            fix: "save the file as UTF-8 without a byte order mark.",
            sources: [.rfc8259, .inference]),
        LintRule(
            "AASA-005", .error, "the file is larger than 131,072 bytes",
            why: "The limit counts the bytes after gzip is undone; a longer file is refused whole.",
            fix: "merge patterns with wildcards and variables, or split the apps over several hosts.",
            sources: [.appleArchive]),
        LintRule(
            "AASA-006", .warning, "the file is larger than 100 KB",
            why: "It is close to the limit of 131,072 bytes, and every device downloads it.",
            fix: "merge patterns with wildcards and variables.",
            sources: [.appleArchive]),
        LintRule(
            "AASA-007", .warning, "an object has the same key twice",
            why: "Which of the two a reader takes is undefined, and readers differ.",
            fix: "keep one of them.",
            sources: [.rfc8259]),
        LintRule(
            "AASA-008", .warning, or: .error, "unknown service",
            why: "Unknown keys are ignored without a word, so a misspelt service does nothing.",
            fix: "use applinks, webcredentials, appclips or activitycontinuation.",
            sources: [.appleAssociatedDomains]),
        LintRule(
            "AASA-009", .note, "the file names no app for any service",
            why: "It associates nothing, yet every device downloads it.",
            fix: "add an app, or answer 404.",
            sources: [.appleAssociatedDomains]),
        LintRule(
            "AASA-010", .error, "applinks has no details",
            why: "Apps and patterns are read from details and from nowhere else that Apple documents.",
            fix: "add \"details\": [{\"appIDs\": […], \"components\": […]}].",
            sources: [.appleDetails]),
        LintRule(
            "AASA-011", .warning, "details is an object keyed by app id",
            why:
                "It is the form of 2015; it is still read, but the order of apps, which decides between them, is lost.",
            fix: "write an array of objects with appIDs and components.",
            sources: [.appleArchive, .fieldReports]),
        LintRule(
            "AASA-012", .error, "details is neither an array nor an object",
            why: "It is ignored, so no link opens any app.",
            fix: "write an array of objects.",
            sources: [.appleDetails]),
        LintRule(
            "AASA-013", .note, "entries for iOS 12 and older stand without apps",
            why: "iOS 9 to 12 read paths and appID only where \"apps\": [] stands beside details.",
            fix: "add \"apps\": [], or write components and appIDs for iOS 13 and later.",
            sources: [.appleArchive]),
        LintRule(
            "AASA-014", .error, or: .warning, "applinks.apps is not empty",
            why:
                "The key is a leftover that has to be an empty array; what systems do with entries in it is "
                + "undocumented. Beside details, which do name apps, it is a warning: no system is known to refuse the "
                + "file for it.",
            fix: "write \"apps\": [] or leave the key out; apps belong into details.",
            sources: [.appleArchive]),
        LintRule(
            "AASA-015", .error, "an entry of details names no app",
            why: "The entry is ignored.",
            fix: "add appIDs.",
            sources: [.appleDetails, .swcutil]),
        LintRule(
            "AASA-016", .error, "appIDs is empty",
            why: "No app is registered, even where appID names one: the array wins.",
            fix: "list the app ids, or remove the key.",
            sources: [.swcutil]),
        LintRule(
            "AASA-017", .warning, "appIDs and appID name different apps",
            why: "iOS 13 and later read the array, older systems the single id, so phones differ.",
            fix: "put the same id in both, or drop appID.",
            sources: [.appleDetails, .swcutil]),
        LintRule(
            "AASA-018", .error, "appIDs is no array of strings, or appID no string",
            why: "A value of the wrong type is not read, so the entry names no app.",
            fix: "write \"appIDs\": [\"…\"].",
            sources: [.appleDetails]),
        LintRule(
            "AASA-019", .error, "an app id is not PREFIX.bundle.id",
            why: "Ids are compared whole with the one in the app's signature, so this one equals none.",
            fix: "write the ten characters of the team id (or of the legacy prefix), a dot, and the bundle id.",
            sources: [.appleAssociatedDomains, .appleDetails]),
        LintRule(
            "AASA-020", .warning, "the prefix of an app id has lower-case letters",
            why: "Team ids are upper case; whether Apple folds them is undocumented.",
            fix: "write it in upper case.",
            sources: [.inference]),
        LintRule(
            "AASA-021", .error, or: .warning, "a bundle id has a character that none can have",
            why: "Bundle ids are made of letters, digits, hyphens and dots; wildcards are not supported.",
            fix: "list each app by the bundle id that Xcode shows.",
            sources: [.appleAssociatedDomains]),
        LintRule(
            "AASA-022", .warning, "an app id is a placeholder",
            why: "It was copied from documentation or a template, so no app of yours has it.",
            fix: "write your team id and bundle id.",
            sources: [.fieldReports]),
        LintRule(
            "AASA-023", .warning, "an app stands in two entries of details",
            why: "Whether the later entry counts is unsettled: it may be merged or ignored.",
            fix: "merge the entries.",
            sources: [.inference]),
        LintRule(
            "AASA-024", .note, "an app id stands twice in one list",
            why: "The second does nothing.",
            fix: "remove it.",
            sources: [.inference]),
        LintRule(
            "AASA-025", .warning, or: .note, "an entry has both components and paths",
            why: "iOS 13 and later read components only, and Apple warns of unexpected behaviour.",
            fix: "keep both only to serve iOS 9 to 12; otherwise drop paths.",
            sources: [.appleTN3155, .appleDetails]),
        LintRule(
            "AASA-026", .warning, "components and paths of an entry differ in what they open",
            why: "Old and new systems open different URLs.",
            fix: "write one from the other.",
            sources: [.appleDetails]),
        LintRule(
            "AASA-027", .note, "an entry uses only paths",
            why: "It works, but paths cannot look at the query or the fragment.",
            fix: "write appIDs and components.",
            sources: [.appleDetails]),
        LintRule(
            "AASA-028", .error, or: .warning, "components is empty",
            why: "Nothing matches, so no link opens the app.",
            fix: "add rules, or remove the entry.",
            sources: [.swcutil]),
        LintRule(
            "AASA-029", .warning, "an entry has neither components nor paths",
            why: "Every URL of the host opens the app, by what the field reports; no document says so.",
            fix: "say it: \"components\": [{\"/\": \"*\"}].",
            sources: [.fieldReports]),
        LintRule(
            "AASA-030", .warning, "a component looks at no part of the URL",
            why: "It matches every URL of the host.",
            fix: "add a pattern under \"/\", \"?\" or \"#\", or write \"/\": \"*\" to say that it is meant.",
            sources: [.swcutil]),
        LintRule(
            "AASA-031", .error, "an element of components or paths has the wrong type",
            why:
                "Components are objects and paths are strings; what a system makes of anything else is undocumented, "
                + "and elsewhere it errs on the side of matching too much.",
            fix: "remove it or write it as an object (components) or a string (paths).",
            sources: [.appleComponents, .inference]),
        LintRule(
            "AASA-032", .error, "a path or fragment pattern is not a string",
            why: "It counts as absent, so the component matches more than it says.",
            fix: "write a string.",
            sources: [.appleComponents, .swcutil]),
        LintRule(
            "AASA-033", .error, "a query pattern is not a string",
            why: "One such value drops the whole query dictionary, so the component matches more than it says.",
            fix: "put the value in quotation marks.",
            sources: [.appleQuery, .swcutil]),
        LintRule(
            "AASA-034", .error, "a query is neither a string nor an object",
            why: "It is ignored, so the component matches more than it says.",
            fix: "write an object of names and patterns.",
            sources: [.appleComponents, .inference]),
        LintRule(
            "AASA-035", .warning, or: .error, "unknown key",
            why: "Unknown keys are ignored without a word, so a misspelt one does nothing.",
            fix: "use the key that the finding names, or remove it.",
            sources: [.appleComponents, .swcutil]),
        LintRule(
            "AASA-036", .warning, "a flag is not true or false",
            why: "How other values are read is undocumented.",
            fix: "write true or false without quotation marks.",
            sources: [.appleComponents, .inference]),
    ]
}
