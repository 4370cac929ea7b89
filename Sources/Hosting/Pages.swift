// The files of `public/`: `_default/` for every host, and a folder with a host's name for that host, whose files win.
// They are read when the catalogue is built, so no request ever names a file: what is not found here is not there.

import Association
import Catalogue
import Posix

/// Pages by the path that they are fetched with.
struct PageSet {
    private(set) var answers: [String: PreparedAnswer] = [:]

    /// A page lives in memory, in two forms; larger files are for a file server.
    static let bytesMax = 16 * 1024 * 1024
    private static let depthMax = 16
    private static let cacheSeconds = 300

    /// The pages below a folder; none when there is no such folder.
    init(below directory: String, findings: inout [Finding]) {
        guard Directory.exists(directory) else { return }
        add(directory, path: "", depth: 0, &findings)
    }

    private mutating func add(_ directory: String, path: String, depth: Int, _ findings: inout [Finding]) {
        let entries: [DirectoryEntry]
        do {
            entries = try Directory.entries(directory)
        } catch {
            findings.append(unreadable(directory, error.reason))
            return
        }
        for entry in entries where !entry.name.hasPrefix(".") {
            let file = "\(directory)/\(entry.name)"
            let name = "\(path)/\(entry.name)"
            switch entry.kind {
            case .directory where depth < PageSet.depthMax: add(file, path: name, depth: depth + 1, &findings)
            case .file: addFile(file, name, &findings)
            case .directory, .other: findings.append(unreadable(file, "it is not a file, or too deep"))
            }
        }
    }

    private mutating func addFile(_ file: String, _ path: String, _ findings: inout [Finding]) {
        do {
            let contents = try File.read(file, bytesMax: PageSet.bytesMax)
            let answer = AnswerMaker.answer(
                Document(
                    kind: .page, contentType: MediaType.of(path), bytes: contents.bytes,
                    cacheSeconds: PageSet.cacheSeconds,
                    modified: contents.modified))
            answers[path] = answer
            if path.hasSuffix("/index.html") { answers[String(path.dropLast("index.html".count))] = answer }
        } catch {
            findings.append(unreadable(file, error.description))
        }
    }

    private func unreadable(_ path: String, _ reason: String) -> Finding {
        Finding(
            rule: "CFG-004", severity: .warning, file: path, range: nil, message: "cannot serve the page: \(reason)")
    }
}
