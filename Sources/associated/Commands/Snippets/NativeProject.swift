// The project that generated files are written into. What it has is found by what it is, not by the name that a generated file would
// have: entries in a second file beside the project's own would be lost, or would replace the project's.

import Association
import Posix

struct NativeProject {
    let folder: String

    init(_ folder: String) { self.folder = folder }

    private static let ending = ".entitlements"

    /// The target of a project for both platforms: the Xcode project in `ios`, or else the folder with an Info.plist.
    /// - Parameter name: the target of a new project.
    func target(or name: String) throws(Refusal) -> String {
        let entries = (try? Directory.entries("\(folder)/ios")) ?? []
        let projects = entries.map(\.name).filter { $0.hasSuffix(".xcodeproj") && $0 != "Pods.xcodeproj" }
        let folders = entries.map(\.name).filter {
            !$0.hasSuffix("Tests") && File.exists("\(folder)/ios/\($0)/Info.plist")
        }
        let targets = projects.isEmpty ? folders : projects.map { String($0.dropLast(".xcodeproj".count)) }
        if targets.count < 2 || targets.contains(name) { return targets.count == 1 ? targets[0] : name }
        throw .failure(
            "\(folder)/ios has several targets: \(targets.sorted().joined(separator: ", ")); run the command without --output, and "
                + "merge what it prints into one of them")
    }

    /// A file under the name that the project has for it. Entitlements beside others are no file of the target yet.
    func placed(_ file: OutputFile) -> OutputFile {
        guard file.name.hasSuffix(NativeProject.ending), !File.exists("\(folder)/\(file.name)") else { return file }
        let parent = file.name.lastIndex(of: "/").map { String(file.name[...$0]) } ?? ""
        let own =
            (try? Directory.entries("\(folder)/\(parent)"))?.map(\.name).filter { $0.hasSuffix(NativeProject.ending) }
            ?? []
        var placed = file
        switch own.count {
        case 0: break
        case 1: placed.name = parent + own[0]
        default: placed.name += ".associated"
        }
        return placed
    }

    /// What is left to do about a file; nil if nothing is.
    static func step(for file: OutputFile, _ outcome: OutputFile.Outcome) -> String? {
        let name = file.name.split(separator: "/").last.map(String.init) ?? ""
        switch outcome {
        case .beside: return "merge \(file.name).associated into \(file.name)"
        case .merged, .kept: return nil
        case .created, .unchanged:
            if name.hasSuffix(ending) { return "in Xcode, set CODE_SIGN_ENTITLEMENTS of the target to \(file.name)" }
            if name.hasSuffix("\(ending).associated") {
                return "merge \(file.name) into the entitlements of the app's target"
            }
            let isPart = ["Info.plist", "AndroidManifest.xml", "app.json"].contains(name)
            return isPart ? "merge \(file.name) into the project's own file, if it has one elsewhere" : nil
        }
    }
}
