// The files of `public/`: `_default/` for every host, and a folder with a host's name for that host, whose files win.
// They are found when the catalogue is built, so no request ever names a file: what is not found here is not there.

import Association
import Catalogue
import Posix

/// Pages by the path that they are fetched with.
struct PageSet: Sendable {
    private(set) var answers: [String: PreparedAnswer] = [:]
    private var openFileCount = 0

    /// Larger files are sent from where they are, instead of living in memory in two forms.
    static let memoryBytesMax = 262_144
    /// Files kept open for one folder; each takes one of the process's descriptors.
    static let openFilesMax = 256
    private static let depthMax = 16
    private static let cacheSeconds = 300

    /// No pages.
    init() {}

    /// The pages below a folder; none when there is no such folder.
    init(below directory: String, findings: inout [Finding]) {
        guard Directory.exists(directory) else { return }
        do {
            let root = try Folder(directory)
            add(root, directory, path: "", depth: 0, &findings)
        } catch {
            findings.append(unreadable(directory, error.reason))
        }
    }

    private mutating func add(
        _ root: borrowing Folder, _ directory: String, path: String, depth: Int, _ findings: inout [Finding]
    ) {
        let entries: [DirectoryEntry]
        do {
            entries = try Directory.entries(directory + path)
        } catch {
            findings.append(unreadable(directory + path, error.reason))
            return
        }
        for entry in entries where !entry.name.hasPrefix(".") {
            let name = "\(path)/\(entry.name)"
            switch entry.kind {
            case .directory where depth < PageSet.depthMax:
                add(root, directory, path: name, depth: depth + 1, &findings)
            case .file: addFile(root, directory, name, &findings)
            case .directory, .other: findings.append(unreadable(directory + name, "it is not a file, or too deep"))
            }
        }
    }

    private mutating func addFile(
        _ root: borrowing Folder, _ directory: String, _ path: String, _ findings: inout [Finding]
    ) {
        do {
            let file = try root.open(String(path.dropFirst()))
            var content = Representation.Content.file(file)
            if file.byteCount <= PageSet.memoryBytesMax {
                let bytes = try file.contents()
                content = .bytes(bytes)
                if path == "/robots.txt", let finding = RobotsFile.finding(bytes, file: directory + path) {
                    findings.append(finding)
                }
            } else if openFileCount == PageSet.openFilesMax {
                findings.append(unreadable(directory + path, "this folder has \(openFileCount) large files already"))
                return
            } else {
                openFileCount += 1
            }
            let answer = AnswerMaker.answer(
                Document(
                    kind: .page, contentType: MediaType.of(path), content: content, cacheSeconds: PageSet.cacheSeconds,
                    modified: file.modified))
            answers[path] = answer
            if path.hasSuffix("/index.html") { answers[String(path.dropLast("index.html".count))] = answer }
        } catch {
            findings.append(unreadable(directory + path, reason(error)))
        }
    }

    private func reason(_ error: FileError) -> String {
        if case .system(let error) = error, error.leadsOutside { return "it is a link that leads out of \"public\"" }
        return error.description
    }

    private func unreadable(_ path: String, _ reason: String) -> Finding {
        Finding(
            rule: "CFG-004", severity: .warning, file: path, range: nil, message: "cannot serve the page: \(reason)")
    }
}
