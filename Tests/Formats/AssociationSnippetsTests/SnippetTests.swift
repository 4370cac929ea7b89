// The content of the files for the app's own project. EndToEndTests compiles the Swift files, and has a parser of its language
// read each of the others.

import Association
import AssociationSamples
import AssociationSnippets
import Testing

struct SnippetTests {
    static let links = #"""
        [{ "/": "/a/private/*", exclude: true }, { "/": "/a/*" }, { "/": "/search", "?": { q: "?*" } },
         { "/": "/b/??.html" }, { "/": "/c/*/d" }]
        """#
    private static let scheme = #"scheme: "org.acme.shop","#

    /// An app with every key.
    static func app(links: String = links, more: String = scheme) throws -> AppFile {
        try AppFileSample.app(
            AppFileSample.text(
                name: #""Rope & \"Anchor\" $hop""#, hosts: #"["shop.acme.test", "*.shop.acme.test"]"#,
                ios:
                    #"{ appIDs: ["9JA89QQLNQ.org.acme.shop"], appClips: ["9JA89QQLNQ.org.acme.shop.Clip"], storeID: "640199958" }"#,
                android: #"""
                    { package: "org.acme.shop", fingerprints: ["\#(AppFileSample.fingerprint)"], dynamicRules: true,
                      relations: ["handle_all_urls", "get_login_creds"] }
                    """#,
                links: links, more: more))
    }

    /// The text of a file for a project type.
    private static func text(_ name: String, _ kind: Snippet.Kind, of app: AppFile, mode: String? = nil) throws
        -> String
    {
        try #require(Snippet(app, mode: mode).files(for: kind).first { $0.name == name }).text
    }

    private static func lines(_ text: String, with part: String, without parts: [String]) -> [String] {
        text.split(separator: "\n").filter { $0.contains(part) }.map { line in
            parts.reduce(String(line)) { $0.replacing($1, with: "") }.filter { $0 != " " }
        }
    }

    @Test func `entitlements contain each host for each service, without wildcards for App Clips`() throws {
        let app = try Self.app()
        let text = try Self.text("RopeAnchorhop.entitlements", .ios, of: app)
        #expect(
            Self.lines(text, with: "<string>", without: ["<string>", "</string>"]) == [
                "applinks:shop.acme.test", "applinks:*.shop.acme.test", "webcredentials:shop.acme.test",
                "webcredentials:*.shop.acme.test", "appclips:shop.acme.test",
            ])
        let test = try Self.text("RopeAnchorhop.entitlements", .ios, of: app, mode: "developer")
        #expect(test.contains("<string>applinks:shop.acme.test?mode=developer</string>"))
    }

    @Test func `the manifest has the narrowest paths that cover the rules`() throws {
        let app = try Self.app()
        let manifest = try Self.text("AndroidManifest.xml", .android, of: app)
        #expect(manifest.contains("<intent-filter android:autoVerify=\"true\">"))
        #expect(
            Self.lines(manifest, with: "<data ", without: ["<data", "/>", "android:"]) == [
                "scheme=\"http\"", "scheme=\"https\"", "host=\"shop.acme.test\"", "host=\"*.shop.acme.test\"",
                "path=\"/a\"", "pathPrefix=\"/a/\"", "path=\"/search\"", "path=\"/search/\"",
                "pathPattern=\"/b/..\\\\.html\"", "pathPattern=\"/b/..\\\\.html/\"", "pathPrefix=\"/c/\"",
                "scheme=\"org.acme.shop\"",
            ])
        let kotlin = try Self.text("MainActivity.kt", .android, of: app)
        #expect(kotlin.hasPrefix("package org.acme.shop\n"))
        for part in ["override fun onNewIntent(intent: Intent)", "override fun onCreate("] {
            #expect(kotlin.contains(part))
        }
        #expect(try Self.text("DeepLink.kt", .android, of: app).contains("setOf<String>(\"shop.acme.test\")"))
        let everything = try Self.app(links: #"[{ "/": "*" }]"#)
        #expect(try !Self.text("AndroidManifest.xml", .android, of: everything).contains("android:path"))
    }

    @Test(arguments: [
        (#"{ "/": "/a/*", caseSensitive: false }"#, true), (#"{ "/": "/a/*" }"#, false),
        (#"{ "/": "*", caseSensitive: false }"#, false),
    ])
    func `the manifest says why rules that ignore case have no paths`(rule: String, isSaid: Bool) throws {
        let app = try AppFileSample.app(AppFileSample.text(ios: nil, links: "[\(rule)]"))
        let manifest = try Self.text("AndroidManifest.xml", .android, of: app)
        #expect(manifest.contains("no path for rules with `caseSensitive: false`") == isSaid)
    }

    @Test func `the head of a page is escaped`() throws {
        let text = try Self.text("head.html", .html, of: Self.app())
        #expect(text.contains("content=\"app-id=640199958, app-argument=https://shop.acme.test/\""))
        #expect(text.contains("<meta property=\"al:ios:app_name\" content=\"Rope &amp; &quot;Anchor&quot; $hop\">"))
        #expect(text.contains("<meta property=\"al:android:package\" content=\"org.acme.shop\">"))
    }

    @Test(arguments: Snippet.Kind.allCases)
    func `a platform that the app file lacks has no files`(kind: Snippet.Kind) throws {
        let apple = Snippet(try AppFileSample.app(AppFileSample.text(android: nil)))
        let android = Snippet(try AppFileSample.app(AppFileSample.text(ios: nil)))
        #expect(apple.files(for: kind).isEmpty == (kind == .android))
        #expect(android.files(for: kind).isEmpty == (kind == .ios))
    }

    @Test(arguments: [
        (scheme, ["ios/App/App/Info.plist", "android/app/src/main/AndroidManifest.xml"]),
        ("", ["android/app/src/main/AndroidManifest.xml"]),
    ])
    func `lists only written files for merging`(scheme: String, names: [String]) throws {
        let snippet = Snippet(try Self.app(more: scheme))
        let steps = snippet.steps(
            for: .capacitor, in: NativeProject(["/"]), snippet.files(for: .capacitor).map { ($0, .created) })
        #expect(
            steps.filter { $0.hasPrefix("merge ") }
                == names.map { "merge \($0) into the project's own file, if it has one elsewhere" })
    }

    @Test func `the steps name the Swift files that Xcode has to know`() throws {
        let snippet = Snippet(try Self.app())
        let files = snippet.files(for: .ios)
        let outcomes = files.map { $0.name == "SceneDelegate.swift" ? GeneratedFile.Outcome.kept : .created }
        let steps = snippet.steps(for: .ios, in: NativeProject([]), Array(zip(files, outcomes)))
        #expect(steps.contains("in Xcode, add DeepLink.swift, DeepLink+SwiftUI.swift to the app's target"))
    }
}
