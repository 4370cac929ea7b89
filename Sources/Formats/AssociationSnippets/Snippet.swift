// The native files of an app: files for its own project that match what the server serves. Values from the app file are
// escaped for the language of the generated file. Whole programs are in `Templates/`.

public import Association
import SourceJSON

public struct Snippet {
    let app: AppFile
    /// The mode of the entitlements for test builds, such as `developer`; nil for none.
    let mode: String?
    /// The name of the target in Xcode, if it is not the app's.
    public var target: String?

    public enum Kind: String, CaseIterable, Sendable {
        case ios, android, capacitor, flutter, expo, html
        case reactNative = "react-native"
    }

    public init(_ app: AppFile, mode: String? = nil) { (self.app, self.mode) = (app, mode) }

    /// The files of the project that depend on the app file; none if it has no section for the project's platform.
    public func files(for kind: Kind) -> [GeneratedFile] {
        switch kind {
        case .ios where app.ios == nil, .android where app.android == nil: return []
        case .ios: return [entitlements("\(identifier).entitlements")] + infoPlist() + swiftFiles
        case .android: return manifest() + assetStatements() + kotlinFiles
        case .capacitor:
            let handler = Snippet.capacitorHandler(routeFunction: routeFunction)
            return nativeFiles(target: "ios/App/App/App") + [GeneratedFile(name: "src/deep-links.ts", text: handler)]
        case .reactNative: return reactNativeFiles
        case .flutter: return flutterFiles
        case .expo: return expoFiles
        case .html: return [head]
        }
    }

    /// The native files of a project for both platforms, at their usual places.
    /// - Parameter target: the folder of the target in Xcode, with the name of its entitlements.
    func nativeFiles(target: String, plist: [String] = [], activity: [String] = []) -> [GeneratedFile] {
        let folder = String(target.prefix(through: target.lastIndex(of: "/") ?? target.startIndex))
        let main = "android/app/src/main/"
        return (app.ios == nil ? [] : [entitlements("\(target).entitlements")] + infoPlist(plist, folder: folder))
            + (app.android == nil ? [] : manifest(activity: activity, folder: main) + assetStatements(folder: main))
    }

    /// The remaining steps in a project with these files, one line each.
    public func steps(
        for kind: Kind, in project: NativeProject, _ files: [(file: GeneratedFile, outcome: GeneratedFile.Outcome)]
    ) -> [String] {
        let swift = files.filter { $0.outcome != .kept && $0.file.name.hasSuffix(".swift") }.map(\.file.name)
        let native =
            files.compactMap { project.step(for: $0.file, $0.outcome) }
            + (swift.isEmpty ? [] : ["in Xcode, add \(swift.joined(separator: ", ")) to the app's target"])
        switch kind {
        case .ios:
            return native + [
                "with SwiftUI, call onDeepLink on the root view; with UIKit, set showLink of SceneDelegate"
            ]
        case .android: return native + ["implement show(link) of MainActivity"]
        case .capacitor:
            return native + ["call followDeepLinks() of src/deep-links.ts after the router has been created"]
        case .flutter: return native + ["pass redirect: (context, state) => routeOf(state.uri) to GoRouter"]
        case .expo: return native + ["run npx expo prebuild"]
        case .reactNative:
            return native + ["pass linking={{ ...linking, config }} of src/linking.ts to NavigationContainer"]
        case .html:
            return [
                "put the tags in the <head> of each page, and replace the path in each *:url tag and alternate link by "
                    + "the page's own path"
            ]
        }
    }

    /// The app's name as an identifier.
    public var identifier: String {
        let words = app.name.unicodeScalars.map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                ? Character(scalar) : " "
        }
        let joined = String(words).split(separator: " ").joined()
        guard let first = joined.unicodeScalars.first else { return "App" }
        return first.properties.isAlphabetic ? joined : "App\(joined)"
    }

    var exactHosts: [String] { app.hosts.filter { !$0.isWildcard }.map(\.name) }

    /// The hosts and the scheme of the app's own links, as literals of the generated language.
    struct OwnLinks {
        let hosts: String
        /// The endings of hosts below a wildcard, with the dot.
        let suffixes: String
        let scheme: String
    }

    private func ownLinks(none: String = "null", escapesDollar: Bool = false) -> OwnLinks {
        func list(_ texts: [String]) -> String {
            texts.map { $0.literal(escapesDollar: escapesDollar) }.joined(separator: ", ")
        }
        return OwnLinks(
            hosts: list(exactHosts), suffixes: list(app.hosts.filter(\.isWildcard).map { ".\($0.name)" }),
            scheme: app.scheme?.literal(escapesDollar: escapesDollar) ?? none)
    }
}

/// iOS: the entitlement for each host and service, the custom scheme, and one handler for both kinds of link.
extension Snippet {
    func entitlements(_ name: String) -> GeneratedFile {
        let entries = associatedDomains.map { "    <string>\($0.xml)</string>" }
        return GeneratedFile(
            name: name,
            text: Snippet.propertyList(
                ["<key>com.apple.developer.associated-domains</key>", "<array>"] + entries + ["</array>"]),
            isFragment: true)
    }

    /// A property list with one dictionary.
    private static func propertyList(_ entries: [String]) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        \(lines(entries, indent: 4))</dict>
        </plist>

        """
    }

    /// Entries of one service and one host each; App Clips have no wildcards.
    var associatedDomains: [String] {
        guard let ios = app.ios else { return [] }
        let suffix = mode.map { "?mode=\($0)" } ?? ""
        var entries: [String] = []
        for service in ios.services.map(\.rawValue) + (ios.appClips.isEmpty ? [] : ["appclips"]) {
            for host in app.hosts where service != "appclips" || !host.isWildcard {
                entries.append("\(service):\(host.text)\(suffix)")
            }
        }
        return entries
    }

    /// The target's Info.plist: the custom scheme, if there is one, and further entries of the project type.
    func infoPlist(_ more: [String] = [], folder: String = "") -> [GeneratedFile] {
        var entries = more
        if let scheme = app.scheme {
            entries += [
                "<key>CFBundleURLTypes</key>", "<array>", "    <dict>", "        <key>CFBundleURLName</key>",
                "        <string>\(scheme.xml)</string>", "        <key>CFBundleURLSchemes</key>", "        <array>",
                "            <string>\(scheme.xml)</string>", "        </array>", "    </dict>", "</array>",
            ]
        }
        if entries.isEmpty { return [] }
        return [GeneratedFile(name: "\(folder)Info.plist", text: Snippet.propertyList(entries), isFragment: true)]
    }

    private var swiftFiles: [GeneratedFile] {
        [
            GeneratedFile(name: "DeepLink.swift", text: Snippet.swiftDeepLink(ownLinks(none: "nil"))),
            GeneratedFile(name: "DeepLink+SwiftUI.swift", text: Snippet.swiftUIHandlers()),
            GeneratedFile(name: "SceneDelegate.swift", text: Snippet.swiftSceneDelegate(), isFragment: true),
        ]
    }
}

/// Android: an intent filter with the narrowest paths that cover the rules, and another filter for the custom scheme.
extension Snippet {
    /// A manifest with only the parts for links, to be merged into the app's own.
    /// - Parameters:
    ///   - activity: further elements of the activity.
    ///   - folder: its folder in the project, with a slash at the end.
    func manifest(activity more: [String] = [], folder: String = "") -> [GeneratedFile] {
        let statements =
            assetStatements().isEmpty
            ? [] : [#"<meta-data android:name="asset_statements" android:resource="@string/asset_statements" />"#]
        let web =
            ["http", "https"].map { "<data android:scheme=\"\($0)\" />" }
            + app.hosts.map { "<data android:host=\"\($0.text.xml)\" />" }
            + (app.manifestPaths ?? []).map { "<data android:\($0.kind.rawValue)=\"\($0.text.xml)\" />" }
        var filters = caseNote + exclusionNote + filter(#"<intent-filter android:autoVerify="true">"#, web)
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
        return [GeneratedFile(name: "\(folder)AndroidManifest.xml", text: text, isFragment: true)]
    }

    /// A comment about rules that ignore case, if only they are the reason for a filter without paths.
    private var caseNote: [String] {
        var exact = app
        for index in exact.links.indices { exact.links[index].caseSensitive = true }
        guard app.manifestPaths == nil, exact.manifestPaths != nil else { return [] }
        return [
            "<!-- A filter always compares case, so it has no path for rules with `caseSensitive: false`: here, the app opens for",
            "     every path of the hosts. -->",
        ]
    }

    /// A comment about links for which the manifest alone decides differently.
    private var exclusionNote: [String] {
        guard app.links.contains(where: { $0.exclude == true }) else { return [] }
        return app.androidMatcher == nil
            ? [
                "<!-- A filter cannot exclude paths: the app opens for every path here, also for those that the app file excludes. -->"
            ]
            : [
                "<!-- A filter cannot exclude paths: on Android 14 and earlier, the app opens for every path here. Later versions",
                "     also apply the dynamic rules of assetlinks.json. -->",
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

    /// The statement that password sharing requires in the app: a list that includes the host's.
    func assetStatements(folder: String = "") -> [GeneratedFile] {
        guard let android = app.android, let host = exactHosts.first,
            android.relations.contains("delegate_permission/common.get_login_creds")
        else { return [] }
        let list = "[{\\\"include\\\": \\\"https://\(host)/.well-known/assetlinks.json\\\"}]"
        return [
            GeneratedFile(
                name: "\(folder)res/values/asset_statements.xml",
                text: """
                    <?xml version="1.0" encoding="utf-8"?>
                    <resources>
                        <string name="asset_statements" translatable="false">\(list)</string>
                    </resources>

                    """)
        ]
    }

    private var kotlinFiles: [GeneratedFile] {
        let package = app.android?.packages.first?.name ?? "app"
        let link = Snippet.kotlinDeepLink(package: package, ownLinks(escapesDollar: true))
        return [
            GeneratedFile(
                name: "MainActivity.kt", text: Snippet.kotlinMainActivity(package: package), isFragment: true),
            GeneratedFile(name: "DeepLink.kt", text: link),
        ]
    }
}

/// Projects for both platforms, and the head of the site's own pages.
extension Snippet {
    private var routeFunction: String { Snippet.typeScriptRoute(ownLinks()) }

    private var flutterFiles: [GeneratedFile] {
        // Flutter handles links itself only with these switches.
        nativeFiles(
            target: "ios/Runner/Runner", plist: ["<key>FlutterDeepLinkingEnabled</key>", "<true/>"],
            activity: [#"<meta-data android:name="flutter_deeplinking_enabled" android:value="true" />"#])
            + [GeneratedFile(name: "lib/deep_link.dart", text: Snippet.dartDeepLink(ownLinks(escapesDollar: true)))]
    }

    private var reactNativeFiles: [GeneratedFile] {
        let origin = "https://\(exactHosts.first ?? app.hosts.first?.name ?? "")"
        let target = target ?? identifier
        let delegate = GeneratedFile(name: "ios/\(target)/AppDelegate+Links.swift", text: Snippet.reactNativeDelegate())
        let linking = Snippet.reactNativeLinking(routeFunction: routeFunction, origin: origin.literal())
        return nativeFiles(target: "ios/\(target)/\(target)") + (app.ios == nil ? [] : [delegate])
            + [GeneratedFile(name: "src/linking.ts", text: linking)]
    }

    var expoFiles: [GeneratedFile] {
        var expo: [(String, SourceValue)] = []
        if let scheme = app.scheme { expo.append(("scheme", .string(scheme))) }
        if let id = app.ios?.appIDs.first, let dot = id.firstIndex(of: ".") {
            let ios: [(String, SourceValue)] = [
                ("bundleIdentifier", .string(String(id[id.index(after: dot)...]))),
                ("associatedDomains", .array(associatedDomains.map { .string($0) })),
            ]
            expo.append(("ios", .object(ios)))
        }
        if let package = app.android?.packages.first {
            let data = app.hosts.flatMap { host in
                let base: [(String, SourceValue)] = [("scheme", .string("https")), ("host", .string(host.text))]
                guard let paths = app.manifestPaths else { return [SourceValue.object(base)] }
                return paths.map { .object(base + [($0.kind.rawValue, .string($0.text))]) }
            }
            let filter: SourceValue = .object([
                ("action", .string("VIEW")), ("autoVerify", .bool(true)), ("data", .array(data)),
                ("category", .array([.string("BROWSABLE"), .string("DEFAULT")])),
            ])
            expo.append(
                ("android", .object([("package", .string(package.name)), ("intentFilters", .array([filter]))])))
        }
        let json = SourceWriter.canonical(.object([("expo", .object(expo))]))
        return [
            GeneratedFile(name: "app.json", text: String(decoding: json, as: UTF8.self), isFragment: true),
            GeneratedFile(name: "app/+native-intent.ts", text: Snippet.expoIntent(routeFunction: routeFunction)),
        ]
    }

    /// The Smart App Banner and the App Links tags for the head of a page.
    var head: GeneratedFile {
        let address = "https://\(exactHosts.first ?? app.hosts.first?.name ?? "")/"
        let link = app.scheme.map { "\($0):///" } ?? address
        var lines: [String] = []
        func meta(_ attribute: String, _ name: String, _ content: String) {
            lines.append("<meta \(attribute)=\"\(name)\" content=\"\(content.xml)\">")
        }
        if let id = app.ios?.storeID {
            meta("name", "apple-itunes-app", "app-id=\(id), app-argument=\(address)")
            lines += [
                "<script>", "  // Sets app-argument to the URL of this page.",
                "  document.currentScript.previousElementSibling.content =",
                "    \("app-id=\(id), app-argument=".literal()) + location.href.replace(/,/g, \"%2C\");", "</script>",
            ]
            meta("property", "al:ios:app_store_id", id)
        }
        if app.ios != nil {
            meta("property", "al:ios:app_name", app.name)
            meta("property", "al:ios:url", link)
        }
        if let package = app.android?.packages.first {
            meta("property", "al:android:package", package.name)
            meta("property", "al:android:app_name", app.name)
            meta("property", "al:android:url", link)
            let host = address.dropFirst("https://".count)
            lines.append("<link rel=\"alternate\" href=\"android-app://\(package.name)/https/\(String(host).xml)\">")
        }
        meta("property", "al:web:url", address)
        let argument =
            app.ios?.storeID == nil ? "" : " A server that generates the page can also set app-argument."
        let text = """
            <!-- Put this in the <head> of each page. In each *:url tag and alternate link, replace the path, after
                 `scheme://` or after the host, by the page's own path: programs read them without running
                 scripts.\(argument) -->
            \(lines.joined(separator: "\n"))

            """
        return GeneratedFile(name: "head.html", text: text)
    }
}

extension String {
    /// Escaped for XML and HTML, in text and between double quotes.
    var xml: String { escaped(["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"]) }

    /// As a literal of Swift, Kotlin, Dart or JavaScript, with its quotation marks. All four have these escapes; the dollar is
    /// special only in Kotlin and Dart.
    func literal(escapesDollar: Bool = false) -> String {
        let dollar = escapesDollar ? "\\$" : "$"
        let inside = escaped(["\"": "\\\"", "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "$": dollar])
        return "\"\(inside)\""
    }

    private func escaped(_ table: [Unicode.Scalar: String]) -> String {
        unicodeScalars.reduce(into: "") { $0 += table[$1] ?? String($1) }
    }
}
