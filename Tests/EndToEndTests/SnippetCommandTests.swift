// `associated snippet`: files for the app's own project. Swift files are compiled against small replacements of Apple's
// frameworks, and the deciding part is run.

import Foundation
import Testing

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

    @Test func `says how to name a configuration where there is none`() throws {
        let run = try Subject.run("snippet", "shop", "ios", "--config", "/nonexistent")
        #expect(run.errors.contains("no app files in /nonexistent/apps; name a configuration with --config"))
    }

    private static let empty = "<plist>\n<dict>\n\t<key>a</key>\n\t<true/>\n</dict>\n</plist>\n"

    /// The target is that of the Xcode project, and what was merged needs no step; of several, nobody knows.
    @Test(arguments: [(["A"], "ios/A/Own.entitlements"), (["A", "B"], nil)])
    func `writes into the files that the project has`(targets: [String], place: String?) throws {
        let folder = try Folder(files: ["config/apps/shop.json": Self.app, "p/ios/A/Own.entitlements": Self.empty])
        for target in targets {
            try folder.write(
                "p/ios/\(target).xcodeproj/project.pbxproj", "CODE_SIGN_ENTITLEMENTS = A/Own.entitlements;")
        }
        let run = try Subject.run(
            "snippet", "shop", "react-native", "--config", "\(folder.path)/config", "--output", "\(folder.path)/p")
        guard let place else {
            #expect(
                run.status == 1 && run.output.isEmpty && run.errors.contains("several targets: A, B"), "\(run.errors)")
            return
        }
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.split(separator: "\n").contains("\(folder.path)/p/\(place)"))
        let text = try folder.read("p/\(place)")
        #expect(text.contains("<key>a</key>") && text.contains("<string>applinks:shop.acme.test</string>"))
        #expect(!run.errors.contains("CODE_SIGN_ENTITLEMENTS"))
    }

    @Test func `an app file without the platform has nothing to generate`() throws {
        let folder = try Folder(files: ["config/apps/shop.json": Self.app.replacing(#/android: \{[^}]*\},/#, with: "")])
        let run = try Subject.run("snippet", "shop", "android", "--config", "\(folder.path)/config")
        #expect(run.errors.contains("has no `android` section, so there is nothing to generate"), "\(run.errors)")
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
