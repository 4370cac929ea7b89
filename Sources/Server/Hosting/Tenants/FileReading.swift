// Parses one app file that `AppTree` has read, and compares it with its record. Changes no state.

import Association
import Catalogue
import Posix

/// The result of reading one app file.
struct FileReading: Sendable {
    let path: String
    private(set) var outcome: Outcome
    /// The content of the file, and that of its last good version if it differs.
    private(set) var app: LoadedAppFile?
    private(set) var lastGood: LoadedAppFile?

    enum Outcome: Sendable {
        case changing
        /// Its folder has used up its time in this round.
        case postponed
        /// Descriptors or memory ran out.
        case starved(SystemError)
        /// The file is the version in service, or has the text of its last good version again, and then these warnings.
        case same(FileStatus?, again: [Finding])
        case candidate(Scan.Candidate)
    }

    /// The hosts that the new version names.
    var hosts: [String] { if case .candidate(let candidate) = outcome { candidate.hosts } else { [] } }

    init(postponed path: String) { (self.path, outcome) = (path, .postponed) }

    /// - Parameters:
    ///   - read: what was read from disk.
    ///   - known: the record of the file; nil to parse it in any case.
    ///   - waitsForText: whether a file that became empty a moment ago counts as still being written.
    init(_ path: String, _ read: AppTree.Outcome, known: AppRecord?, _ source: AppSource, waitsForText: Bool = false) {
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
            outcome = .same(mark, again: [])
            if isSame, known?.state == .current { return }
            let document = AppFile.parse(contents.bytes)
            let reading = AppFile.read(document, file: source.file(path), environment: source.environment)
            source.inspect?(source.file(path), contents.bytes, document, reading.appFile)
            let objections = source.owners.findings(about: reading, file: source.file(path), at: path)
            let findings = source.reported(reading.findings + objections, on: contents.bytes)
            if isSame, reading.appFile != nil {
                outcome = .same(mark, again: findings)
                return
            }
            var candidate = Scan.Candidate(content: .broken, mark: mark, findings: findings)
            if source.isPublished(path) { candidate.publishedDigest = PublishedFile.digest(contents.bytes) }
            if objections.isEmpty, let appFile = reading.appFile {
                app = LoadedAppFile(appFile, modified: contents.modified)
                candidate.content = .good(
                    AppRecord.GoodVersion(
                        text: .memory(contents.bytes), modified: contents.modified, hosts: appFile.hosts.map(\.text),
                        otherHosts: reading.otherHosts.map(\.text)))
            }
            if candidate.isBroken { candidate.brokenHosts = reading.hosts.map(\.text) }
            outcome = .candidate(candidate)
        }
    }

    /// Notes which live entries are added and removed.
    mutating func compare(with good: AppRecord.GoodVersion?, _ source: AppSource, notesAdded: Bool) {
        guard case .candidate(var candidate) = outcome, !candidate.isBroken else { return }
        // The text can be the same if another program version saved it.
        let isSame = candidate.good.map { good?.text.equals($0.text.bytes) == true } ?? false
        if !isSame { lastGood = good.flatMap { source.load($0, at: path) } }
        candidate.removalGuard = (app ?? lastGood)?.appFile.removalGuard ?? .block
        if !source.holdsRemovals, candidate.removalGuard == .block { candidate.removalGuard = .warn }
        if lastGood != nil || notesAdded {
            if notesAdded, let app {
                let old = lastGood.map { LiveIdentity.all(of: $0.appFile) } ?? []
                candidate.added = LiveIdentity.all(of: app.appFile).subtracting(old)
            }
            candidate.removed = LiveIdentity.removed(from: lastGood?.appFile, to: app?.appFile)
        }
        if let app, let lastGood {
            candidate.hasNewLanding =
                app.landing?.rules != lastGood.landing?.rules || app.landing?.segments != lastGood.landing?.segments
        }
        outcome = .candidate(candidate)
    }

    /// Programs that replace files, such as git, create each one empty and write to it at once.
    private static let emptyNanosecondsMax: Int64 = 500_000_000

    private static func isFresh(_ contents: SettledContents) -> Bool {
        (0..<emptyNanosecondsMax).contains(contents.readNanoseconds &- contents.status.modifiedNanoseconds)
    }
}
