// The results for a host's files from the last time it was rendered, so that an unchanged file is not read again. The answers
// themselves are in the catalogue; here are only the marks.

import Association
import Catalogue
import Posix

/// The marks of a file that was read. Hashed with the secret of the process, because there may be millions.
struct FileMark: Hashable, Sendable {
    private let number: Int

    /// Nil if the file could change again without changing its marks.
    /// - Parameters:
    ///   - files: the status of the file when it was opened, and of other files that the result depends on.
    ///   - openedNanoseconds: a time that is not later.
    init?(_ path: String, _ files: [FileStatus], openedNanoseconds: Int64) {
        guard files.allSatisfy({ $0.isSettled(atNanoseconds: openedNanoseconds) }) else { return nil }
        var hasher = Hasher()
        hasher.combine(path)
        hasher.combine(files)
        number = hasher.finalize()
    }
}

/// The result for one file.
struct RenderedFile: Sendable {
    /// The request path of the file.
    let path: String
    /// Nil if the file must be read again.
    var mark: FileMark?
    /// Nil if the file is not served.
    var answer: PreparedAnswer?
    /// Whether the file cannot be served, so that the version in service stays.
    var isBlocked = false
    var findings: [Finding] = []
}

/// The results for all files of one host.
struct KnownFiles: Sendable {
    private var outcomes: [FileMark: (kind: Kind, findings: [Finding])] = [:]
    /// The answers in the catalogue, while the host is rendered.
    var answers: KeptAnswers?

    private enum Kind { case served, blocked, forbidden }

    static let none = KnownFiles()

    var isEmpty: Bool { outcomes.isEmpty }

    /// Adds results, except those of files whose path is answered by something else.
    mutating func add(_ files: [RenderedFile], in answers: [String: PreparedAnswer]) {
        for file in files {
            guard let mark = file.mark else { continue }
            if let answer = file.answer {
                if answers[file.path] == answer { outcomes[mark] = (.served, file.findings) }
            } else {
                outcomes[mark] = (file.isBlocked ? .blocked : .forbidden, file.findings)
            }
        }
    }

    /// The result for an unchanged file; nil if it must be read.
    func file(_ path: String, _ mark: FileMark?) -> RenderedFile? {
        guard let mark, let (kind, findings) = outcomes[mark] else { return nil }
        let answer = kind == .served ? answers?[path] : nil
        if kind == .served, answer == nil { return nil }
        return RenderedFile(
            path: path, mark: mark, answer: answer, isBlocked: kind == .blocked, findings: findings)
    }
}
