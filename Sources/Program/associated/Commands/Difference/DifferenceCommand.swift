// `associated diff`: what a change means for phones. `DifferenceSide` reads the sides, `AssociationDifference` compares them.

import AssociationLint
import SourceJSON
import Supervision

extension Command {
    static let difference = Command(
        name: "diff", summary: "show which links a change opens, and which it no longer opens",
        details: """
            Compares what phones do before and after a change: the URLs that open an app on one side only, with an example
            for each rule, on iOS 13 and later, iOS 9 to 12, Android 15 and later, and Android 14 and earlier; the hosts, apps,
            services, relations and fingerprints that one side lacks; and what the removal guard of a server will hold. What
            does not matter to phones, such as comments, is no difference.

            BEFORE and AFTER are each a configuration, another directory of app files, an app file, - for one on standard input,
            REFERENCE:PATH for a directory or file in a git repository (as in `git show`; `main:./config` is below the working
            directory), release:NUMBER or release:live for what a tenant has published, or https://HOST for the files that a live
            host serves. With a live host, only this host is compared, and the manifests of Android apps are not known.

            Each app is looked at as if it were the only one on the phone. An Android app is expected to have the intent filters
            that `associated snippet` writes for the app file. If the rules are too many or too long, the comparison stops early
            and says so.
            """,
        operands: Operands(usage: "BEFORE AFTER", counts: 2...2),
        options: [
            Option(
                name: "--fail-on", value: "loss|change",
                help:
                    "exit with 1 if something stops working, is held or was not compared completely (loss), or if anything "
                    + "changes (change) (default: neither)"),
            .format, .environment, .resolve, .authority, .tenant, .api, .tokenFile, .config,
        ],
        failure: "a side could not be read or has errors, or --fail-on is met"
    ) { arguments throws(Refusal) in
        let isJSON = try arguments.wantsJSON()
        let failsOn: FailOn? = try arguments.choice("--fail-on")
        let difference = try DifferenceSide.difference(
            from: arguments.operands[0], to: arguments.operands[1], arguments)
        if isJSON {
            Console.output(data: SourceWriter.canonical(difference.value))
        } else {
            Console.output(difference.text)
        }
        switch failsOn {
        case nil: return .success
        case .loss: return difference.hasLosses ? .failure : .success
        case .change: return difference.hasLosses || !difference.isEmpty ? .failure : .success
        }
    }

    private enum FailOn: String, CaseIterable { case loss, change }
}
