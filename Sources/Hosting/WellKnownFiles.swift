// The files of `config/hosts/<host>/well-known/`: served below `/.well-known/` as they are, byte for byte. An
// association file replaces the generated one only when phones would accept it, and `change-password` holds the address
// that it leads to. Others are looked into as well, but whatever is said about them, they are served.

import Association
import Catalogue
import HTTP
import Posix
import SourceJSON

/// What one host's folder adds to its site.
struct WellKnownFiles: Sendable {
    /// By path below the root of the site.
    private(set) var answers: [String: PreparedAnswer] = [:]
    /// What is there and is not served: phones would refuse it, or it cannot be read.
    private(set) var withheld = WithheldPaths()
    /// Why not everything could be looked at, when the files are not to blame for it.
    private(set) var shortage: SystemError?
    private let directory: String
    private let isWildcard: Bool

    static let prefix = "/.well-known/"
    /// Google reads no more of a file (reference B3-4), and the others are smaller by far.
    static let bytesMax = 1_048_576
    /// A link to a folder counts as several, so from the top one of them can be followed.
    private static let depthMax = 6
    private static let urlBytesMax = 2_048

    /// The files below a folder; none when there is no such folder.
    init(below directory: String, in folders: HostFolders, isWildcard: Bool = false, findings: inout [Finding]) {
        self.directory = directory
        self.isWildcard = isWildcard
        do throws(SystemError) {
            guard try Directory.isThere(directory) else { return }
            let root = try folders.open(directory)
            add(root, path: "", depth: 0, &findings)
        } catch {
            note(error, folder: "", Obstacle(folder: error), &findings)
        }
    }

    /// The folder that links must stay in: the host's own.
    private var fence: String { String(directory.dropLast("/well-known".count)) }

    private mutating func add(_ root: borrowing FencedFolder, path: String, depth: Int, _ findings: inout [Finding]) {
        let entries: [ListedEntry]
        do {
            entries = try root.sortedList(path)
        } catch {
            return note(error, folder: path, Obstacle(error, in: fence), &findings)
        }
        for entry in entries where !entry.name.hasPrefix(".") && !entry.name.hasSuffix("~") {
            let name = path + entry.name
            switch entry.kind {
            case .directory where depth + entry.steps <= WellKnownFiles.depthMax:
                add(root, path: name + "/", depth: depth + entry.steps, &findings)
            case .file: addFile(root, name, &findings)
            case .directory, .other: findings.append(problem(name, "it is not a file, or too deep"))
            }
        }
    }

    private mutating func addFile(_ root: borrowing FencedFolder, _ name: String, _ findings: inout [Finding]) {
        do throws(FileError) {
            guard let file = try root.read(name, bytesMax: WellKnownFiles.bytesMax) else {
                // Half of it may look like the whole; its writer's end is another reason to look.
                findings.append(problem(name, "cannot serve the file: it is being written to"))
                return refuse(name)
            }
            guard let answer = answer(name, file.bytes, modified: file.modified, &findings) else {
                return refuse(name)
            }
            answers[WellKnownFiles.prefix + name] = answer
            // Systems of the first years ask for it at the root (reference A1-2).
            if answer.kind == .appleAssociation { answers["/\(name)"] = answer }
        } catch {
            if let shortage = error.shortage { return self.shortage = self.shortage ?? shortage }
            findings.append(unreadable(name, "cannot serve the file", Obstacle(error, in: fence)))
            refuse(name)
        }
    }

    private mutating func refuse(_ name: String) { withheld.insert(WellKnownFiles.prefix + name) }

    /// A folder that cannot be looked into: what is in it is not known to be gone. A shortage is no finding on it.
    private mutating func note(
        _ error: SystemError, folder path: String, _ obstacle: Obstacle, _ findings: inout [Finding]
    ) {
        if error.isShortage { return shortage = shortage ?? error }
        let name = path.hasSuffix("/") ? String(path.dropLast()) : path
        findings.append(unreadable(name, "cannot read the folder", obstacle))
        withheld.insert(folder: WellKnownFiles.prefix + path)
    }

    /// An error, because what is served in its place, if anything, is not what somebody put there.
    private func unreadable(_ name: String, _ message: String, _ obstacle: Obstacle) -> Finding {
        var finding = problem(name, "\(message): \(obstacle.reason)", fix: obstacle.fix)
        finding.severity = .error
        return finding
    }

    /// The answer that a file makes; nil when it must not be served.
    private func answer(
        _ name: String, _ bytes: [UInt8], modified: Int64, _ findings: inout [Finding]
    ) -> PreparedAnswer? {
        var kind = AnswerKind.wellKnown
        var type = WellKnownType.of(name)
        switch name {
        case "change-password":
            guard let target = WellKnownFiles.location(in: bytes) else {
                findings.append(
                    problem(
                        name, "the file holds no address to lead to",
                        fix: "write one line: a path of this host such as `/account/password`, or an https URL"))
                return nil
            }
            return AnswerMaker.redirect(to: target)
        case "apple-app-site-association":
            kind = .appleAssociation
            if Linter.recognise(bytes) == .signedAppleAssociation { type = "application/pkcs7-mime" }
            guard accepts(Linter.lint(apple: bytes, file: "\(directory)/\(name)"), &findings) else { return nil }
        case "assetlinks.json":
            kind = .statementList
            guard accepts(Linter.lint(statements: bytes, file: "\(directory)/\(name)"), &findings) else { return nil }
        default:
            let found = NeighbourFile.lint(
                bytes, name: name, file: "\(directory)/\(name)", isWildcard: isWildcard, now: Clock.wallSeconds())
            findings += found
            if found.isEmpty, type.hasSuffix("json"), !isJSON(bytes) {
                findings.append(problem(name, "the text is not strict JSON, so its readers will refuse it"))
            }
        }
        return AnswerMaker.answer(
            Document(
                kind: kind, contentType: type, content: .bytes(bytes), cacheSeconds: AppFile.cacheSecondsDefault,
                modified: modified))
    }

    /// Whether a file may take the place of the generated one: phones would not say why they refuse it.
    private func accepts(_ found: [Finding], _ findings: inout [Finding]) -> Bool {
        findings += found
        return !found.contains { $0.severity == .error }
    }

    private func isJSON(_ bytes: [UInt8]) -> Bool {
        !SourceReader.read(bytes, as: .json).problems.contains { $0.isError }
    }

    /// The address in a file of one line: an https URL, or a path of the same host. Everything in it may stand in a
    /// `location` field.
    static func location(in bytes: [UInt8]) -> String? {
        let line = bytes.drop { $0 <= 0x20 }
        let text = line.prefix { $0 > 0x20 && $0 < 0x7F }
        guard line.dropFirst(text.count).allSatisfy({ $0 <= 0x20 }), text.count <= urlBytesMax else { return nil }
        let address = String(decoding: text, as: UTF8.self)
        if address.hasPrefix("/"), !address.hasPrefix("//"), !address.contains("\\") { return address }
        guard let url = LinkURL(address), url.scheme == "https" else { return nil }
        return address
    }

    private func problem(_ name: String, _ message: String, fix: String? = nil) -> Finding {
        Finding(
            rule: "CFG-005", severity: .warning, file: name.isEmpty ? directory : "\(directory)/\(name)", range: nil,
            message: message, fix: fix)
    }
}
