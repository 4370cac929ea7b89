// The app files in `config/apps/`, however deep: which there are, and what they hold. Each is on its own: what is wrong with
// one is a finding on that one and leaves the others as they are. Nothing here remembers anything.

import Association
import Posix

/// A folder of app files, kept open for as long as it is looked at.
final class AppTree: Sendable {
    /// How the folder is called in findings.
    let label: String
    private let root: Folder

    /// More bytes are not an app file, whatever they are.
    static let bytesMax = AppFile.bytesMax
    /// Deeper folders are a loop of links, or nobody's intention.
    static let depthMax = 16

    /// What a listing found. All paths are below the tree's folder.
    struct Listing {
        var files: [String: FileStatus] = [:]
        /// What is in the place of an app file and is none.
        var problems: [String: Finding] = [:]
        /// Why there is nothing known of what is in a folder.
        var folderProblems: [String: Finding] = [:]
        /// Folders that could not be looked into: what is in them is not known to be gone.
        var unlisted: [String] = []
        /// Those of them that are not to blame for it, and why.
        var starved: [String] = []
        var shortage: SystemError?
    }

    /// What came of reading one file.
    enum Outcome: Sendable {
        case gone
        /// Somebody is writing to it at this moment.
        case changing
        case unreadable(Finding)
        /// There was no descriptor for it, or no memory.
        case starved(SystemError)
        case contents(SettledContents)
    }

    /// Opens `apps` or `retired`.
    init(configPath: String, _ name: String, links targets: LinkTargets = .none) throws(SystemError) {
        label = "\(configPath)/\(name)"
        root = try Folder(label, links: targets)
    }

    /// Lists a folder of the tree with everything below it; an empty path is all of it.
    func list(_ folder: String, into listing: inout Listing) {
        list(folder, depth: folder.isEmpty ? 0 : folder.utf8.count { $0 == UInt8(ascii: "/") } + 1, &listing)
    }

    private func list(_ folder: String, depth: Int, _ listing: inout Listing) {
        let entries: [ListedEntry]
        do {
            entries = try root.list(folder)
        } catch {
            if error.isMissing { return }
            listing.unlisted.append(folder)
            if error.isShortage {
                listing.starved.append(folder)
                return listing.shortage = listing.shortage ?? error
            }
            listing.folderProblems[folder] = unreadable(folder, Obstacle(error, in: label), to: "look into the folder")
            return
        }
        for entry in entries where !entry.name.hasPrefix(".") {
            let path = folder.isEmpty ? entry.name : "\(folder)/\(entry.name)"
            let isNamed = AppTree.isAppFile(entry.name)
            switch entry.kind {
            case .file:
                if isNamed { listing.files[path] = entry.status }
            case .directory where isNamed: listing.problems[path] = unreadable(path, Obstacle("it is a folder"))
            case .directory where depth + entry.steps > AppTree.depthMax:
                listing.folderProblems[path] = unreadable(
                    path,
                    Obstacle("it is more than \(AppTree.depthMax) folders deep, of which a link counts as several"),
                    to: "look into the folder")
            case .directory: list(path, depth: depth + entry.steps, &listing)
            case .other:
                if isNamed { listing.problems[path] = unreadable(path, Obstacle("it is neither a file nor a folder")) }
            }
        }
    }

    /// What a path stands for at this moment.
    func status(_ path: String) -> FileStatus? { root.status(path) }

    func read(_ path: String) -> Outcome {
        do {
            guard let contents = try root.read(path, bytesMax: AppTree.bytesMax) else {
                return .changing
            }
            return .contents(contents)
        } catch {
            if error.isMissing, root.isMissing(path) { return .gone }
            if let shortage = error.shortage { return .starved(shortage) }
            return .unreadable(unreadable(path, Obstacle(error, in: label)))
        }
    }

    /// Whether a name is meant as an app file; hidden ones and editors' copies are not.
    static func isAppFile(_ name: some StringProtocol) -> Bool {
        !name.hasPrefix(".") && (name.hasSuffix(".json") || name.hasSuffix(".json5"))
    }

    private func unreadable(_ path: String, _ obstacle: Obstacle, to what: String = "read the app file") -> Finding {
        Finding(
            rule: "APP-001", severity: .error, file: path.isEmpty ? label : "\(label)/\(path)", range: nil,
            message: "cannot \(what): \(obstacle.reason)", fix: obstacle.fix)
    }
}
