// The files of `config/hosts/<host>/well-known/`: served below `/.well-known/` as they are, byte for byte. An
// association file replaces the generated one only when phones would accept it, and `change-password` holds the address
// that it leads to. Others are looked into as well, but whatever is said about them, they are served.

import Association
import AssociationLint
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
    private let directory: String
    /// The folder that links must stay in: the host's own.
    private let fence: String
    private let isWildcard: Bool
    /// What came of each file.
    private(set) var made: [MadeFile] = []
    /// How many files were read, because they were not known to be the same.
    private(set) var readCount = 0
    private var findings = FolderFindings()
    private var known = KnownFiles.none
    private var packing = PackingBudget.unlimited

    /// What is said of these is more than is remembered, or depends on the day.
    private static let readAlways: Set = ["apple-app-site-association", "assetlinks.json", "security.txt"]
    static let prefix = "/.well-known/"
    /// Google reads no more of a file (reference B3-4), and the others are smaller by far.
    static let bytesMax = 1_048_576
    private static let urlBytesMax = 2_048

    /// The files below a folder; none when there is no such folder. A shortage is thrown.
    ///
    /// - Parameter known: what came of its files when the same host was made before.
    init(
        of name: String, in folders: HostFolders, known: KnownFiles = .none, share: inout HostShare,
        findings: inout [Finding]
    ) throws(SystemError) {
        self.known = known
        defer { self.known = .none }
        let tree = HostTree.wellKnown(name)
        directory = folders.path(tree)
        fence = folders.fencePath(tree)
        isWildcard = HostFolders.host(of: name)?.hasPrefix("*.") == true
        do throws(SystemError) {
            guard let root = try folders.open(tree) else { return }
            let scan = FolderScan(root, share.bounds)
            if scan.failure?.isMissing == true { return }
            let byteCount = scan.files.reduce(0) { $0 + Int(min($1.status.byteCount, Int64(WellKnownFiles.bytesMax))) }
            if let excess = share.take(scan, bytes: byteCount) {
                withheld.insert(folder: WellKnownFiles.prefix)
                findings.append(excess.finding(host: name, path: directory))
                return
            }
            packing = share.packing
            try add(scan, root, &findings)
            share.packing = packing
        } catch {
            if error.isShortage { throw error }
            note(error, at: "", Obstacle(folder: error))
        }
        findings += self.findings.all(in: directory)
    }

    private mutating func add(
        _ scan: FolderScan, _ root: borrowing FencedFolder, _ findings: inout [Finding]
    ) throws(SystemError) {
        if let shortage = scan.shortage { throw shortage }
        for (path, problem) in scan.problems.sorted(by: { $0.path < $1.path }) {
            let obstacle = Obstacle(problem, in: fence)
            if case .unreadable(let error) = problem {
                note(error, at: path, obstacle)
            } else {
                self.findings.append(self.problem(path, obstacle.reason, fix: obstacle.fix))
            }
        }
        for file in scan.files where !file.path.hasSuffix("~") { try addFile(root, file.path, &findings) }
    }

    private mutating func addFile(
        _ root: borrowing FencedFolder, _ name: String, _ findings: inout [Finding]
    ) throws(SystemError) {
        do throws(FileError) {
            if let refusal = KeyGuard.refusal(of: name) {
                // What was served under its path goes, too: it must not be served.
                return self.findings.append(KeyGuard.finding("\(directory)/\(name)", refusal))
            }
            let path = WellKnownFiles.prefix + name
            let now = Clock.wallNanoseconds()
            let status = try root.open(name).status
            if let same = known.file(path, FileMark("\(directory)/\(name)", [status], openedNanoseconds: now)) {
                return add(same)
            }
            guard let file = try root.read(name, bytesMax: WellKnownFiles.bytesMax) else {
                // Half of it may look like the whole; its writer's end is another reason to look.
                self.findings.append(problem(name, "cannot serve the file: it is being written to"))
                return refuse(name)
            }
            readCount += 1
            var new = MadeFile(path: path)
            if let refusal = KeyGuard.refusal(of: file.bytes) {
                new.findings.append(KeyGuard.finding("\(directory)/\(name)", refusal))
            } else {
                new.answer = answer(name, file.bytes, modified: file.modified, &new.findings, &findings)
                new.isWithheld = new.answer == nil
            }
            if !WellKnownFiles.readAlways.contains(name), !packing.isSpent {
                new.mark = FileMark(
                    "\(directory)/\(name)", [file.status], openedNanoseconds: file.readNanoseconds)
            }
            add(new)
        } catch {
            if let shortage = error.shortage { throw shortage }
            self.findings.append(unreadable(name, "cannot serve the file", Obstacle(error, in: fence)))
            refuse(name)
        }
    }

    private mutating func take(_ file: MadeFile) {
        made.append(file)
        for finding in file.findings { findings.append(finding) }
        if file.isWithheld { withheld.insert(file.path) }
        guard let answer = file.answer else { return }
        answers[file.path] = answer
        // Systems of the first years ask for it at the root (reference A1-2).
        if answer.kind == .appleAssociation { answers[AssociationPath.appleRoot] = answer }
    }

    private mutating func refuse(_ name: String) { withheld.insert(WellKnownFiles.prefix + name) }

    /// A folder that cannot be looked into: what is in it is not known to be gone.
    private mutating func note(_ error: SystemError, at path: String, _ obstacle: Obstacle) {
        withheld.insert(folder: WellKnownFiles.prefix + (path.isEmpty ? "" : "\(path)/"))
        findings.append(unreadable(path, "cannot read the folder", obstacle))
    }

    /// An error, because what is served in its place, if anything, is not what somebody put there.
    private func unreadable(_ name: String, _ message: String, _ obstacle: Obstacle) -> Finding {
        var finding = problem(name, "\(message): \(obstacle.reason)", fix: obstacle.fix)
        finding.severity = .error
        return finding
    }

    /// The answer that a file makes; nil when it must not be served. What is said of an association file is not counted with
    /// the rest: all of it is needed to fix it.
    private mutating func answer(
        _ name: String, _ bytes: [UInt8], modified: Int64, _ said: inout [Finding], _ findings: inout [Finding]
    ) -> PreparedAnswer? {
        var kind = AnswerKind.wellKnown
        var type = WellKnownType.of(name)
        switch name {
        case "change-password":
            guard let target = WellKnownFiles.location(in: bytes) else {
                said.append(
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
            let found = WellKnownFile.lint(
                bytes, name: name, file: "\(directory)/\(name)", isWildcard: isWildcard, now: Clock.wallSeconds())
            said += found
            if found.isEmpty, type.hasSuffix("json"), !isJSON(bytes) {
                said.append(problem(name, "the text is not strict JSON, so its readers will refuse it"))
            }
        }
        return AnswerMaker.answer(
            Document(
                kind: kind, contentType: type, content: .bytes(bytes), cacheSeconds: AppFile.cacheSecondsDefault,
                modified: modified), &packing)
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
            rule: .cfg005, severity: .warning, file: name.isEmpty ? directory : "\(directory)/\(name)", range: nil,
            message: message, fix: fix)
    }
}
