// `associated snippet`: files for the app's own project. Swift ones are checked by the compiler against small stand-ins for
// Apple's frameworks, and the part that decides is run.

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

    /// The files that a kind of project gets, by name.
    private func files(_ kind: String, app: String = app, _ more: String...) throws -> [String: String] {
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
    private func swiftc(_ folder: Folder, _ arguments: [String]) throws -> Run {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return try Subject.run(
            URL(fileURLWithPath: "/bin/sh"), ["-c", "cd \(folder.path) && swiftc \(arguments.joined(separator: " "))"],
            ["PATH": path, "HOME": folder.path])
    }

    private func isXML(_ text: String) -> Bool {
        let body = text.replacing("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", with: "")
            .replacing("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n", with: "")
            .split(separator: "\n").filter { !$0.hasPrefix("<!DOCTYPE") }.joined(separator: "\n")
        return XMLParser(data: Data("<a xmlns:android=\"b\">\(body)</a>".utf8)).parse()
    }

    @Test func `entitlements name each host for each service, and App Clips no wildcards`() throws {
        let text = try #require(try files("ios")["RopeAnchorhop.entitlements"])
        let entries = text.split(separator: "\n").filter { $0.contains("<string>") }.map {
            $0.replacing("<string>", with: "").replacing("</string>", with: "").trimmingCharacters(in: .whitespaces)
        }
        #expect(
            entries == [
                "applinks:shop.acme.test", "applinks:*.shop.acme.test", "webcredentials:shop.acme.test",
                "webcredentials:*.shop.acme.test", "appclips:shop.acme.test",
            ])
        #expect(isXML(text))
        let test = try #require(try files("ios", "--mode", "developer")["RopeAnchorhop.entitlements"])
        #expect(test.contains("<string>applinks:shop.acme.test?mode=developer</string>"))
    }

    static let foundation = """
        import Foundation
        public class NSUserActivity: Hashable {
            public var webpageURL: URL?
            public var activityType = ""
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
        public class UISceneSession {}
        public class UIOpenURLContext: Hashable {
            public var url = URL(fileURLWithPath: "/")
            public static func == (a: UIOpenURLContext, b: UIOpenURLContext) -> Bool { a === b }
            public func hash(into hasher: inout Hasher) {}
        }
        public class UIScene {
            public class ConnectionOptions {
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
    func `the compiler takes the Swift files`(module: String, text: String, file: String) throws {
        let files = try files("ios")
        let folder = try Folder()
        try folder.write("\(module)/\(module).swift", Self.foundation + text)
        for name in ["DeepLink.swift", file] { try folder.write(name, try #require(files[name])) }
        let stand = try swiftc(folder, ["-emit-module", "-module-name", module, "\(module)/\(module).swift"])
        try #require(stand.status == 0, "\(stand.errors)")
        let run = try swiftc(folder, ["-typecheck", "-I", ".", "DeepLink.swift", file])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors.isEmpty)
    }

    @Test func `the Swift file sends both kinds of link to the same place`() throws {
        let folder = try Folder()
        try folder.write("DeepLink.swift", try #require(try files("ios")["DeepLink.swift"]))
        try folder.write(
            "main.swift",
            """
            import Foundation
            for text in CommandLine.arguments.dropFirst() {
                let link = URL(string: text).flatMap { DeepLink($0) }
                let items = link?.queryItems.map { "\\($0.name)=\\($0.value ?? "")" } ?? []
                print(link.map { "\\($0.path)|\\(items.joined(separator: ","))" } ?? "none")
            }
            """)
        let built = try swiftc(folder, ["DeepLink.swift", "main.swift", "-o", "links"])
        try #require(built.status == 0, "\(built.errors)")
        let run = try Subject.run(
            URL(fileURLWithPath: "\(folder.path)/links"),
            [
                "https://shop.acme.test/a/1?x=1", "org.acme.shop://a/1?x=1", "org.acme.shop:///a/1",
                "https://x.SHOP.acme.test", "https://other.test/a", "https://acme.test/a", "mailto:a@b",
                "org.acme.shop://callback#access_token=t%20t&state=s", "https://shop.acme.test/a#top",
            ])
        #expect(
            run.output == """
                /a/1|x=1
                /a/1|x=1
                /a/1|
                /|
                none
                none
                none
                /callback|access_token=t t,state=s
                /a|

                """)
    }

    @Test func `the manifest has the narrowest paths that cover the rules`() throws {
        let files = try files("android")
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
        for part in [
            "override fun onNewIntent(intent: Intent)", "override fun onCreate(",
        ] {
            #expect(kotlin.contains(part))
        }
        #expect(files["DeepLink.kt"]?.contains("setOf<String>(\"shop.acme.test\")") == true)
        let everything = Self.app.replacing("{ \"/\": \"/a/*\" }", with: "{ \"/\": \"*\" }")
        #expect(
            try #require(try self.files("android", app: everything)["AndroidManifest.xml"]).contains("path") == false)
    }

    @Test func `pages in an app get links on a cold start and while it runs`() throws {
        let files = try files("capacitor")
        let script = try #require(files["src/deep-links.ts"])
        for part in [
            "App.addListener(\"appUrlOpen\"", "App.getLaunchUrl()", "window.history.pushState",
            "PopStateEvent(\"popstate\"",
            "const scheme: string | null = \"org.acme.shop\";",
        ] { #expect(script.contains(part)) }
        #expect(files.keys.contains("AndroidManifest.xml"))
        #expect(files.keys.contains("ios/App.entitlements"))
    }

    @Test func `Expo's file is JSON with both platforms`() throws {
        let files = try files("expo")
        let json = try JSONSerialization.jsonObject(with: Data(try #require(files["app.json"]).utf8))
        let expo = try #require((json as? [String: [String: Any]])?["expo"])
        #expect(expo["scheme"] as? String == "org.acme.shop")
        let ios = try #require(expo["ios"] as? [String: Any])
        #expect(ios["bundleIdentifier"] as? String == "org.acme.shop")
        #expect((ios["associatedDomains"] as? [String])?.first == "applinks:shop.acme.test")
        let filters = (expo["android"] as? [String: Any])?["intentFilters"] as? [[String: Any]]
        let data = try #require(filters?.first?["data"] as? [[String: String]])
        #expect(data.count == 14)
        #expect(data.first == ["scheme": "https", "host": "shop.acme.test", "path": "/a"])
        #expect(files["app/+native-intent.ts"]?.contains("redirectSystemPath") == true)
    }

    @Test func `Flutter gets its switches and a route`() throws {
        let files = try files("flutter")
        #expect(files["lib/deep_link.dart"]?.contains("const _hosts = <String>{\"shop.acme.test\"};") == true)
        #expect(files["Info.plist"]?.contains("<key>FlutterDeepLinkingEnabled</key>\n    <true/>") == true)
        #expect(
            files["AndroidManifest.xml"]?.contains("\"flutter_deeplinking_enabled\" android:value=\"true\"") == true)
    }

    @Test func `the head of a page is escaped`() throws {
        let text = try #require(try files("html")["head.html"])
        #expect(text.contains("content=\"app-id=640199958, app-argument=https://shop.acme.test/\""))
        #expect(text.contains("<meta property=\"al:ios:app_name\" content=\"Rope &amp; &quot;Anchor&quot; $hop\">"))
        #expect(text.contains("<meta property=\"al:android:package\" content=\"org.acme.shop\">"))
    }

    @Test func `writes files, and none over another`() throws {
        let folder = try Folder()
        try folder.write("config/apps/shop.json", Self.app)
        let arguments = [
            "snippet", "shop", "capacitor", "--config", "\(folder.path)/config", "--output", "\(folder.path)/a/b",
        ]
        let names = [
            "ios/App.entitlements", "Info.plist", "AndroidManifest.xml", "res/values/asset_statements.xml",
            "src/deep-links.ts",
        ]
        #expect(try Subject.run(arguments).output == names.map { "\(folder.path)/a/b/\($0)\n" }.joined())
        #expect(try folder.read("a/b/src/deep-links.ts").contains("appUrlOpen"))
        let again = try Subject.run(arguments)
        #expect(again.status == 1)
        let first = "\(folder.path)/a/b/\(names[0])"
        #expect(again.errors == "associated: \(first) is there already, and is not written over\n")
    }

    @Test func `says what it does not know`() throws {
        let folder = try Folder()
        try folder.write("config/apps/shop.json", Self.app.replacing("android:", with: "androyd:"))
        let config = ["--config", "\(folder.path)/config"]
        #expect(
            try Subject.run(["snippet", "shop", "andoid"] + config).errors
                == "associated: there is no snippet for \"andoid\"; did you mean android?\n")
        #expect(
            try Subject.run(["snippet", "shpo", "ios"] + config).errors
                == "associated: there is no app \"shpo\" in \(folder.path)/config/apps; did you mean shop?\n")
        #expect(try Subject.run(["snippet", "shop", "android"] + config).status == 1)
        #expect(try Subject.run(["snippet", "shop", "ios", "--mode", "x"] + config).status == 2)
    }

    @Test func `an app file that was named and cannot be read is said to be so`() throws {
        let folder = try Folder()
        try folder.write("long.json", String(repeating: " ", count: 4_194_305))
        let run = try Subject.run("snippet", "\(folder.path)/long.json", "ios")
        #expect(run.status == 1)
        #expect(run.errors.hasPrefix("associated: cannot read \(folder.path)/long.json: it has 4194305 bytes"))
    }
}
