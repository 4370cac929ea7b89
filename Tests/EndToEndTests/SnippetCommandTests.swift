// `associated snippet`: files for the app's own project. Swift files are compiled against small replacements of Apple's
// frameworks, and the deciding part is run.

import Foundation
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

struct SnippetCommandTests {
    static let app = #"""
        { name: "Rope & \"Anchor\" $hop", hosts: ["shop.acme.test", "*.shop.acme.test"],
          ios: { appIDs: ["9JA89QQLNQ.org.acme.shop"], appClips: ["9JA89QQLNQ.org.acme.shop.Clip"], storeID: "640199958" },
          android: { package: "org.acme.shop", fingerprints: ["\#(LintCommandTests.print)"],
                     relations: ["handle_all_urls", "get_login_creds"], dynamicRules: true },
          scheme: "org.acme.shop",
          links: [{ "/": "/a/private/*", exclude: true }, { "/": "/a/*" }, { "/": "/search", "?": { q: "?*" } },
                  { "/": "/b/??.html" }, { "/": "/c/*/d" }] }
        """#

    /// The files for a project type, by name.
    static func files(_ kind: String, app: String = app, _ more: String...) throws -> [String: String] {
        let folder = try Folder()
        try folder.write("config/apps/shop.json", app)
        let run = try Subject.run(["snippet", "shop", kind, "--config", "\(folder.path)/config"] + more)
        try #require(run.status == 0, "\(run.errors)")
        var files: [String: String] = [:]
        for part in "\n\(run.output)".components(separatedBy: "\n==> ").dropFirst() {
            let pieces = part.components(separatedBy: " <==\n")
            files[pieces[0]] = pieces.dropFirst().joined(separator: " <==\n")
        }
        return files
    }

    /// Runs the Swift compiler in a folder with some files.
    static func swiftc(_ folder: Folder, _ arguments: [String]) throws -> Run {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return try Subject.shell(
            "cd \(folder.path) && swiftc \(arguments.joined(separator: " "))", ["PATH": path, "HOME": folder.path])
    }

    private func isXML(_ text: String) -> Bool {
        let body = text.replacing("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", with: "")
            .replacing("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n", with: "")
            .split(separator: "\n").filter { !$0.hasPrefix("<!DOCTYPE") }.joined(separator: "\n")
        return XMLParser(data: Data("<a xmlns:android=\"b\">\(body)</a>".utf8)).parse()
    }

    @Test func `entitlements contain each host for each service, without wildcards for App Clips`() throws {
        let text = try #require(try Self.files("ios")["RopeAnchorhop.entitlements"])
        let entries = text.split(separator: "\n").filter { $0.contains("<string>") }.map {
            $0.replacing("<string>", with: "").replacing("</string>", with: "").trimmingCharacters(in: .whitespaces)
        }
        #expect(
            entries == [
                "applinks:shop.acme.test", "applinks:*.shop.acme.test", "webcredentials:shop.acme.test",
                "webcredentials:*.shop.acme.test", "appclips:shop.acme.test",
            ])
        #expect(isXML(text))
        let test = try #require(try Self.files("ios", "--mode", "developer")["RopeAnchorhop.entitlements"])
        #expect(test.contains("<string>applinks:shop.acme.test?mode=developer</string>"))
    }

    static let foundation = """
        import Foundation
        public class NSUserActivity: Hashable {
            public var webpageURL: URL?
            public var activityType = ""
            public init() {}
            public static func == (a: NSUserActivity, b: NSUserActivity) -> Bool { a === b }
            public func hash(into hasher: inout Hasher) {}
        }
        public let NSUserActivityTypeBrowsingWeb = "web"

        """
    static let swiftUI = """
        public protocol View {}
        public struct Some: View {}
        extension View {
            public func onOpenURL(perform action: @escaping (URL) -> Void) -> some View { Some() }
            public func onContinueUserActivity(_ type: String, perform: @escaping (NSUserActivity) -> Void) -> some View { Some() }
        }
        """
    static let uiKit = """
        open class UIResponder { public init() {} }
        public class UIWindow {}
        public class UISceneSession { public init() {} }
        public class UIOpenURLContext: Hashable {
            public var url = URL(fileURLWithPath: "/")
            public init() {}
            public static func == (a: UIOpenURLContext, b: UIOpenURLContext) -> Bool { a === b }
            public func hash(into hasher: inout Hasher) {}
        }
        public class UIScene {
            public init() {}
            public class ConnectionOptions {
                public init() {}
                public var userActivities: Set<NSUserActivity> = []
                public var urlContexts: Set<UIOpenURLContext> = []
            }
        }
        public protocol UIWindowSceneDelegate: AnyObject {
            var window: UIWindow? { get set }
            func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions)
            func scene(_ scene: UIScene, continue userActivity: NSUserActivity)
            func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>)
        }
        """

    @Test(arguments: [("SwiftUI", swiftUI, "DeepLink+SwiftUI.swift"), ("UIKit", uiKit, "SceneDelegate.swift")])
    func `the Swift files compile`(module: String, text: String, file: String) throws {
        let files = try Self.files("ios")
        let folder = try Folder()
        try folder.write("\(module)/\(module).swift", Self.foundation + text)
        for name in ["DeepLink.swift", file] { try folder.write(name, try #require(files[name])) }
        let stand = try Self.swiftc(folder, ["-emit-module", "-module-name", module, "\(module)/\(module).swift"])
        try #require(stand.status == 0, "\(stand.errors)")
        let run = try Self.swiftc(folder, ["-typecheck", "-I", ".", "DeepLink.swift", file])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors.isEmpty)
    }

    @Test func `the manifest has the narrowest paths that cover the rules`() throws {
        let files = try Self.files("android")
        let text = try #require(files["AndroidManifest.xml"])
        #expect(isXML(text))
        #expect(text.contains("<intent-filter android:autoVerify=\"true\">"))
        let data = text.split(separator: "\n").filter { $0.contains("<data ") }.map {
            $0.replacing("<data ", with: "").replacing(" />", with: "").trimmingCharacters(in: .whitespaces)
        }
        #expect(
            data == [
                "android:scheme=\"http\"", "android:scheme=\"https\"", "android:host=\"shop.acme.test\"",
                "android:host=\"*.shop.acme.test\"", "android:path=\"/a\"", "android:pathPrefix=\"/a/\"",
                "android:path=\"/search\"", "android:path=\"/search/\"", "android:pathPattern=\"/b/..\\\\.html\"",
                "android:pathPattern=\"/b/..\\\\.html/\"", "android:pathPrefix=\"/c/\"",
                "android:scheme=\"org.acme.shop\"",
            ])
        #expect(isXML(try #require(files["res/values/asset_statements.xml"])))
        let kotlin = try #require(files["MainActivity.kt"])
        #expect(kotlin.hasPrefix("package org.acme.shop\n"))
        for part in ["override fun onNewIntent(intent: Intent)", "override fun onCreate("] {
            #expect(kotlin.contains(part))
        }
        #expect(files["DeepLink.kt"]?.contains("setOf<String>(\"shop.acme.test\")") == true)
        let everything = Self.app.replacing("{ \"/\": \"/a/*\" }", with: "{ \"/\": \"*\" }")
        #expect(
            try #require(try Self.files("android", app: everything)["AndroidManifest.xml"]).contains("android:path")
                == false)
    }

    /// Calls the delegate like UIKit, for a link that starts the app and for a later one.
    @Test func `a link that starts the app is kept until the app can show it`() throws {
        let files = try Self.files("ios")
        let folder = try Folder()
        for name in ["DeepLink.swift", "SceneDelegate.swift"] {
            try folder.write(name, try #require(files[name]).replacing("import UIKit", with: ""))
        }
        try folder.write("UIKit.swift", Self.foundation + Self.uiKit)
        try folder.write(
            "main.swift",
            """
            import Foundation
            func activity(_ text: String, type: String = NSUserActivityTypeBrowsingWeb) -> NSUserActivity {
                let activity = NSUserActivity()
                (activity.activityType, activity.webpageURL) = (type, URL(string: text))
                return activity
            }
            let delegate = SceneDelegate()
            let options = UIScene.ConnectionOptions()
            options.userActivities = [activity("https://shop.acme.test/a/first")]
            delegate.scene(UIScene(), willConnectTo: UISceneSession(), options: options)
            print("shown:")
            delegate.showLink = { print($0.path) }
            delegate.scene(UIScene(), continue: activity("https://shop.acme.test/a/second"))
            delegate.scene(UIScene(), continue: activity("https://shop.acme.test/a/other", type: "handoff"))
            let context = UIOpenURLContext()
            context.url = URL(string: "org.acme.shop:///a/third")!
            delegate.scene(UIScene(), openURLContexts: [context])
            delegate.showLink = { print("again", $0.path) }
            """)
        let sources = ["UIKit.swift", "DeepLink.swift", "SceneDelegate.swift", "main.swift"]
        let built = try Self.swiftc(folder, sources + ["-o", "delegate"])
        try #require(built.status == 0, "\(built.errors)")
        let run = try Subject.run(URL(fileURLWithPath: "\(folder.path)/delegate"), [])
        #expect(run.output == "shown:\n/a/first\n/a/second\n/a/third\n")
    }

    @Test func `the head of a page is escaped`() throws {
        let text = try #require(try Self.files("html")["head.html"])
        #expect(text.contains("content=\"app-id=640199958, app-argument=https://shop.acme.test/\""))
        #expect(text.contains("<meta property=\"al:ios:app_name\" content=\"Rope &amp; &quot;Anchor&quot; $hop\">"))
        #expect(text.contains("<meta property=\"al:android:package\" content=\"org.acme.shop\">"))
    }

    @Test func `writes each file to its place in the project, and overwrites only with --force`() throws {
        let folder = try Folder()
        try folder.write("config/apps/shop.json", Self.app)
        let arguments = [
            "snippet", "shop", "capacitor", "--config", "\(folder.path)/config", "--output", "\(folder.path)/a/b",
        ]
        let main = "android/app/src/main"
        let paths = [
            "ios/App/App/App.entitlements", "ios/App/App/Info.plist", "\(main)/AndroidManifest.xml",
            "\(main)/res/values/asset_statements.xml", "src/deep-links.ts",
        ].map { "\(folder.path)/a/b/\($0)\n" }
        let first = try Subject.run(arguments)
        #expect(first.output == paths.joined())
        #expect(first.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("next: ") } && !first.errors.isEmpty)
        #expect(try folder.read("a/b/src/deep-links.ts").contains("appUrlOpen"))
        // An equal file is skipped silently, a changed one is kept, and a missing one is written.
        try folder.write("a/b/ios/App/App/Info.plist", "mine")
        try FileManager.default.removeItem(atPath: "\(folder.path)/a/b/src/deep-links.ts")
        let again = try Subject.run(arguments)
        #expect(again.status == 0)
        let place = paths[1].dropLast()
        #expect(again.output == "\(place).associated\n\(paths[4])")
        #expect(
            again.errors.hasPrefix("\(place) exists, and is left as it is\nnext: in Xcode, set CODE_SIGN_ENTITLEMENTS ")
        )
        #expect(again.errors.contains("\nnext: merge ios/App/App/Info.plist.associated into ios/App/App/Info.plist\n"))
        // A property list gets what it lacks.
        try folder.write("a/b/ios/App/App/App.entitlements", "<plist>\n<dict>\n<!-- mine -->\n</dict>\n</plist>\n")
        let added = try Subject.run(arguments)
        #expect(added.output.hasPrefix(paths[0]))
        #expect(added.errors.hasPrefix("\(paths[0].dropLast()) exists; what it lacked was added\n"))
        let entitlements = try folder.read("a/b/ios/App/App/App.entitlements")
        #expect(entitlements.contains("<dict>\n<!-- mine -->\n    <key>com.apple.developer.associated-domains</key>\n"))
        try folder.write("a/b/src/deep-links.ts", "mine")
        let kept = try Subject.run(arguments)
        #expect(kept.status == 1)
        #expect(kept.errors.contains("/src/deep-links.ts already exists; not overwritten (--force overwrites it)\n"))
        let forced = try Subject.run(arguments + ["--force"])
        #expect((forced.status, forced.output) == (0, paths[4]))
        #expect(try folder.read("a/b/ios/App/App/Info.plist") == "mine")
        #expect(try folder.read("a/b/ios/App/App/Info.plist.associated").contains("CFBundleURLSchemes"))
        #expect(try folder.read("a/b/src/deep-links.ts").contains("appUrlOpen"))
        // A file beside the project's own is replaced, which the command says.
        try folder.write("a/b/ios/App/App/Info.plist.associated", "old")
        let replaced = try Subject.run(arguments)
        #expect(replaced.output == "\(place).associated\n")
        #expect(replaced.errors.contains("\n\(place).associated was of an earlier run, and is replaced\n"))
    }

    /// The files of a Gradle project below `app/src/main`, and where the activity and the resource go.
    private static let modules: [(files: [String: String], activity: String, resource: String)] = [
        (["AndroidManifest.xml": ""], "java/org/acme/shop/MainActivity.kt", "res/values/asset_statements.xml"),
        (
            ["AndroidManifest.xml": "", "kotlin/org/acme/shop/MainActivity.kt": ""],
            "kotlin/org/acme/shop/MainActivity.kt.associated", "res/values/asset_statements.xml"
        ),
        (
            ["AndroidManifest.xml": "", "java/org/other/MainActivity.java": ""],
            "java/org/other/MainActivity.kt.associated", "res/values/asset_statements.xml"
        ),
        (
            ["AndroidManifest.xml": "", "res/values/strings.xml": "<string name=\"asset_statements\">x</string>"],
            "java/org/acme/shop/MainActivity.kt", "res/values/asset_statements.xml.associated"
        ),
    ]

    @Test(arguments: modules)
    func `files of an Android app go into the module of a Gradle project, and replace nothing`(
        files: [String: String], activity: String, resource: String
    ) throws {
        let folder = try Folder(files: ["config/apps/shop.json": Self.app])
        let main = "p/app/src/main"
        for (name, text) in files { try folder.write("\(main)/\(name)", text) }
        let run = try Subject.run(
            "snippet", "shop", "android", "--config", "\(folder.path)/config", "--output", "\(folder.path)/p")
        #expect(run.status == 0, "\(run.errors)")
        let code = activity.replacing("MainActivity", with: "DeepLink")
        let isBeside = activity.contains("/other/")
        #expect(
            run.output.split(separator: "\n").map(String.init)
                == [
                    "AndroidManifest.xml.associated", resource, activity,
                    isBeside ? code : code.replacing(".associated", with: ""),
                ].map { "\(folder.path)/\(main)/\($0)" })
        for (name, text) in files { #expect(try folder.read("\(main)/\(name)") == text) }
        for name in [activity, resource] where name.hasSuffix(".associated") {
            #expect(run.errors.contains("next: merge app/src/main/\(name) into "), "\(run.errors)")
        }
    }

    @Test func `a module folder has its files in src/main`() throws {
        let folder = try Folder(files: ["config/apps/shop.json": Self.app, "p/src/main/AndroidManifest.xml": ""])
        let run = try Subject.run(
            "snippet", "shop", "android", "--config", "\(folder.path)/config", "--output", "\(folder.path)/p")
        #expect(run.output.split(separator: "\n").allSatisfy { $0.hasPrefix("\(folder.path)/p/src/main/") })
    }

    @Test(arguments: [
        ("INFOPLIST_FILE = A/Info.plist; INFOPLIST_FILE = ATests/Info.plist;", "A", "ios", "A/Info.plist"),
        ("INFOPLIST_FILE = \"$(SRCROOT)/Own.plist\";", "ios/App/App", "capacitor", "ios/App/Own.plist"),
    ])
    func `Info.plist entries go into the file that the Xcode project names`(
        text: String, project: String, kind: String, place: String
    ) throws {
        let folder = try Folder(files: ["config/apps/shop.json": Self.app, "p/\(place)": Self.empty])
        try folder.write("p/\(project).xcodeproj/project.pbxproj", "{ a = { \(text) B = C; }; }")
        let run = try Subject.run(
            "snippet", "shop", kind, "--config", "\(folder.path)/config", "--output", "\(folder.path)/p")
        #expect(run.output.split(separator: "\n").filter { $0.contains(".plist") } == ["\(folder.path)/p/\(place)"])
        #expect(try folder.read("p/\(place)").contains("CFBundleURLSchemes"))
        #expect(!run.errors.contains("plist into"), "\(run.errors)")
    }

    @Test func `the steps name the Swift files that Xcode has to know`() throws {
        let folder = try Folder(files: ["config/apps/shop.json": Self.app])
        let run = try Subject.run(
            "snippet", "shop", "ios", "--config", "\(folder.path)/config", "--output", "\(folder.path)/p")
        #expect(run.errors.contains("next: in Xcode, add DeepLink.swift, "), "\(run.errors)")
    }

    @Test(arguments: [
        (#"{ "/": "/a/*", caseSensitive: false }"#, true), (#"{ "/": "/a/*" }"#, false),
        (#"{ "/": "*", caseSensitive: false }"#, false),
    ])
    func `the manifest says why rules that ignore case have no paths`(rule: String, isSaid: Bool) throws {
        let app = #"""
            { name: "A", hosts: ["a.test"], android: { package: "org.acme.shop",
              fingerprints: ["\#(LintCommandTests.print)"] }, links: [\#(rule)] }
            """#
        let manifest = try #require(try Self.files("android", app: app)["AndroidManifest.xml"])
        #expect(manifest.contains("no path for rules with `caseSensitive: false`") == isSaid)
        #expect(isXML(manifest))
    }

    @Test func `says how to name a configuration where there is none`() throws {
        let run = try Subject.run("snippet", "shop", "ios", "--config", "/nonexistent")
        #expect(run.errors.contains("no app files in /nonexistent/apps; name a configuration with --config"))
    }

    @Test(arguments: [
        ("scheme: \"org.acme.shop\",", ["ios/App/App/Info.plist", "android/app/src/main/AndroidManifest.xml"]),
        ("", ["android/app/src/main/AndroidManifest.xml"]),
    ])
    func `lists only written files for merging`(scheme: String, names: [String]) throws {
        let folder = try Folder()
        let text = Self.app.replacing(#/scheme: "[^"]*",/#, with: scheme)
        try folder.write("config/apps/shop.json", text)
        let run = try Subject.run(
            "snippet", "shop", "capacitor", "--config", "\(folder.path)/config", "--output", "\(folder.path)/out")
        let merged = run.errors.split(separator: "\n").filter { $0.hasPrefix("next: merge ") }
        #expect(merged == names.map { "next: merge \($0) into the project's own file, if it has one elsewhere" })
    }

    private static let empty = "<plist>\n<dict>\n\t<key>a</key>\n\t<true/>\n</dict>\n</plist>\n"

    /// A project's files, the type, and where the entitlements go; nil if the command cannot know it.
    private static let projects: [(files: [String], kind: String, place: String?)] = [
        (["App.entitlements"], "ios", "App.entitlements"),
        (["App.entitlements", "Other.entitlements"], "ios", "RopeAnchorhop.entitlements.associated"),
        (["App.entitlements", "RopeAnchorhop.entitlements"], "ios", "RopeAnchorhop.entitlements"),
        (["ios/Runner/Release.entitlements"], "flutter", "ios/Runner/Release.entitlements"),
        (["ios/Mine.xcodeproj/x", "ios/Pods.xcodeproj/x"], "react-native", "ios/Mine/Mine.entitlements"),
        (["ios/Mine/Info.plist", "ios/MineTests/Info.plist"], "react-native", "ios/Mine/Mine.entitlements"),
        (["ios/Mine.xcodeproj/x", "ios/Mine/Debug.entitlements"], "react-native", "ios/Mine/Debug.entitlements"),
        ([], "react-native", "ios/RopeAnchorhop/RopeAnchorhop.entitlements"),
        (
            ["ios/A.xcodeproj/x", "ios/RopeAnchorhop.xcodeproj/x"], "react-native",
            "ios/RopeAnchorhop/RopeAnchorhop.entitlements"
        ),
        (["ios/A.xcodeproj/x", "ios/B.xcodeproj/x"], "react-native", nil),
    ]

    @Test(arguments: projects)
    func `entitlements go into those of the project, whatever their name`(
        files: [String], kind: String, place: String?
    ) throws {
        let folder = try Folder(files: Dictionary(uniqueKeysWithValues: files.map { ("p/\($0)", Self.empty) }))
        try folder.write("config/apps/shop.json", Self.app)
        let run = try Subject.run(
            "snippet", "shop", kind, "--config", "\(folder.path)/config", "--output", "\(folder.path)/p")
        guard let place else {
            #expect(
                run.status == 1 && run.output.isEmpty && run.errors.contains("several targets: A, B"), "\(run.errors)")
            return
        }
        #expect(run.status == 0)
        #expect(
            run.output.split(separator: "\n").filter { $0.contains(".entitlements") } == ["\(folder.path)/p/\(place)"])
        #expect(try folder.read("p/\(place)").contains("<string>applinks:shop.acme.test</string>"))
        #expect(try folder.read("p/\(place)").contains("<key>a</key>") == files.contains(place))
        // Nothing is left to do about what was merged.
        #expect(run.errors.contains("CODE_SIGN_ENTITLEMENTS") == (!files.contains(place) && !place.hasSuffix("ed")))
    }

    /// The settings of an Xcode project; the project, the type, where the entitlements go, and what is left to do.
    private static let settings: [(text: String, project: String, kind: String, place: String, step: String?)] = [
        ("CODE_SIGN_ENTITLEMENTS = A/Own.entitlements;", "ios/A", "react-native", "ios/A/Own.entitlements", nil),
        ("CODE_SIGN_ENTITLEMENTS = C/Own.entitlements;", "ios/A", "react-native", "ios/C/Own.entitlements", nil),
        (
            "CODE_SIGN_ENTITLEMENTS = \"$(SRCROOT)/C/O.entitlements\";", "ios/Runner", "flutter",
            "ios/C/O.entitlements", nil
        ),
        ("\"CODE_SIGN_ENTITLEMENTS[sdk=x*]\" = A/O.entitlements;", "A", "ios", "A/O.entitlements", nil),
        (
            "CODE_SIGN_ENTITLEMENTS = A/D.entitlements; CODE_SIGN_ENTITLEMENTS = A/R.entitlements;", "A", "ios",
            "RopeAnchorhop.entitlements.associated", "of the app's target: A/D.entitlements, A/R.entitlements"
        ),
        (
            "CODE_SIGN_ENTITLEMENTS = ../../O.entitlements;", "A", "ios", "RopeAnchorhop.entitlements.associated",
            "of the app's target: ../../O.entitlements"
        ),
        ("", "ios/A", "react-native", "ios/A/A.entitlements", "of the target to A/A.entitlements"),
        ("", "ios/Runner", "flutter", "ios/Runner/Runner.entitlements", "of the target to Runner/Runner.entitlements"),
        ("", "ios/App/App", "capacitor", "ios/App/App/App.entitlements", "of the target to App/App.entitlements"),
        ("", "A", "ios", "RopeAnchorhop.entitlements", "of the target to RopeAnchorhop.entitlements"),
    ]

    @Test(arguments: settings)
    func `the Xcode project says which entitlements are the target's`(
        text: String, project: String, kind: String, place: String, step: String?
    ) throws {
        let folder = try Folder(files: ["config/apps/shop.json": Self.app])
        try folder.write("p/\(project).xcodeproj/project.pbxproj", "{ a = { \(text) B = C; }; }")
        if step == nil { try folder.write("p/\(place)", Self.empty) }
        let run = try Subject.run(
            "snippet", "shop", kind, "--config", "\(folder.path)/config", "--output", "\(folder.path)/p")
        #expect(run.status == 0)
        #expect(
            run.output.split(separator: "\n").filter { $0.contains(".entitlements") } == ["\(folder.path)/p/\(place)"])
        #expect(try folder.read("p/\(place)").contains("<string>applinks:shop.acme.test</string>"))
        let steps = run.errors.split(separator: "\n").filter {
            $0.hasPrefix("next: ") && $0.lowercased().contains("entitlements")
        }
        #expect(
            steps.count == (step == nil ? 0 : 1) && steps.allSatisfy { $0.hasSuffix(" \(step ?? "")") }, "\(run.errors)"
        )
    }

    @Test(arguments: ["shop", "shop.json", "rope & \"anchor\" $hop"])
    func `finds an app by its name and by its file's name`(name: String) throws {
        let folder = try Folder()
        try folder.write("config/apps/shop.json", Self.app)
        let run = try Subject.run(["snippet", name, "html", "--config", "\(folder.path)/config"])
        #expect(run.status == 0, "\(run.errors)")
    }

    @Test func `reports unknown projects and apps`() throws {
        let folder = try Folder()
        try folder.write("config/apps/shop.json", Self.app.replacing("android:", with: "androyd:"))
        let config = ["--config", "\(folder.path)/config"]
        #expect(
            try Subject.run(["snippet", "shop", "andoid"] + config).errors
                == "associated: unknown project type \"andoid\"; did you mean android?\n")
        #expect(
            try Subject.run(["snippet", "shpo", "ios"] + config).errors
                == "associated: no app \"shpo\" in \(folder.path)/config/apps; did you mean shop?\n")
        #expect(try Subject.run(["snippet", "shop", "android"] + config).status == 1)
        #expect(try Subject.run(["snippet", "shop", "ios", "--mode", "x"] + config).status == 2)
    }

    @Test func `reports a named app file that cannot be read`() throws {
        let folder = try Folder()
        try folder.write("long.json", String(repeating: " ", count: 4_194_305))
        let run = try Subject.run("snippet", "\(folder.path)/long.json", "ios")
        #expect(run.status == 1)
        #expect(run.errors.hasPrefix("associated: cannot read \(folder.path)/long.json: it has 4194305 bytes"))
    }
}
