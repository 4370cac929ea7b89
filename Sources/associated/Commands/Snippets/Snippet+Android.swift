// For Android: an intent filter with the narrowest paths that cover the rules, the custom scheme in a filter of its own, and
// an activity that reads links on a cold start and while it runs.

import Association

extension Snippet {
    /// A manifest with nothing but what links need, to be merged into the app's own.
    /// - Parameters:
    ///   - activity: more that its activity needs.
    ///   - folder: where the project has it, with a slash at the end.
    func manifest(activity more: [String] = [], folder: String = "") -> [OutputFile] {
        let statements =
            assetStatements().isEmpty
            ? [] : [#"<meta-data android:name="asset_statements" android:resource="@string/asset_statements" />"#]
        let web =
            ["http", "https"].map { "<data android:scheme=\"\($0)\" />" }
            + app.hosts.map { "<data android:host=\"\($0.text.xml)\" />" }
            + (app.manifestPaths ?? []).map { "<data android:\($0.kind.rawValue)=\"\($0.text.xml)\" />" }
        var filters = exclusionNote + filter(#"<intent-filter android:autoVerify="true">"#, web)
        if let scheme = app.scheme {
            filters += filter("<intent-filter>", ["<data android:scheme=\"\(scheme.xml)\" />"])
        }
        let text = """
            <?xml version="1.0" encoding="utf-8"?>
            <!-- Merge this into the app's manifest. launchMode="singleTask" delivers links to the running activity. -->
            <manifest xmlns:android="http://schemas.android.com/apk/res/android">
                <application>
            \(Snippet.lines(statements, indent: 8))        <activity
                        android:name=".MainActivity"
                        android:exported="true"
                        android:launchMode="singleTask">
            \(Snippet.lines(more + filters, indent: 12))        </activity>
                </application>
            </manifest>

            """
        return [OutputFile(name: "\(folder)AndroidManifest.xml", text: text)]
    }

    /// Which links go another way by the manifest alone.
    private var exclusionNote: [String] {
        guard app.links.contains(where: { $0.exclude == true }) else { return [] }
        return app.androidMatcher == nil
            ? [
                "<!-- A filter cannot exclude: the app opens for every path here, whatever `links` of the app file exclude. -->"
            ]
            : [
                "<!-- A filter cannot exclude: on Android 14 and earlier the app opens for every path here. Later versions also ask",
                "     the dynamic rules of assetlinks.json. -->",
            ]
    }

    private func filter(_ head: String, _ data: [String]) -> [String] {
        let kind = [
            #"<action android:name="android.intent.action.VIEW" />"#,
            #"<category android:name="android.intent.category.DEFAULT" />"#,
            #"<category android:name="android.intent.category.BROWSABLE" />"#,
        ]
        return [head] + (kind + data).map { "    \($0)" } + ["</intent-filter>"]
    }

    static func lines(_ lines: [String], indent: Int) -> String {
        lines.map { String(repeating: " ", count: indent) + $0 + "\n" }.joined()
    }

    /// What password sharing asks of the app: a list that includes the host's.
    func assetStatements(folder: String = "") -> [OutputFile] {
        guard let android = app.android, let host = exactHosts.first,
            android.relations.contains("delegate_permission/common.get_login_creds")
        else { return [] }
        let list = "[{\\\"include\\\": \\\"https://\(host)/.well-known/assetlinks.json\\\"}]"
        return [
            OutputFile(
                name: "\(folder)res/values/asset_statements.xml",
                text: """
                    <?xml version="1.0" encoding="utf-8"?>
                    <resources>
                        <string name="asset_statements" translatable="false">\(list)</string>
                    </resources>

                    """)
        ]
    }

    var kotlinFiles: [OutputFile] { [mainActivity, kotlinLink] }

    private var kotlinPackage: String { app.android?.packages.first?.name ?? "app" }

    private var mainActivity: OutputFile {
        OutputFile(
            name: "MainActivity.kt",
            text: """
                package \(kotlinPackage)

                import android.content.Intent
                import android.os.Bundle
                import androidx.activity.ComponentActivity

                class MainActivity : ComponentActivity() {
                    override fun onCreate(savedInstanceState: Bundle?) {
                        super.onCreate(savedInstanceState)
                        // A cold start by a link; after a rotation the link has been followed already.
                        if (savedInstanceState == null) handle(intent)
                    }

                    override fun onNewIntent(intent: Intent) {
                        super.onNewIntent(intent)
                        setIntent(intent)
                        handle(intent)
                    }

                    private fun handle(intent: Intent) {
                        if (intent.action != Intent.ACTION_VIEW) return
                        val link = DeepLink.of(intent.data ?: return) ?: return
                        show(link)
                    }

                    private fun show(link: DeepLink) {
                        // Show what link.path stands for.
                    }
                }

                """)
    }

    private var kotlinLink: OutputFile {
        let hosts = exactHosts.map { $0.literal(escapesDollar: true) }.joined(separator: ", ")
        let suffixes = hostSuffixes.map { $0.literal(escapesDollar: true) }.joined(separator: ", ")
        return OutputFile(
            name: "DeepLink.kt",
            text: """
                package \(kotlinPackage)

                import android.net.Uri

                /** Where a link leads inside the app, whether it came as an App Link or by the custom scheme. */
                data class DeepLink(val path: String, val parameters: Map<String, String>, val fragment: String?) {
                    companion object {
                        private val hosts = setOf<String>(\(hosts))
                        private val hostSuffixes = listOf<String>(\(suffixes))
                        private val scheme: String? = \(app.scheme.map { $0.literal(escapesDollar: true) } ?? "null")

                        private val answers = Regex("^[A-Za-z0-9_.%~-]+=")

                        private fun isOwn(host: String): Boolean {
                            val name = host.lowercase()
                            return name in hosts || hostSuffixes.any { name.endsWith(it) }
                        }

                        /** Null for a link that is not this app's. */
                        fun of(uri: Uri): DeepLink? {
                            val host = uri.host.orEmpty()
                            val path = when (uri.scheme?.lowercase()) {
                                null -> return null
                                "https", "http" -> if (isOwn(host)) uri.path.orEmpty() else return null
                                // scheme:///products/1, scheme://HOST/products/1 and scheme://products/1 are the same link.
                                scheme -> if (host.isEmpty() || isOwn(host)) uri.path.orEmpty() else host + uri.path.orEmpty()
                                else -> return null
                            }
                            val parameters = LinkedHashMap<String, String>()
                            // Sign-in services put their answer into the fragment: #access_token=…&state=…
                            val answer = uri.encodedFragment?.takeIf { answers.containsMatchIn(it) }
                            for (part in listOfNotNull(uri.encodedQuery, answer)) {
                                for (item in part.split("&")) {
                                    val name = Uri.decode(item.substringBefore("="))
                                    parameters.putIfAbsent(name, Uri.decode(item.substringAfter("=", "")))
                                }
                            }
                            return DeepLink("/" + path.trimStart('/'), parameters, if (answer == null) uri.fragment else null)
                        }
                    }
                }

                """)
    }
}
