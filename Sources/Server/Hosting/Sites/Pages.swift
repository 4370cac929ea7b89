// The files of `public/`: `_default/` for all hosts, and one folder for each host, whose files win. They are found when the
// catalogue is built; no request opens a file by its name.

import Association
import AssociationLint
import Catalogue
import Posix

/// Pages by request path.
struct PageSet: Sendable {
    private(set) var answers: [String: PreparedAnswer] = [:]
    /// The host's own template for landing pages.
    private(set) var landingTemplate: LandingTemplate?
    /// Paths of files that were being written, so they have no page.
    private(set) var beingWritten: Set<String> = []
    /// Paths of large files that were not opened because too many are open.
    private(set) var overOpenFileLimit: Set<String> = []
    /// Whether the host exceeds its quota, so there are no pages.
    private(set) var isOverQuota = false
    /// The result for each file.
    private(set) var files: [RenderedFile] = []
    /// How many files were read because their marks had changed.
    private(set) var readCount = 0
    private var openFileCount = 0
    private var compression = CompressionBudget.unlimited
    private var findings: [Finding] = []
    private var known = KnownFiles.none
    /// The folder that links must stay in.
    private let directory: String

    /// Larger files are sent from disk, instead of being kept in memory in two forms.
    static let memoryBytesMax = 262_144
    /// Large files of one folder that are kept open, each with a descriptor. `HostFolders.openFilesMax` limits all folders
    /// together.
    static let openFilesMax = 256
    private static let cacheSeconds = 300

    init() { directory = "" }

    /// The pages in a folder; none if it does not exist. Throws only if descriptors or memory run out.
    /// - Parameter known: the results for its files when the host was last rendered.
    init(
        of name: String, in folders: HostFolders, known: KnownFiles = .none, quota: inout HostQuota,
        findings: inout [Finding]
    ) throws(SystemError) {
        directory = folders.path(.pages(name))
        self.known = known
        defer { self.known = .none }
        do throws(SystemError) {
            guard let root = try folders.open(.pages(name)) else { return }
            let scan = FolderScan(root, quota.bounds)
            if scan.failure?.isMissing == true { return }
            let byteCount = scan.files.reduce(0) { sum, file in
                file.status.byteCount <= PageSet.memoryBytesMax ? sum + Int(file.status.byteCount) : sum
            }
            if let excess = quota.take(scan, bytes: byteCount) {
                isOverQuota = true
                findings.append(excess.finding(host: name, path: directory))
                return
            }
            compression = quota.compression
            try add(scan, root, in: folders)
            quota.compression = compression
        } catch {
            try note(.system(error), directory, AccessProblem(folder: error))
        }
        findings += FolderFindings.shortened(self.findings, in: directory)
    }

    private mutating func add(
        _ scan: FolderScan, _ root: borrowing TenantFolder, in folders: HostFolders
    ) throws(SystemError) {
        if let shortage = scan.shortage { throw shortage }
        for (path, problem) in scan.problems.sorted(by: { $0.path < $1.path }) {
            let cause = AccessProblem(problem, in: directory)
            findings.append(unreadable("\(directory)/\(path)", cause.reason, fix: cause.fix))
        }
        let paths = Set(scan.files.map(\.path))
        for file in scan.files {
            let path = "/\(file.path)"
            if path == LandingTemplate.path {
                try addTemplate(root)
            } else {
                try addFile(root, path, hasGzip: paths.contains(file.path + PrecompressedPage.suffix), in: folders)
            }
        }
    }

    private mutating func addFile(
        _ root: borrowing TenantFolder, _ path: String, hasGzip: Bool, in folders: HostFolders
    ) throws(SystemError) {
        do throws(FileError) {
            if let refusal = KeyGuard.refusal(of: path) {
                // The old version is not kept either, because a key must not be served.
                return findings.append(KeyGuard.finding(directory + path, refusal))
            }
            let now = Clock.wallNanoseconds()
            let file = try root.open(String(path.dropFirst()))
            let gzip = try hasGzip ? openGzipFile(root, path) : nil
            let mark = FileMark(directory + path, [file, gzip].compactMap { $0?.status }, openedNanoseconds: now)
            if let same = known.file(path, mark) { return add(same) }
            guard var new = try make(path, of: file, gzip, in: folders) else { return }
            readCount += 1
            // Files without their gzip form are read again in a later round.
            new.mark = compression.isSpent ? nil : mark
            add(new)
        } catch {
            try note(error, directory + path, AccessProblem(error, in: directory))
        }
    }

    private mutating func add(_ file: RenderedFile) {
        files.append(file)
        findings += file.findings
        guard let answer = file.answer else { return }
        for form in [answer.identity, answer.gzip] {
            if case .file = form?.content { openFileCount += 1 }
        }
        for path in PageSet.requestPaths(of: file.path) { answers[path] = answer }
    }

    /// The result for a file; nil if it must not be remembered.
    private mutating func make(
        _ path: String, of file: OpenFile, _ gzipFile: OpenFile?, in folders: HostFolders
    ) throws(FileError) -> RenderedFile? {
        var new = RenderedFile(path: path)
        var content = Representation.Content.file(file)
        if file.byteCount <= PageSet.memoryBytesMax {
            guard let bytes = try file.settledContents() else {
                // A partly written page looks complete. The server reads it again when the writer closes it.
                findings.append(unreadable(directory + path, "it is being written"))
                beingWritten.formUnion(PageSet.requestPaths(of: path))
                return nil
            }
            if let refusal = KeyGuard.refusal(of: bytes) {
                new.findings.append(KeyGuard.finding(directory + path, refusal))
                return new
            }
            content = .bytes(bytes)
            if path == "/robots.txt", let finding = RobotsFile.finding(bytes, file: directory + path) {
                new.findings.append(finding)
            }
        } else if openFileCount == PageSet.openFilesMax {
            findings.append(unreadable(directory + path, "this folder already has \(openFileCount) large files"))
            return nil
        } else if OpenFile.count > folders.openFilesMax {
            // Descriptors must be left for clients and certificates of all hosts.
            overOpenFileLimit.formUnion(PageSet.requestPaths(of: path))
            findings.append(
                unreadable(
                    directory + path,
                    "the server already keeps \(folders.openFilesMax) large files open for all hosts together",
                    fix: "raise LimitNOFILE= or ulimit -Hn, lower limits.connectionsMax, or host large files elsewhere")
            )
            return nil
        }
        var gzip: Representation.Content?
        if let gzipFile { gzip = try gzipForm(gzipFile, path, content, in: folders, &new.findings) }
        new.answer = AnswerMaker.answer(
            Document(
                kind: .page, contentType: MediaType.of(path), content: content, gzip: gzip,
                cacheSeconds: PageSet.cacheSeconds, modified: file.modified), &compression)
        return new
    }

    /// Notes a file or folder that cannot be read.
    private mutating func note(_ error: FileError, _ path: String, _ cause: AccessProblem) throws(SystemError) {
        if let shortage = error.shortage { throw shortage }
        findings.append(unreadable(path, cause.reason, fix: cause.fix))
    }

    /// The request paths that a file answers: an index page also answers for its folder.
    private static func requestPaths(of path: String) -> [String] {
        path.hasSuffix("/index.html") ? [path, String(path.dropLast("index.html".count))] : [path]
    }

    /// The `.gz` file of a page; nil, with a finding, if it cannot be opened.
    private mutating func openGzipFile(_ root: borrowing TenantFolder, _ path: String) throws(FileError) -> OpenFile? {
        let path = path + PrecompressedPage.suffix
        do throws(FileError) {
            return try root.open(String(path.dropFirst()))
        } catch {
            if error.shortage != nil { throw error }
            findings.append(unused(path, .unreadable(error)))
            return nil
        }
    }

    /// The gzip form of a page from its `.gz` file; nil, with a finding, if that cannot be used.
    private mutating func gzipForm(
        _ file: OpenFile, _ path: String, _ content: Representation.Content, in folders: HostFolders,
        _ findings: inout [Finding]
    ) throws(FileError) -> Representation.Content? {
        do throws(PrecompressedPage.Problem) {
            switch content {
            case .bytes(let bytes): return try PrecompressedPage.content(file, of: bytes)
            case .file(let page):
                if openFileCount + 1 >= PageSet.openFilesMax || OpenFile.count > folders.openFilesMax { return nil }
                return try PrecompressedPage.content(file, of: page)
            case .kept: return nil
            }
        } catch {
            if case .unreadable(let error) = error, error.shortage != nil { throw error }
            findings.append(unused(path + PrecompressedPage.suffix, error))
            return nil
        }
    }

    private func unused(_ path: String, _ problem: PrecompressedPage.Problem) -> Finding {
        Finding(
            rule: .cfg006, severity: .warning, file: directory + path, range: nil,
            message: "the precompressed file is not used: \(problem)",
            fix: "create it again with `gzip -9 -k`, or remove it")
    }

    /// Reads the template of the host's landing pages, which is not a page itself.
    private mutating func addTemplate(_ root: borrowing TenantFolder) throws(SystemError) {
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
                LandingTemplate.finding(
                    path, "the template cannot be read: \(AccessProblem(error, in: directory).reason)"))
        }
    }

    private func unreadable(_ path: String, _ reason: String, fix: String? = nil) -> Finding {
        Finding(
            rule: .cfg004, severity: .warning, file: path, range: nil, message: "cannot serve the page: \(reason)",
            fix: fix)
    }
}

/// A page's gzip form that the tenant provides: `app.css.gz` next to `app.css`. It can be compressed better than the server does
/// in the time it has, and large pages have no other gzip form. It is used only if it contains the same page.
enum PrecompressedPage {
    static let suffix = ".gz"

    /// Why a gzip file is not used.
    enum Problem: Error, CustomStringConvertible {
        case unreadable(FileError)
        case notGzip
        case otherContent
        case older

        var description: String {
            switch self {
            case .unreadable(let error): "it cannot be read: \(error)"
            case .notGzip: "it is not a gzip file"
            case .otherContent: "it contains another page"
            case .older: "it is older than the page"
            }
        }
    }

    /// For a page in memory: the file must unpack to the page, whatever its time.
    static func content(_ file: OpenFile, of page: [UInt8]) throws(Problem) -> Representation.Content {
        // Incompressible bytes grow by five in each 16 KiB, plus the name in the header.
        guard file.byteCount <= page.count + page.count / 1_000 + 1_024 else { throw .otherContent }
        let packed: [UInt8]
        do { packed = try file.contents() } catch { throw .unreadable(error) }
        guard isGzip(packed) else { throw .notGzip }
        guard Gzip.unpacks(packed, to: page) else { throw .otherContent }
        return .bytes(packed)
    }

    /// For a page that stays on disk: the file must not be older, and must state the length of the page.
    static func content(_ file: OpenFile, of page: OpenFile) throws(Problem) -> Representation.Content {
        if file.modifiedNanoseconds < page.modifiedNanoseconds { throw .older }
        guard let start = bytes(of: file, at: 0, count: 3), isGzip(start),
            let end = bytes(of: file, at: file.byteCount - 4, count: 4)
        else { throw .notGzip }
        // RFC 1952 §2.3.1: the last four bytes are the uncompressed length modulo 2^32.
        let length = end.reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        guard length == UInt32(truncatingIfNeeded: page.byteCount) else { throw .otherContent }
        return .file(file)
    }

    private static func isGzip(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1F, 0x8B, 8]) }

    private static func bytes(of file: OpenFile, at offset: Int, count: Int) -> [UInt8]? {
        guard offset >= 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        let outcome = unsafe bytes.withUnsafeMutableBytes { unsafe receive(file: file.number, from: offset, into: $0) }
        guard case .moved(let moved) = outcome, moved == count else { return nil }
        return bytes
    }
}
