// Rules for the structure of an apple-app-site-association file: the text, the services, app ids and the entries of
// `details`.

import Association

extension LintRule {
    static let appleStructure: [LintRule] = [
        LintRule(
            .aasa001, "the text is not strict JSON",
            why: "Apple ignores the whole file, so no link opens an app and no password is offered.",
            fix: "Write the file with a JSON library, or let this server generate it. The finding shows the place.",
            sources: [.rfc8259, .appleAssociatedDomains, .fieldReports]),
        LintRule(
            .aasa002, "the top level is not an object",
            why: "Apple looks up each service by its key in one object, so it finds none.",
            fix: "Put the services into one object: {\"applinks\": …}.",
            sources: [.appleAssociatedDomains]),
        LintRule(
            .aasa003, "the text is not UTF-8",
            why:
                "JSON must be UTF-8. Devices may read UTF-16 too, but they get the file through Apple's CDN, which "
                + "is a different reader.",
            fix: "Save the file as UTF-8 without a byte order mark.",
            sources: [.rfc8259, .inference]),
        LintRule(
            .aasa004, "the text starts with a byte order mark",
            why: "Some readers skip it. It is not known whether Apple's CDN does.",
            fix: "Save the file as UTF-8 without a byte order mark.",
            sources: [.rfc8259, .inference]),
        LintRule(
            .aasa005, "the file is larger than 131,072 bytes",
            why: "Apple rejects the whole file. The limit applies to the decompressed size.",
            fix: "Merge patterns with wildcards and variables, or split the apps over several hosts.",
            sources: [.appleArchive]),
        LintRule(
            .aasa006, "the file is larger than 100 KB",
            why: "The file is close to Apple's limit of 131,072 bytes, and every device downloads it.",
            fix: "Merge patterns with wildcards and variables.",
            sources: [.appleArchive]),
        LintRule(
            .aasa007, "an object has the same key twice",
            why: "JSON does not define which of the two counts, and readers differ.",
            fix: "Keep one of them.",
            sources: [.rfc8259]),
        LintRule(
            .aasa008, or: .error, "unknown service",
            why: "Apple ignores unknown keys without a message, so a misspelled service does nothing.",
            fix: "Use applinks, webcredentials, appclips or activitycontinuation.",
            sources: [.appleAssociatedDomains]),
        LintRule(
            .aasa009, "the file names no app for any service",
            why: "The file associates nothing, but every device downloads it.",
            fix: "Add an app, or answer 404.",
            sources: [.appleAssociatedDomains]),
        LintRule(
            .aasa010, "applinks has no details",
            why: "Apple documents no other place for apps and patterns, so no link opens an app.",
            fix: "Add \"details\": [{\"appIDs\": […], \"components\": […]}].",
            sources: [.appleDetails]),
        LintRule(
            .aasa011, "details is an object keyed by app id",
            why:
                "This is the format of 2015. It is still read, but an object has no order, and the order of the "
                + "apps decides between them.",
            fix: "Write an array of objects with appIDs and components.",
            sources: [.appleArchive, .fieldReports]),
        LintRule(
            .aasa012, "details is neither an array nor an object",
            why: "Apple ignores it, so no link opens an app.",
            fix: "Write an array of objects.",
            sources: [.appleDetails]),
        LintRule(
            .aasa013, "\"apps\": [] is missing, which iOS 12 and earlier need",
            why: "iOS 9 to 12 read paths and appID only if \"apps\": [] is next to details.",
            fix: "Add \"apps\": [], or write components and appIDs for iOS 13 and later.",
            sources: [.appleArchive]),
        LintRule(
            .aasa014, or: .warning, "applinks.apps is not empty",
            why:
                "The key is a leftover and must be an empty array. What systems do with entries in it is not "
                + "documented. If details names the apps too, this is a warning, because no system is known to "
                + "reject the file.",
            fix: "Write \"apps\": [] or remove the key. List the apps in details.",
            sources: [.appleArchive]),
        LintRule(
            .aasa015, "an entry of details names no app",
            why: "Apple ignores the entry.",
            fix: "Add appIDs.",
            sources: [.appleDetails, .swcutil]),
        LintRule(
            .aasa016, "appIDs is empty",
            why: "The array takes precedence over appID, so the entry names no app even if appID has one.",
            fix: "List the app ids, or remove the key.",
            sources: [.swcutil]),
        LintRule(
            .aasa017, "appIDs and appID name different apps",
            why: "iOS 13 and later read appIDs, older systems read appID, so phones open different apps.",
            fix: "Put the same id in both, or remove appID.",
            sources: [.appleDetails, .swcutil]),
        LintRule(
            .aasa018, "appIDs is not an array of strings, or appID is not a string",
            why: "Apple does not read a value of the wrong type, so the entry names no app.",
            fix: "Write \"appIDs\": [\"…\"].",
            sources: [.appleDetails]),
        LintRule(
            .aasa019, "an app id is not PREFIX.bundle.id",
            why: "iOS compares the whole id with the one in the app's signature, so this id matches no app.",
            fix: "Write the ten characters of the team id (or of the legacy prefix), a dot, and the bundle id.",
            sources: [.appleAssociatedDomains, .appleDetails]),
        LintRule(
            .aasa020, "the prefix of an app id has lower-case letters",
            why: "Team ids are upper case. Apple does not document whether it ignores case.",
            fix: "Write the prefix in upper case."),
        LintRule(
            .aasa021, or: .warning, "a bundle id has an invalid character",
            why: "Bundle ids consist of letters, digits, hyphens and dots. Wildcards are not supported.",
            fix: "List each app by the bundle id that Xcode shows.",
            sources: [.appleAssociatedDomains]),
        LintRule(
            .aasa022, "an app id is a placeholder",
            why: "The id was copied from documentation or a template, so none of your apps has it.",
            fix: "Write your team id and bundle id.",
            sources: [.fieldReports]),
        LintRule(
            .aasa023, "an app is in two entries of details",
            why: "It is not known whether Apple merges the later entry or ignores it.",
            fix: "Merge the entries."),
        LintRule(
            .aasa024, "an app id is twice in one list",
            why: "The second one does nothing.",
            fix: "Remove it."),
        LintRule(
            .aasa025, or: .note, "an entry has both components and paths",
            why: "iOS 13 and later read only components, and Apple warns of unexpected behaviour.",
            fix: "Keep both only to support iOS 9 to 12. Otherwise remove paths.",
            sources: [.appleTN3155, .appleDetails]),
        LintRule(
            .aasa026, "components and paths of an entry open different URLs",
            why:
                "iOS 13 and later use components and iOS 9 to 12 use paths, so old and new systems open different "
                + "URLs.",
            fix: "Make both match the same URLs.",
            sources: [.appleDetails]),
        LintRule(
            .aasa027, "an entry has only paths",
            why: "The entry works, but paths cannot match the query or the fragment.",
            fix: "Write appIDs and components, unless you still support iOS 12.",
            sources: [.appleDetails]),
        LintRule(
            .aasa028, or: .warning, "components is empty",
            why: "Nothing matches, so no link opens the app.",
            fix: "Add rules, or remove the entry.",
            sources: [.swcutil]),
        LintRule(
            .aasa029, "an entry has neither components nor paths",
            why: "According to field reports, every URL of the host opens the app. No document confirms this.",
            fix: "Write the rule explicitly: \"components\": [{\"/\": \"*\"}].",
            sources: [.fieldReports]),
        LintRule(
            .aasa030, "a component has no pattern",
            why: "It matches every URL of the host.",
            fix: "Add a pattern under \"/\", \"?\" or \"#\". If you mean every URL, write \"/\": \"*\".",
            sources: [.swcutil]),
        LintRule(
            .aasa031, "an element of components or paths has the wrong type",
            why:
                "Components are objects and paths are strings. What Apple does with other types is not documented. "
                + "In similar cases it matches too many URLs.",
            fix: "Remove the element, or write an object (components) or a string (paths).",
            sources: [.appleComponents, .inference]),
        LintRule(
            .aasa032, "a path or fragment pattern is not a string",
            why: "Apple treats the pattern as absent, so the component matches more URLs than intended.",
            fix: "Write a string.",
            sources: [.appleComponents, .swcutil]),
        LintRule(
            .aasa033, "a query pattern is not a string",
            why:
                "Because of one such value Apple ignores the whole query object, so the component matches more "
                + "URLs than intended.",
            fix: "Put the value in quotation marks.",
            sources: [.appleQuery, .swcutil]),
        LintRule(
            .aasa034, "a query is neither a string nor an object",
            why: "Apple ignores it, so the component matches more URLs than intended.",
            fix: "Write an object of names and patterns.",
            sources: [.appleComponents, .inference]),
        LintRule(
            .aasa035, or: .error, "unknown key",
            why: "Apple ignores unknown keys without a message, so a misspelled key does nothing.",
            fix: "Use the key that the finding suggests, or remove it.",
            sources: [.appleComponents, .swcutil]),
        LintRule(
            .aasa036, "a flag is not true or false",
            why: "Apple does not document how it reads other values.",
            fix: "Write true or false without quotation marks.",
            sources: [.appleComponents, .inference]),
    ]
}
