// For Android: an intent filter with the narrowest paths that cover the rules, the custom scheme in a filter of its own, and
// an activity that reads links on a cold start and while it runs.

import Association

extension Snippet {
    /// What a `data` element says about paths.
    enum PathData: Hashable {
        case path(String)
        case prefix(String)
        case pattern(String)

        var attribute: String {
            switch self {
            case .path(let text): "android:path=\"\(text.xml)\""
            case .prefix(let text): "android:pathPrefix=\"\(text.xml)\""
            case .pattern(let text): "android:pathPattern=\"\(text.xml)\""
            }
        }

        /// The same for Expo's app.json.
        var member: (key: String, value: String) {
            switch self {
            case .path(let text): ("path", text)
            case .prefix(let text): ("pathPrefix", text)
            case .pattern(let text): ("pathPattern", text)
            }
        }
    }

    /// The paths of the rules that include; nil where that is every path. Exclusions have no place in a filter: Android 15
    /// reads them from the dynamic rules.
    var paths: [PathData]? {
        var paths: [PathData] = []
        for rule in app.plainRules where !rule.excludes {
            guard let pattern = rule.path, let data = Snippet.paths(of: pattern, foldsCase: rule.foldsCase) else {
                return nil
            }
            paths += data.filter { !paths.contains($0) }
        }
        // Rules that the plain form leaves out might include more.
        return paths.isEmpty || app.plainRules.isEmpty ? nil : paths
    }

    /// A path pattern in its normal form, which ends in a slash or a star. Android's filters take slashes as they are, and
    /// their stars try only once, so a star inside becomes the beginning before it.
    private static func paths(of pattern: [UInt8], foldsCase: Bool) -> [PathData]? {
        let star = UInt8(ascii: "*")
        let text = String(decoding: pattern, as: UTF8.self)
        if text == "*" || text == "/*" || text == "/?*" { return nil }
        if foldsCase, pattern.contains(where: { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A }) { return nil }
        // A bare escape: filters compare what is decoded.
        if pattern.contains(UInt8(ascii: "%")) { return nil }
        let isWild = { (byte: UInt8) in byte == star || byte == UInt8(ascii: "?") || byte < 0x20 }
        guard let wild = pattern.firstIndex(where: isWild) else {
            return text == "/" ? [.path("/")] : [.path(String(text.dropLast())), .path(text)]
        }
        let head = String(decoding: pattern[..<wild], as: UTF8.self)
        if wild == pattern.count - 1, pattern[wild] == star {
            return head.hasSuffix("/") ? [.path(String(head.dropLast())), .prefix(head)] : [.prefix(head)]
        }
        let inner = pattern.dropLast(pattern.last == star ? 1 : 0)
        if inner.contains(star) { return head == "/" || head.isEmpty ? nil : [.prefix(head)] }
        let glob = pattern.reduce(into: "") { result, byte in
            switch byte {
            case star: result += ".*"
            case _ where isWild(byte): result += "."
            case UInt8(ascii: "."), UInt8(ascii: "\\"): result += "\\\\" + String(Unicode.Scalar(byte))
            default: result.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return glob.hasSuffix("/") ? [.pattern(String(glob.dropLast())), .pattern(glob)] : [.pattern(glob)]
    }

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
            + (paths ?? []).map { "<data \($0.attribute) />" }
        var filters = filter(#"<intent-filter android:autoVerify="true">"#, web)
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
