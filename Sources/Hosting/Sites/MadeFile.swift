// What came of the files of a host when it was made, so that a file which is as it was costs a look and not a reading. What such a
// file answers is in the catalogue; here is only by which marks it is known again.

import Association
import Catalogue
import Posix

/// By what a file that was read is known to be the same. Hashed with a secret of the process, because there may be millions.
struct FileMark: Hashable, Sendable {
    private let number: Int

    /// Nil when the file may be written to again and look the same.
    ///
    /// - Parameters:
    ///   - files: the file as it was when it was opened, and others that the outcome depends on.
    ///   - openedNanoseconds: not later than they were opened.
    init?(_ path: String, _ files: [FileStatus], openedNanoseconds: Int64) {
        guard files.allSatisfy({ $0.isSettled(atNanoseconds: openedNanoseconds) }) else { return nil }
        var hasher = Hasher()
        hasher.combine(path)
        hasher.combine(files)
        number = hasher.finalize()
    }
}

/// What came of one file.
struct MadeFile: Sendable {
    /// Where it is served, or would be.
    let path: String
    /// Nil when it is to be read at the next look in any case.
    var mark: FileMark?
    /// Nil when it is not served.
    var answer: PreparedAnswer?
    /// Whether what was served under its path before stays, because it is not served.
    var isWithheld = false
    var findings: [Finding] = []
}

/// What is known of the files of one host.
struct KnownFiles: Sendable {
    private var outcomes: [FileMark: Outcome] = [:]
    /// What the host answers, as long as it is made again.
    var answers: KeptAnswers?

    private enum Outcome {
        case served([Finding])
        case withheld([Finding])
        case refused([Finding])
    }

    static let none = KnownFiles()

    var isEmpty: Bool { outcomes.isEmpty }

    /// Takes up what came of files, but for those in whose place the host answers with something else.
    mutating func add(_ files: [MadeFile], in answers: [String: PreparedAnswer]) {
        for file in files {
            guard let mark = file.mark else { continue }
            if let answer = file.answer {
                if answers[file.path] == answer { outcomes[mark] = .served(file.findings) }
            } else {
                outcomes[mark] = file.isWithheld ? .withheld(file.findings) : .refused(file.findings)
            }
        }
    }

    /// What came of a file that is as it was; nil when it is to be read.
    func file(_ path: String, _ mark: FileMark?) -> MadeFile? {
        guard let mark, let outcome = outcomes[mark] else { return nil }
        switch outcome {
        case .served(let findings):
            guard let answer = answers?[path] else { return nil }
            return MadeFile(path: path, mark: mark, answer: answer, findings: findings)
        case .withheld(let findings): return MadeFile(path: path, mark: mark, isWithheld: true, findings: findings)
        case .refused(let findings): return MadeFile(path: path, mark: mark, findings: findings)
        }
    }
}
