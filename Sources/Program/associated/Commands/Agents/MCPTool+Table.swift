// The tools, one row each. Options that name a server or a token are not among them: a text that an agent has read somewhere must not
// decide where a token is sent. They come from the environment and from the configuration of `associated mcp`.

import AssociationSnippets

extension MCPTool {
    /// Those that change nothing.
    static let reading = asking + operating

    private static let asking: [MCPTool] = [
        MCPTool(
            name: "lint", title: "Check association files",
            description: """
                Checks app files, apple-app-site-association files, assetlinks.json, Xcode entitlements, AndroidManifest.xml, or a whole \
                configuration, for mistakes that keep links in the browser. Call it after each edit of such a file, and before a commit. \
                Returns `findings` with file, line, column, rule, severity, message and fix; `ok` is false if one is an error. Correct one \
                cause at a time and call it again: an error may hide others.
                """,
            command: .lint,
            arguments: [
                Input("paths", "files, directories, or a configuration (default: that of `config`)", isList: true),
                Input("content", "the text of one file to check, which need not be on the disk", .content),
            ],
            options: ["--as", "--notes", "--config", "--environment", "--state"], replaced: "paths",
            result: .value("findings"), answersWithFailure: true),
        MCPTool(
            name: "explain", title: "Explain a rule of lint",
            description: """
                Explains a rule of lint by its code: what phones do because of it, how to fix it, and the sources. Call it if the message \
                of a finding does not say what to change.
                """,
            command: .lint,
            arguments: [
                Input("rule", "the code of a finding, such as AASA-019", .option("--explain"), isRequired: true)
            ],
            fixed: [], result: .text),
        MCPTool(
            name: "match", title: "Which app opens a URL",
            description: """
                Says for each URL which app opens it on iOS, on Android 15 and later, and on Android 14 and earlier, or that it stays in \
                the browser, and which rule decides. Reads files, not live hosts. Call it with URLs that must open the app and with URLs \
                that must not, instead of reading the patterns: they are neither globs nor regular expressions, and the first that matches \
                decides. `ok` is false if no app handles a URL's host, or `expect` is not met.
                """,
            command: .match,
            arguments: [
                Input("urls", "URLs, such as https://shop.example.com/products/1", isList: true, isRequired: true),
                Input("content", "the text of a file to match against, which need not be on the disk", .content),
                Input(
                    "as", "what `content` is (default: app)", .contentOption, words: ["app", "apple", "android"]),
            ],
            options: [
                "--expect", "--platform", "--config", "--environment", "--state", "--app", "--apple", "--android",
                "--manifest",
            ],
            result: .lines("answers"), answersWithFailure: true),
        MCPTool(
            name: "diff", title: "What a change means for phones",
            description: """
                Compares two versions of app files: which URLs open an app on one side only, with examples for each version of iOS and \
                Android, which hosts, apps and fingerprints are lost, and what the removal guard of a server would hold. Call it before a \
                commit, with `main:./PATH` as `before`, and tell a person what stops working. Each side is a file, a directory, \
                REFERENCE:PATH in git, release:live or release:NUMBER, or https://HOST for what a live host serves.
                """,
            command: .difference,
            arguments: [
                Input(
                    "before", "the old side, such as main:./config or https://shop.example.com", isRequired: true),
                Input("after", "the new side, such as config", isRequired: true),
                Input("content", "the text of an app file, as the new side", .content),
            ],
            options: ["--environment", "--resolve", "--ca"],
            replaced: "after",
            result: .value("difference"), reachesHosts: true),
        MCPTool(
            name: "check", title: "Check live hosts",
            description: """
                Fetches the association files of live hosts as Apple, Google and phones do, and reports what these would reject: DNS, \
                certificates, redirects, content types, and what lint finds in the files. Call it after a deployment. For one link that \
                does not open the app, call why.
                """,
            command: .check,
            arguments: [
                Input(
                    "hosts", "hosts, such as shop.example.com or shop.example.com:8443", isList: true,
                    isRequired: true)
            ],
            options: [
                "--config", "--environment", "--apple-cdn", "--google", "--connect", "--resolve", "--ca",
                "--timeout",
            ],
            result: .value("hosts"), answersWithFailure: true, reachesHosts: true),
        MCPTool(
            name: "why", title: "Why a link opens the browser",
            description: """
                Follows one link of a live host from DNS and TLS over the association files and the copies of Apple and Google to the rule \
                that decides, and names the first cause that keeps it in the browser. Call it if somebody says that a link does not open \
                the app. If nothing is wrong, it says what to check on the phone.
                """,
            command: .why,
            arguments: [
                Input("url", "the link, such as https://shop.example.com/products/1", isRequired: true)
            ],
            options: ["--platform", "--config", "--environment", "--resolve", "--ca", "--timeout"],
            result: .value("diagnosis"), answersWithFailure: true, reachesHosts: true),
        MCPTool(
            name: "snippet", title: "Native files for an app's project",
            description: """
                Generates what the app's own project needs, from an app file: entitlements and a link handler for iOS, manifest and handler \
                for Android, the same for Capacitor, React Native, Flutter and Expo, or tags for web pages. Prints the files and writes \
                none. Call it instead of writing them from memory.
                """,
            command: .snippet,
            arguments: [
                Input("app", "an app file, or the name of an app of the configuration", isRequired: true),
                Input("content", "the text of an app file", .content),
                Input(
                    "kind", "the kind of project", isRequired: true, words: Snippet.Kind.allCases.map(\.rawValue)),
            ],
            options: ["--config", "--environment", "--mode"],
            replaced: "app",
            fixed: [], result: .text),
    ]

    /// Those of `--allow publish`.
    static let publishing: [MCPTool] = [
        MCPTool(
            name: "publish_check", title: "What publishing would do",
            description: """
                Says what publishing the app files of a directory would do, and does nothing: findings, links that open an app or no longer \
                do, and what the removal guard would hold. Call it before publish, and tell a person what would be lost.
                """,
            command: .publish, arguments: [MCPTool.directory], fixed: ["--check", "--format=json"],
            result: .value("report")),
        MCPTool(
            name: "publish", title: "Publish app files",
            description: """
                Publishes the app files of a directory as one release: phones get it. Files of the tenant that are not in the directory are \
                removed. Call publish_check before. If the server refuses because links would be lost, stop and ask a person: this tool \
                cannot override that.
                """,
            command: .publish, arguments: [MCPTool.directory], options: ["--message", "--source", "--at"],
            result: .value("release"), isReadOnly: false, reachesHosts: true),
    ]

    private static let directory = Input(
        "directory", "the directory with all app files of the tenant, such as config/apps", isRequired: true
    )
}
