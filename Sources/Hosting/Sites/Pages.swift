// The files of `public/`: `_default/` for every host, and a folder with a host's name for that host, whose files win.
// They are found when the catalogue is built, so no request ever names a file: what is not found here is not there.

import Association
import AssociationLint
import Catalogue
import Posix

/// Pages by the path that they are fetched with.
struct PageSet: Sendable {
    private(set) var answers: [String: PreparedAnswer] = [:]
    /// What landing pages of the host are made of, where it has a template of its own.
    private(set) var landingTemplate: LandingTemplate?
    /// Paths of files that were being written to, so there is no page for them.
    private(set) var refused: Set<String> = []
    /// Paths of large files that there is no room for among those that are kept open.
    private(set) var crowdedOut: Set<String> = []
    /// Whether the host has more than its share, so there are no pages.
    private(set) var isOverShare = false
    /// What came of each file.
    private(set) var made: [MadeFile] = []
    /// How many files were read, because they were not known to be the same.
    private(set) var readCount = 0
    private var openFileCount = 0
    private var packing = PackingBudget.unlimited
    private var findings = FolderFindings()
    private var known = KnownFiles.none
    /// The folder, which links must stay in.
    private let directory: String

    /// Larger files are sent from where they are, instead of living in memory in two forms.
    static let memoryBytesMax = 262_144
    /// Files kept open for one folder; each takes one of the process's descriptors. All folders together have as many as
    /// `HostFolders.openFilesMax`.
    static let openFilesMax = 256
    private static let cacheSeconds = 300

    /// No pages.
    init() { directory = "" }

    /// The pages below a folder; none when there is no such folder. A shortage is thrown.
    ///
    /// - Parameter known: what came of its files when the same host was made before.
    init(
        of name: String, in folders: HostFolders, known: KnownFiles = .none, share: inout HostShare,
        findings: inout [Finding]
    ) throws(SystemError) {
        directory = folders.path(.pages(name))
        self.known = known
        defer { self.known = .none }
        do throws(SystemError) {
            guard let root = try folders.open(.pages(name)) else { return }
            let scan = FolderScan(root, share.bounds)
            if scan.failure?.isMissing == true { return }
            let byteCount = scan.files.reduce(0) { sum, file in
                file.status.byteCount <= PageSet.memoryBytesMax ? sum + Int(file.status.byteCount) : sum
            }
            if let excess = share.take(scan, bytes: byteCount) {
                isOverShare = true
                findings.append(excess.finding(host: name, path: directory))
                return
            }
            packing = share.packing
            try add(scan, root, in: folders)
            share.packing = packing
        } catch {
            try note(.system(error), directory, Obstacle(folder: error))
        }
        findings += self.findings.all(in: directory)
    }

    private mutating func add(
        _ scan: FolderScan, _ root: borrowing FencedFolder, in folders: HostFolders
    ) throws(SystemError) {
        if let shortage = scan.shortage { throw shortage }
        for (path, problem) in scan.problems.sorted(by: { $0.path < $1.path }) {
            let obstacle = Obstacle(problem, in: directory)
            findings.append(unreadable("\(directory)/\(path)", obstacle.reason, fix: obstacle.fix))
        }
        let paths = Set(scan.files.map(\.path))
        for file in scan.files {
            let path = "/\(file.path)"
            if path == LandingTemplate.path {
                try addTemplate(root)
            } else {
                try addFile(root, path, isPacked: paths.contains(file.path + PackedPage.suffix), in: folders)
            }
        }
    }

    private mutating func addFile(
        _ root: borrowing FencedFolder, _ path: String, isPacked: Bool, in folders: HostFolders
    ) throws(SystemError) {
        do throws(FileError) {
            if let refusal = KeyGuard.refusal(of: path) {
                // What was served under its path goes, too: it must not be served.
                return findings.append(KeyGuard.finding(directory + path, refusal))
            }
            let now = Clock.wallNanoseconds()
            let file = try root.open(String(path.dropFirst()))
            let packed = try isPacked ? packedFile(root, path) : nil
            let mark = FileMark(
                directory + path, [file, packed].compactMap { $0?.status }, openedNanoseconds: now)
            if let same = known.file(path, mark) { return take(same) }
            guard var new = try make(path, of: file, packed, in: folders) else { return }
            readCount += 1
            // What is not compressed yet is to be read again.
            new.mark = packing.isSpent ? nil : mark
            take(new)
        } catch {
            try note(error, directory + path, Obstacle(error, in: directory))
        }
    }

    private mutating func take(_ file: MadeFile) {
        made.append(file)
        for finding in file.findings { findings.append(finding) }
        guard let answer = file.answer else { return }
        for form in [answer.identity, answer.gzip] {
            if case .file = form?.content { openFileCount += 1 }
        }
        answers[file.path] = answer
        if let folder = PageSet.folder(ofIndex: file.path) { answers[folder] = answer }
    }

    /// What comes of a file; nil when nothing can be said of it but at this moment.
    private mutating func make(
        _ path: String, of file: OpenFile, _ packed: OpenFile?, in folders: HostFolders
    ) throws(FileError) -> MadeFile? {
        var made = MadeFile(path: path)
        var content = Representation.Content.file(file)
        if file.byteCount <= PageSet.memoryBytesMax {
            guard let bytes = try file.settledContents() else {
                // Half of it looks like a page too; its writer's end is another reason to look.
                findings.append(unreadable(directory + path, "it is being written to"))
                refuse(path)
                return nil
            }
            if let refusal = KeyGuard.refusal(of: bytes) {
                made.findings.append(KeyGuard.finding(directory + path, refusal))
                return made
            }
            content = .bytes(bytes)
            if path == "/robots.txt", let finding = RobotsFile.finding(bytes, file: directory + path) {
                made.findings.append(finding)
            }
        } else if openFileCount == PageSet.openFilesMax {
            findings.append(unreadable(directory + path, "this folder has \(openFileCount) large files already"))
            return nil
        } else if OpenFile.count > folders.openFilesMax {
            crowdOut(path, folders.openFilesMax)
            return nil
        }
        var gzip: Representation.Content?
        if let packed { gzip = try self.packed(packed, path, content, in: folders, &made.findings) }
        made.answer = AnswerMaker.answer(
            Document(
                kind: .page, contentType: MediaType.of(path), content: content, packed: gzip,
                cacheSeconds: PageSet.cacheSeconds, modified: file.modified), &packing)
        return made
    }

    /// A file or folder that cannot be read. A shortage is no finding on it.
    private mutating func note(_ error: FileError, _ path: String, _ obstacle: Obstacle) throws(SystemError) {
        if let shortage = error.shortage { throw shortage }
        findings.append(unreadable(path, obstacle.reason, fix: obstacle.fix))
    }

    private mutating func refuse(_ path: String) {
        refused.insert(path)
        if let folder = PageSet.folder(ofIndex: path) { refused.insert(folder) }
    }

    /// Without a descriptor to spare, clients and certificates of all hosts would go without one.
    private mutating func crowdOut(_ path: String, _ filesMax: Int) {
        crowdedOut.insert(path)
        if let folder = PageSet.folder(ofIndex: path) { crowdedOut.insert(folder) }
        findings.append(
            unreadable(
                directory + path, "the server keeps \(filesMax) large files open already, of all hosts together",
                fix: "raise LimitNOFILE= or ulimit -Hn, lower limits.connectionsMax, or keep large files elsewhere"))
    }

    /// The path of the folder that an index page stands for.
    private static func folder(ofIndex path: String) -> String? {
        path.hasSuffix("/index.html") ? String(path.dropLast("index.html".count)) : nil
    }

    /// The file beside a page that may hold its gzip form; nil, with a finding, when it cannot be opened.
    private mutating func packedFile(
        _ root: borrowing FencedFolder, _ path: String
    ) throws(FileError) -> OpenFile? {
        let path = path + PackedPage.suffix
        do throws(FileError) {
            return try root.open(String(path.dropFirst()))
        } catch {
            if error.shortage != nil { throw error }
            findings.append(unused(path, .unreadable(error)))
            return nil
        }
    }

    /// The page in gzip form; nil, with a finding, when the file is no such thing.
    private mutating func packed(
        _ file: OpenFile, _ path: String, _ content: Representation.Content, in folders: HostFolders,
        _ findings: inout [Finding]
    ) throws(FileError) -> Representation.Content? {
        do throws(PackedPage.Problem) {
            switch content {
            case .bytes(let bytes): return try PackedPage.content(file, of: bytes)
            case .file(let page):
                if openFileCount + 1 >= PageSet.openFilesMax || OpenFile.count > folders.openFilesMax { return nil }
                return try PackedPage.content(file, of: page)
            case .kept: return nil
            }
        } catch {
            if case .unreadable(let error) = error, error.shortage != nil { throw error }
            findings.append(unused(path + PackedPage.suffix, error))
            return nil
        }
    }

    private func unused(_ path: String, _ problem: PackedPage.Problem) -> Finding {
        Finding(
            rule: .cfg006, severity: .warning, file: directory + path, range: nil,
            message: "the packed page is not used: \(problem)", fix: "make it again with `gzip -9 -k`, or remove it")
    }

    /// The template of the host's landing pages. It is no page itself.
    private mutating func addTemplate(_ root: borrowing FencedFolder) throws(SystemError) {
        let path = directory + LandingTemplate.path
        do throws(FileError) {
            let file = try root.open(String(LandingTemplate.path.dropFirst()))
            guard file.byteCount <= LandingTemplate.bytesMax else {
                throw FileError.tooLarge(byteCount: file.byteCount, limit: LandingTemplate.bytesMax)
            }
            let bytes = try file.contents()
            if let refusal = KeyGuard.refusal(of: bytes) { return findings.append(KeyGuard.finding(path, refusal)) }
            do throws(LandingTemplate.Problem) {
                landingTemplate = try LandingTemplate(bytes, file: path)
            } catch {
                findings.append(LandingTemplate.finding(path, error.message, line: error.line))
            }
        } catch {
            if let shortage = error.shortage { throw shortage }
            findings.append(
                LandingTemplate.finding(path, "the template cannot be read: \(Obstacle(error, in: directory).reason)"))
        }
    }

    private func unreadable(_ path: String, _ reason: String, fix: String? = nil) -> Finding {
        Finding(
            rule: .cfg004, severity: .warning, file: path, range: nil, message: "cannot serve the page: \(reason)",
            fix: fix)
    }
}
