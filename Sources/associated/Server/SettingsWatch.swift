// Whether `server.json` is still what the server was started with. It is read at the start alone, so a change has no effect; but
// the operator should know that, and know before the next start when that would be refused.

import Association
import HTTP
import Hosting
import Posix

struct SettingsWatch {
    private let given: LoadedSettings
    private let path: String
    /// The marks of the file at the start, at the last look, and of the state that was last told. Nil where there is none.
    private let first: FileStatus?
    private var last: FileStatus?
    private var told: FileStatus?

    /// What there is to say.
    struct News {
        var isChanged: Bool
        /// What is wrong with the file as it is now.
        var findings: [Finding] = []
        /// Why a start with it would be refused.
        var objection: String?
    }

    init(_ given: LoadedSettings) {
        self.given = given
        path = "\(given.configPath)/server.json"
        first = try? File.status(path)
        (last, told) = (first, first)
    }

    /// Looks at the file, once a second or when an operator asks; nil where nothing is new. A file that changes between two looks
    /// is still being written.
    mutating func look(isAsked: Bool) -> News? {
        let status = try? File.status(path)
        let isSettled = status == last
        last = status
        if isAsked ? status == first : !isSettled || status == told { return nil }
        told = status
        guard status != first else { return News(isChanged: false) }
        let reader = SettingsReader(file: path, limits: given.limitsByMemory)
        var changed = given
        (changed.findings, changed.lostSafeguards) = (reader.findings, reader.lostSafeguards)
        return News(isChanged: true, findings: reader.findings, objection: StartObjections(changed).toSettings)
    }
}
