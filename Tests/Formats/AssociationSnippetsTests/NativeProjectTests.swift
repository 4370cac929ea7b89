// Where generated files go in a project, and what is left to do about them. A project is a list of its files.

import AssociationSnippets
import Testing

extension NativeProject {
    /// A project with these files, each with one text.
    init(_ paths: [String], text: String = "") { self.init(Dictionary(uniqueKeysWithValues: paths.map { ($0, text) })) }

    init(_ files: [String: String]) {
        self.init(
            entries: { folder in
                let inside = files.keys.filter { $0.hasPrefix(folder) }.map { $0.dropFirst(folder.count) }
                let names = Dictionary(grouping: inside) { String($0.prefix { $0 != "/" }) }
                // In no order that a target could be chosen by.
                return names.sorted { $0.key > $1.key }.map { name, paths in
                    Entry(name: name, isFolder: paths.contains { $0.contains("/") })
                }
            },
            text: { files[$0] })
    }
}

struct NativeProjectTests {
    /// Where the files of a kind go.
    private static func placed(_ kind: Snippet.Kind, in project: NativeProject) throws -> [GeneratedFile] {
        var snippet = Snippet(try SnippetTests.app())
        if kind == .reactNative { snippet.target = project.targets(or: snippet.identifier).first }
        return snippet.files(for: kind).map(project.placed)
    }

    /// The files of a Gradle project below `app/src/main`, and where the activity and the resource go.
    private static let modules: [(files: [String: String], activity: String, resource: String)] = [
        ([:], "java/org/acme/shop/MainActivity.kt", "res/values/asset_statements.xml"),
        (
            ["kotlin/org/acme/shop/MainActivity.kt": ""], "kotlin/org/acme/shop/MainActivity.kt",
            "res/values/asset_statements.xml"
        ),
        (
            ["java/org/other/MainActivity.java": ""], "java/org/other/MainActivity.kt.associated",
            "res/values/asset_statements.xml"
        ),
        (
            ["java/org/acme/shop/MainActivity.java": ""], "java/org/acme/shop/MainActivity.kt.associated",
            "res/values/asset_statements.xml"
        ),
        (
            ["res/values/strings.xml": "<string name=\"asset_statements\">x</string>"],
            "java/org/acme/shop/MainActivity.kt", "res/values/asset_statements.xml.associated"
        ),
        (
            ["res/values/strings.xml": "<string name=\"other\">x</string>"], "java/org/acme/shop/MainActivity.kt",
            "res/values/asset_statements.xml"
        ),
    ]

    @Test(arguments: modules)
    func `files of an Android app go into the module of a Gradle project`(
        files: [String: String], activity: String, resource: String
    ) throws {
        let main = "app/src/main/"
        var present = ["\(main)AndroidManifest.xml": ""]
        for (name, text) in files { present[main + name] = text }
        let code = activity.replacing("MainActivity", with: "DeepLink")
        let isBeside = activity.contains("/other/")
        #expect(
            try Self.placed(.android, in: NativeProject(present)).map(\.name)
                == [
                    "AndroidManifest.xml", resource, activity,
                    isBeside ? code : code.replacing(".associated", with: ""),
                ].map { main + $0 })
    }

    @Test func `a module folder has its files in src/main`() throws {
        let files = try Self.placed(.android, in: NativeProject(["src/main/AndroidManifest.xml"]))
        #expect(files.allSatisfy { $0.name.hasPrefix("src/main/") })
    }

    @Test(arguments: [
        ("INFOPLIST_FILE = A/Info.plist; INFOPLIST_FILE = ATests/Info.plist;", "A", Snippet.Kind.ios, "A/Info.plist"),
        ("INFOPLIST_FILE = \"$(SRCROOT)/Own.plist\";", "ios/App/App", .capacitor, "ios/App/Own.plist"),
    ])
    func `Info.plist entries go into the file that the Xcode project names`(
        text: String, project: String, kind: Snippet.Kind, place: String
    ) throws {
        let project = NativeProject(["\(project).xcodeproj/project.pbxproj"], text: text)
        #expect(try Self.placed(kind, in: project).map(\.name).filter { $0.hasSuffix(".plist") } == [place])
    }

    /// A project's files, the type, and where the entitlements go; nil if nothing tells it.
    private static let projects: [(files: [String], kind: Snippet.Kind, place: String?)] = [
        (["App.entitlements"], .ios, "App.entitlements"),
        (["App.entitlements", "Other.entitlements"], .ios, "RopeAnchorhop.entitlements.associated"),
        (["App.entitlements", "RopeAnchorhop.entitlements"], .ios, "RopeAnchorhop.entitlements"),
        (["ios/Runner/Release.entitlements"], .flutter, "ios/Runner/Release.entitlements"),
        (["ios/Mine.xcodeproj/x", "ios/Pods.xcodeproj/x"], .reactNative, "ios/Mine/Mine.entitlements"),
        (["ios/Mine/Info.plist", "ios/MineTests/Info.plist"], .reactNative, "ios/Mine/Mine.entitlements"),
        (["ios/Mine.xcodeproj/x", "ios/Mine/Debug.entitlements"], .reactNative, "ios/Mine/Debug.entitlements"),
        ([], .reactNative, "ios/RopeAnchorhop/RopeAnchorhop.entitlements"),
        (
            ["ios/A.xcodeproj/x", "ios/RopeAnchorhop.xcodeproj/x"], .reactNative,
            "ios/RopeAnchorhop/RopeAnchorhop.entitlements"
        ),
        (["ios/B.xcodeproj/x", "ios/A.xcodeproj/x"], .reactNative, nil),
    ]

    @Test(arguments: projects)
    func `entitlements go into those of the project, whatever their name`(
        files: [String], kind: Snippet.Kind, place: String?
    ) throws {
        let project = NativeProject(files)
        guard let place else { return #expect(project.targets(or: "RopeAnchorhop") == ["A", "B"]) }
        let placed = try Self.placed(kind, in: project).filter { $0.name.contains(".entitlements") }
        #expect(placed.map(\.name) == [place])
        // Nothing is left to do about what is merged.
        let step = project.step(for: placed[0], files.contains(place) ? .merged : .created)
        #expect(
            step?.contains("CODE_SIGN_ENTITLEMENTS") == (files.contains(place) || place.hasSuffix("ed") ? nil : true)
                || step?.hasPrefix("merge ") == place.hasSuffix("ed"))
    }

    /// The settings of an Xcode project; the project, the type, where the entitlements go, and what is left to do.
    private static let settings: [(text: String, project: String, kind: Snippet.Kind, place: String, step: String?)] = [
        ("CODE_SIGN_ENTITLEMENTS = A/Own.entitlements;", "ios/A", .reactNative, "ios/A/Own.entitlements", nil),
        ("CODE_SIGN_ENTITLEMENTS = C/Own.entitlements;", "ios/A", .reactNative, "ios/C/Own.entitlements", nil),
        (
            "CODE_SIGN_ENTITLEMENTS = \"$(SRCROOT)/C/O.entitlements\";", "ios/Runner", .flutter,
            "ios/C/O.entitlements", nil
        ),
        ("\"CODE_SIGN_ENTITLEMENTS[sdk=x*]\" = A/O.entitlements;", "A", .ios, "A/O.entitlements", nil),
        (
            "CODE_SIGN_ENTITLEMENTS = A/D.entitlements; CODE_SIGN_ENTITLEMENTS = A/R.entitlements;", "A", .ios,
            "RopeAnchorhop.entitlements.associated", "of the app's target: A/D.entitlements, A/R.entitlements"
        ),
        (
            "CODE_SIGN_ENTITLEMENTS = ../../O.entitlements;", "A", .ios, "RopeAnchorhop.entitlements.associated",
            "of the app's target: ../../O.entitlements"
        ),
        ("", "ios/A", .reactNative, "ios/A/A.entitlements", "of the target to A/A.entitlements"),
        ("", "ios/Runner", .flutter, "ios/Runner/Runner.entitlements", "of the target to Runner/Runner.entitlements"),
        ("", "ios/App/App", .capacitor, "ios/App/App/App.entitlements", "of the target to App/App.entitlements"),
        ("", "A", .ios, "RopeAnchorhop.entitlements", "of the target to RopeAnchorhop.entitlements"),
    ]

    @Test(arguments: settings)
    func `the Xcode project says which entitlements are the target's`(
        text: String, name: String, kind: Snippet.Kind, place: String, step: String?
    ) throws {
        let project = NativeProject(["\(name).xcodeproj/project.pbxproj"], text: text)
        let file = try #require(try Self.placed(kind, in: project).first { $0.name.contains(".entitlements") })
        #expect(file.name == place)
        let said = project.step(for: file, step == nil ? .merged : .created)
        #expect(said == nil ? step == nil : said?.hasSuffix(" \(step ?? "")") == true, "\(said ?? "")")
    }

    @Test(
        arguments: [
            (.beside, "merge app/res.xml.associated into app/res.xml"), (.kept, nil), (.created, nil),
        ] as [(GeneratedFile.Outcome, String?)])
    func `says what to do about a file beside the project's own`(outcome: GeneratedFile.Outcome, step: String?) {
        let file = GeneratedFile(name: "app/res.xml", text: "", isFragment: true)
        #expect(NativeProject([]).step(for: file, outcome) == step)
    }
}
