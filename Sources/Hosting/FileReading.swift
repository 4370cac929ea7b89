// One app file, read against what is known of it. Nothing here changes what is known.

import Association
import Posix

/// What came of reading one app file, against what is known of it.
enum FileReading: Sendable {
    case changing
    /// There was no descriptor for it, or no memory.
    case starved(SystemError)
    /// It is the version in service, or the one in whose place that stays.
    case same(FileStatus?)
    case candidate(Round.Candidate)

    init(_ path: String, in tree: AppTree, known: AppRecord?, environment: String?) {
        switch tree.read(path) {
        case .changing: self = .changing
        case .starved(let reason): self = .starved(reason)
        case .gone: self = .candidate(Round.Candidate(reading: .gone))
        case .unreadable(let finding):
            self = .candidate(Round.Candidate(reading: .broken, findings: [finding], rejection: .broken))
        case .contents(let contents):
            let isSettled = contents.status.isSettled(atNanoseconds: contents.readNanoseconds)
            let mark = isSettled ? contents.status : nil
            let isSame = known?.good?.text.equals(contents.bytes) == true
            if isSame, known?.standing == .current {
                self = .same(mark)
                return
            }
            let reading = AppFile.read(contents.bytes, file: "\(tree.label)/\(path)", environment: environment)
            var candidate = Round.Candidate(reading: .broken, mark: mark, findings: reading.findings)
            if isSame, reading.appFile != nil {
                self = .same(mark)
                return
            }
            if let app = reading.appFile {
                let good = AppRecord.GoodVersion(
                    text: .memory(contents.bytes), modified: contents.modified, hosts: app.hosts.map(\.text),
                    otherHosts: reading.otherHosts.map(\.text))
                candidate.reading = .good(LoadedAppFile(app, modified: contents.modified), good)
            } else {
                candidate.rejection = .broken
            }
            self = .candidate(candidate)
        }
    }
}
