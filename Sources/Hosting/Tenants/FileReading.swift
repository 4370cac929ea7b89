// One app file, read against what is known of it. Nothing here changes what is known.

import Association
import Catalogue
import Posix

/// What came of reading one app file.
struct FileReading: Sendable {
    let path: String
    private(set) var outcome: Outcome
    /// What the file says, and what its last good version says where that is another one.
    private(set) var app: LoadedAppFile?
    private(set) var former: LoadedAppFile?

    enum Outcome: Sendable {
        case changing
        /// Its folder has cost the round enough.
        case postponed
        /// There was no descriptor for it, or no memory.
        case starved(SystemError)
        /// It is the version in service, or the one in whose place that stays.
        case same(FileStatus?)
        case candidate(Scan.Candidate)
    }

    /// The hosts that a good version names.
    var hosts: [String] { if case .candidate(let candidate) = outcome { candidate.hosts } else { [] } }

    init(postponed path: String) { (self.path, outcome) = (path, .postponed) }

    /// - Parameters:
    ///   - read: what is on disk.
    ///   - known: what is known of the file, when that may spare a closer look.
    ///   - waitsForText: whether a file that has become empty a moment ago counts as one that is being written to.
    init(
        _ path: String, _ read: AppTree.Outcome, known: AppRecord?, _ source: AppSource, waitsForText: Bool = false
    ) {
        self.path = path
        switch read {
        case .changing: outcome = .changing
        case .starved(let reason): outcome = .starved(reason)
        case .gone: outcome = .candidate(Scan.Candidate(content: .gone))
        case .unreadable(let finding):
            outcome = .candidate(Scan.Candidate(content: .broken, findings: [finding]))
        case .contents(let contents) where waitsForText && contents.bytes.isEmpty && FileReading.isFresh(contents):
            outcome = .changing
        case .contents(let contents):
            let isSettled = contents.status.isSettled(atNanoseconds: contents.readNanoseconds)
            let mark = isSettled ? contents.status : nil
            let isSame = known?.good?.text.equals(contents.bytes) == true
            outcome = .same(mark)
            if isSame, known?.standing == .current { return }
            let reading = AppFile.read(
                contents.bytes, file: source.file(path), environment: source.environment)
            let objections = source.owners.findings(about: reading, file: source.file(path), at: path)
            if isSame, reading.appFile != nil { return }
            var candidate = Scan.Candidate(content: .broken, mark: mark, findings: reading.findings + objections)
            if objections.isEmpty, let appFile = reading.appFile {
                app = LoadedAppFile(appFile, modified: contents.modified)
                candidate.content = .good(
                    AppRecord.GoodVersion(
                        text: .memory(contents.bytes), modified: contents.modified, hosts: appFile.hosts.map(\.text),
                        otherHosts: reading.otherHosts.map(\.text)))
            }
            outcome = .candidate(candidate)
        }
    }

    /// Notes what is different from the last good version.
    mutating func compare(with good: AppRecord.GoodVersion?, _ source: AppSource, notesAdded: Bool) {
        guard case .candidate(var candidate) = outcome, !candidate.isBroken else { return }
        // As another program kept it.
        let isSame = candidate.good.map { good?.text.equals($0.text.bytes) == true } ?? false
        if !isSame { former = good.flatMap { source.load($0, at: path) } }
        candidate.removalGuard = (app ?? former)?.appFile.removalGuard ?? .block
        if former != nil || notesAdded {
            let new = app.map { LiveIdentity.all(of: $0.appFile) } ?? []
            let old = former.map { LiveIdentity.all(of: $0.appFile) } ?? []
            if notesAdded { candidate.added = new.subtracting(old) }
            let retired = app?.appFile.retired ?? RetiredIdentities()
            if candidate.removalGuard != .off {
                candidate.removed = old.subtracting(new).filter { !$0.isRetired(by: retired) }
            }
        }
        if let app, let former {
            candidate.isRelanded =
                app.landing?.rules != former.landing?.rules || app.landing?.segments != former.landing?.segments
        }
        outcome = .candidate(candidate)
    }

    /// A program that makes files anew, such as git, writes to each at once.
    private static let emptyNanosecondsMax: Int64 = 500_000_000

    private static func isFresh(_ contents: SettledContents) -> Bool {
        (0..<emptyNanosecondsMax).contains(contents.readNanoseconds &- contents.status.modifiedNanoseconds)
    }
}
