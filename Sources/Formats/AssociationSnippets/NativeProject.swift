// The project that generated files are written into. What it has is found by what it is, not by the name that a generated file would
// have: entries in a second file beside the project's own would be lost, or would replace the project's.

public struct NativeProject {
    private let entries: (String) -> [Entry]
    private let text: (String) -> String?

    public struct Entry {
        let name: String
        let isFolder: Bool

        public init(name: String, isFolder: Bool) { (self.name, self.isFolder) = (name, isFolder) }
    }

    /// - Parameters:
    ///   - entries: what is in a folder of the project, whose name ends with a slash unless it is empty.
    ///   - text: the content of a file; nil if it cannot be read.
    public init(entries: @escaping (String) -> [Entry], text: @escaping (String) -> String?) {
        (self.entries, self.text) = (entries, text)
    }

    private func exists(_ path: String) -> Bool {
        let parent = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        return entries(String(parent)).contains { $0.name == path.dropFirst(parent.count) }
    }

    private static let ending = ".entitlements"

    /// An Xcode project, as far as it says which entitlements its targets have.
    private struct Xcode {
        /// Its folder below the output folder, with a slash at the end if it is not that folder.
        let folder: String
        /// The files of its CODE_SIGN_ENTITLEMENTS below the output folder.
        let entitlements: [String]
        /// Those of its INFOPLIST_FILE.
        let propertyLists: [String]

        init(_ text: String, folder: String, name: String) {
            func files(_ setting: String) -> [String] { Xcode.files(of: setting, in: text, folder: folder, name: name) }
            self.folder = folder
            (entitlements, propertyLists) = (files("CODE_SIGN_ENTITLEMENTS"), files("INFOPLIST_FILE"))
        }

        private static func files(of setting: String, in text: String, folder: String, name: String) -> [String] {
            var values: [String] = []
            for key in text.ranges(of: setting) {
                let line = text[key.upperBound...].prefix { $0 != ";" && !$0.isNewline }
                // The key may have a condition, such as [sdk=iphoneos*].
                let rest = line.first == "[" ? line.drop { $0 != "]" } : line
                var value = String(rest.drop { $0 != "=" }.dropFirst().filter { $0 != "\"" })
                for root in ["$(SRCROOT)/", "$(PROJECT_DIR)/", "${SRCROOT}/", "${PROJECT_DIR}/"] {
                    value = value.replacing(root, with: "")
                }
                value = value.replacing("$(TARGET_NAME)", with: name)
                while value.first == " " { value.removeFirst() }
                while value.last == " " { value.removeLast() }
                if !value.isEmpty, !values.contains(folder + value) { values.append(folder + value) }
            }
            return values
        }
    }

    private static let foreignFolders: Set<String> = ["Pods", "node_modules", "build", "DerivedData", "Carthage"]

    /// The Xcode project of a generated file: the topmost one, in `ios` for a project for both platforms. Of several, the one with the
    /// name of the file.
    private func xcode(of file: GeneratedFile) -> Xcode? {
        var level = [file.name.hasPrefix("ios/") ? "ios/" : ""]
        let stem = file.name.split(separator: "/").last?.split(separator: ".").first.map(String.init) ?? ""
        for _ in 0..<3 {
            var (next, found): ([String], [(folder: String, name: String)]) = ([], [])
            for parent in level.prefix(200) {
                for entry in entries(parent) where entry.name.first != "." {
                    if entry.name.hasSuffix(".xcodeproj") {
                        if entry.name != "Pods.xcodeproj", exists("\(parent)\(entry.name)/project.pbxproj") {
                            found.append((parent, String(entry.name.dropLast(".xcodeproj".count))))
                        }
                    } else if entry.isFolder, !NativeProject.foreignFolders.contains(entry.name) {
                        next.append("\(parent)\(entry.name)/")
                    }
                }
            }
            if !found.isEmpty {
                guard let own = found.count == 1 ? found[0] : found.first(where: { $0.name == stem }),
                    let text = text("\(own.folder)\(own.name).xcodeproj/project.pbxproj")
                else { return nil }
                return Xcode(text, folder: own.folder, name: own.name)
            }
            level = next
        }
        return nil
    }

    /// The target of a project for both platforms: the Xcode project in `ios`, or else the folder with an Info.plist.
    /// - Parameter name: the target of a new project.
    /// - Returns: several if nothing tells which.
    public func targets(or name: String) -> [String] {
        let names = entries("ios/").map(\.name)
        let projects = names.filter { $0.hasSuffix(".xcodeproj") && $0 != "Pods.xcodeproj" }
        let folders = names.filter { !$0.hasSuffix("Tests") && exists("ios/\($0)/Info.plist") }
        let targets = projects.isEmpty ? folders : projects.map { String($0.dropLast(".xcodeproj".count)) }
        return targets.isEmpty || targets.contains(name) ? [name] : targets.sorted()
    }

    /// A file under the name that the project has for it: entitlements are those that the Xcode project names. Entitlements beside
    /// others are no file of the target yet.
    public func placed(_ file: GeneratedFile) -> GeneratedFile {
        let isEntitlements = file.name.hasSuffix(NativeProject.ending)
        guard isEntitlements || file.name.hasSuffix("Info.plist") else { return placedInModule(file) }
        let parent = file.name.lastIndex(of: "/").map { String(file.name[...$0]) } ?? ""
        let xcode = xcode(of: file)
        let named = isEntitlements ? xcode?.entitlements : xcode?.propertyLists.filter { !$0.contains("Tests/") }
        if let named, !named.isEmpty {
            if !isEntitlements, named.contains(file.name) { return file }
            let near = named.count == 1 || parent.isEmpty ? named : named.filter { $0.hasPrefix(parent) }
            // Neither a variable nor a place outside of the project.
            let isPath = near.first?.split(separator: "/").allSatisfy { $0 != ".." && !$0.contains("$") } == true
            var placed = file
            placed.name = near.count == 1 && isPath && near[0].first != "/" ? near[0] : file.name + ".associated"
            return placed
        }
        if !isEntitlements { return file }
        if exists(file.name) { return file }
        let own = entries(parent).map(\.name).filter { $0.hasSuffix(NativeProject.ending) }
        var placed = file
        switch own.count {
        case 0: break
        case 1: placed.name = parent + own[0]
        default: placed.name += ".associated"
        }
        return placed
    }

    /// The sources of the module: of the one that the output folder is, or of the usual one in a Gradle project.
    private var module: String { exists("src/main/AndroidManifest.xml") ? "src/main/" : "app/src/main/" }
    private static let activity = "MainActivity.kt"

    /// A file of an Android app in the usual module of a Gradle project. Beside code of another package, or of another language, it
    /// would not compile, and a second resource of one name stops the build.
    private func placedInModule(_ file: GeneratedFile) -> GeneratedFile {
        let isOfAndroid = ["AndroidManifest.xml", "res/values/asset_statements.xml"].contains(file.name)
        let isCode = file.name.hasSuffix(".kt")
        guard isOfAndroid || isCode, exists("\(module)AndroidManifest.xml") else { return file }
        var placed = file
        guard isCode else {
            placed.name = module + file.name
            let values = "\(module)res/values/"
            let isDefined = entries(values).contains { entry in
                !file.name.hasSuffix(entry.name)
                    && text(values + entry.name)?.contains("name=\"asset_statements\"") == true
            }
            if file.name.hasSuffix("asset_statements.xml"), isDefined { placed.name += ".associated" }
            return placed
        }
        let package =
            file.text.split(separator: "\n").first { $0.hasPrefix("package ") }?.dropFirst("package ".count) ?? ""
        let own = package.replacing(".", with: "/") + "/"
        let places = ["java/", "kotlin/"].flatMap { folders(below: module + $0) }
        let found = places.first { parent in
            ["kt", "java"].contains { exists("\(parent)MainActivity.\($0)") }
        }
        placed.name = (found ?? "\(module)java/\(own)") + file.name
        let isJava = found.map { !exists("\($0)\(NativeProject.activity)") } ?? false
        if let found, !found.hasSuffix(own) || isJava && file.name == NativeProject.activity {
            placed.name += ".associated"
        }
        return placed
    }

    /// A folder and those in it, down to the depth of packages.
    private func folders(below parent: String, depth: Int = 0) -> [String] {
        if depth == 8 { return [] }
        let inner = entries(parent).filter(\.isFolder).map { "\(parent)\($0.name)/" }
        return [parent] + inner.flatMap { folders(below: $0, depth: depth + 1) }
    }

    /// What is left to do about a file; nil if nothing is.
    public func step(for file: GeneratedFile, _ outcome: GeneratedFile.Outcome) -> String? {
        let name = file.name.split(separator: "/").last.map(String.init) ?? ""
        switch outcome {
        case .beside: return "merge \(file.name).associated into \(file.name)"
        case .kept: return nil
        case .created, .unchanged, .merged:
            let isEntitlements = name.hasSuffix(NativeProject.ending)
            if isEntitlements || name.hasSuffix("\(NativeProject.ending).associated") {
                let xcode = xcode(of: file)
                let named = xcode?.entitlements ?? []
                if !isEntitlements {
                    return "merge \(file.name) into the entitlements of the app's target"
                        + (named.isEmpty ? "" : ": \(named.joined(separator: ", "))")
                }
                // What was merged is of the target, unless the project says that it has none.
                if named.contains(file.name) || xcode == nil && outcome == .merged { return nil }
                // The setting is relative to the folder of the project, which usually is the one above the target's.
                let value =
                    xcode.map { String(file.name.dropFirst($0.folder.count)) }
                    ?? file.name.split(separator: "/").suffix(2).joined(separator: "/")
                return "in Xcode, set CODE_SIGN_ENTITLEMENTS of the target to \(value)"
            }
            if outcome == .merged { return nil }
            if name.hasSuffix(".associated") { return "merge \(file.name) into the project's own code or resources" }
            let isPart = ["Info.plist", "AndroidManifest.xml", "app.json"].contains(name)
            return isPart ? "merge \(file.name) into the project's own file, if it has one elsewhere" : nil
        }
    }
}
