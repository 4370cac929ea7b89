// The files of `config/hosts/<host>/well-known/`, served unchanged below `/.well-known/`. An association file replaces the
// generated one only if phones would accept it, and `change-password` contains an address to redirect to. Other files are checked
// too, but served in any case.

import Association
import AssociationLint
import Catalogue
import Posix
import SourceJSON

/// What one host's folder adds to its site.
struct WellKnownFiles: Sendable {
    /// By request path.
    private(set) var answers: [String: PreparedAnswer] = [:]
    /// Paths of files that phones would reject or that cannot be read.
    private(set) var blocked = BlockedPaths()
    private let directory: String
    /// The folder that links must stay in: the host's own.
    private let boundary: String
    private let isWildcard: Bool
    private(set) var files: [RenderedFile] = []
    /// How many files were read because their marks had changed.
    private(set) var readCount = 0
    private var findings: [Finding] = []
    private var known = KnownFiles.none
    private var compression = CompressionBudget.unlimited

    /// Findings on these are too many to remember, or depend on the date or on app files.
    private static let readAlways: Set = [
        "apple-app-site-association", "assetlinks.json", "passkey-endpoints", "security.txt", "webauthn",
    ]
    static let prefix = "/.well-known/"
    /// Google reads no more of a file (reference B3-4), and other files are much smaller.
    static let bytesMax = 1_048_576
    private static let urlBytesMax = 2_048

    /// The files in a folder; none if it does not exist. Throws only if descriptors or memory run out.
    /// - Parameter known: the results for its files when the host was last rendered.
    init(
        of name: String, in folders: HostFolders, known: KnownFiles = .none, quota: inout HostQuota,
        findings: inout [Finding]
    ) throws(SystemError) {
        self.known = known
        defer { self.known = .none }
        let tree = HostTree.wellKnown(name)
        directory = folders.path(tree)
        boundary = folders.boundaryPath(tree)
        isWildcard = HostFolders.host(of: name)?.hasPrefix("*.") == true
        do throws(SystemError) {
            guard let root = try folders.open(tree) else { return }
            let scan = FolderScan(root, quota.bounds)
            if scan.failure?.isMissing == true { return }
            let byteCount = scan.files.reduce(0) { $0 + Int(min($1.status.byteCount, Int64(WellKnownFiles.bytesMax))) }
            if let excess = quota.take(scan, bytes: byteCount) {
                blocked.insert(folder: WellKnownFiles.prefix)
                findings.append(excess.finding(host: name, path: directory))
                return
            }
            compression = quota.compression
            try add(scan, root, &findings)
            quota.compression = compression
        } catch {
            if error.isShortage { throw error }
            note(error, at: "", AccessProblem(folder: error))
        }
        findings += FolderFindings.shortened(self.findings, in: directory)
    }

    private mutating func add(
        _ scan: FolderScan, _ root: borrowing TenantFolder, _ findings: inout [Finding]
    ) throws(SystemError) {
        if let shortage = scan.shortage { throw shortage }
        for (path, problem) in scan.problems.sorted(by: { $0.path < $1.path }) {
            let cause = AccessProblem(problem, in: boundary)
            if case .unreadable(let error) = problem {
                note(error, at: path, cause)
            } else {
                self.findings.append(self.problem(path, cause.reason, fix: cause.fix))
            }
        }
        for file in scan.files where !file.path.hasSuffix("~") { try addFile(root, file.path, &findings) }
    }

    private mutating func addFile(
        _ root: borrowing TenantFolder, _ name: String, _ findings: inout [Finding]
    ) throws(SystemError) {
        do throws(FileError) {
            if let refusal = KeyGuard.refusal(of: name) {
                // The old version is not kept either, because a key must not be served.
                return self.findings.append(KeyGuard.finding("\(directory)/\(name)", refusal))
            }
            let path = WellKnownFiles.prefix + name
            let now = Clock.wallNanoseconds()
            let status = try root.open(name).status
            if let same = known.file(path, FileMark("\(directory)/\(name)", [status], openedNanoseconds: now)) {
                return add(same)
            }
            guard let file = try root.read(name, bytesMax: WellKnownFiles.bytesMax) else {
                // A partly written file can look complete. The server reads it again when the writer closes it.
                self.findings.append(problem(name, "cannot serve the file: it is being written"))
                return noteBlocked(name)
            }
            readCount += 1
            var new = RenderedFile(path: path)
            if let refusal = KeyGuard.refusal(of: file.bytes) {
                new.findings.append(KeyGuard.finding("\(directory)/\(name)", refusal))
            } else {
                new.answer = answer(name, file.bytes, modified: file.modified, &new.findings, &findings)
                new.isBlocked = new.answer == nil
            }
            if !WellKnownFiles.readAlways.contains(name), !compression.isSpent {
                new.mark = FileMark("\(directory)/\(name)", [file.status], openedNanoseconds: file.readNanoseconds)
            }
            add(new)
        } catch {
            if let shortage = error.shortage { throw shortage }
            self.findings.append(unreadable(name, "cannot serve the file", AccessProblem(error, in: boundary)))
            noteBlocked(name)
        }
    }

    private mutating func add(_ file: RenderedFile) {
        files.append(file)
        findings += file.findings
        if file.isBlocked { blocked.insert(file.path) }
        guard let answer = file.answer else { return }
        answers[file.path] = answer
        // Early iOS versions fetch it at the root (reference A1-2).
        if answer.kind == .appleAssociation { answers[AssociationPath.appleRoot] = answer }
    }

    /// What the files lack of the passkeys of app files. Those that matter are read each time.
    func findings(by agreement: PasskeyAgreement) -> [Finding] {
        files.flatMap { file -> [Finding] in
            guard case .bytes(let bytes)? = file.answer?.identity.content else { return [] }
            let name = file.path.dropFirst(WellKnownFiles.prefix.count)
            return agreement.findings(bytes, at: file.path, file: "\(directory)/\(name)")
        }
    }

    private mutating func noteBlocked(_ name: String) { blocked.insert(WellKnownFiles.prefix + name) }

    /// Files in an unreadable folder do not count as deleted.
    private mutating func note(_ error: SystemError, at path: String, _ cause: AccessProblem) {
        blocked.insert(folder: WellKnownFiles.prefix + (path.isEmpty ? "" : "\(path)/"))
        findings.append(unreadable(path, "cannot read the folder", cause))
    }

    /// An error, because the tenant's file is not served, even if another answer takes its place.
    private func unreadable(_ name: String, _ message: String, _ cause: AccessProblem) -> Finding {
        var finding = problem(name, "\(message): \(cause.reason)", fix: cause.fix)
        finding.severity = .error
        return finding
    }

    /// The answer of a file; nil if it must not be served. Findings on an association file are not limited in number, because all
    /// are needed to fix it.
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
                        name, "the file contains no address to redirect to",
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
                said.append(problem(name, "the file is not strict JSON, so its readers will reject it"))
            }
        }
        return AnswerMaker.answer(
            Document(
                kind: kind, contentType: type, content: .bytes(bytes), cacheSeconds: AppFile.cacheSecondsDefault,
                modified: modified), &compression)
    }

    /// Whether a file may replace the generated one.
    private func accepts(_ found: [Finding], _ findings: inout [Finding]) -> Bool {
        findings += found
        return !found.contains { $0.severity == .error }
    }

    private func isJSON(_ bytes: [UInt8]) -> Bool {
        !SourceReader.read(bytes, as: .json).problems.contains { $0.isError }
    }

    /// The address in a file of one line: an https URL or a path of the same host, without characters that are invalid in a
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
