// What can be wrong with a state file. None of it ends a start: the file is left aside, and everything is read anew.

public import Posix

/// Why a state file, or a part of it, is not used.
public enum StateProblem: Error, Hashable, Sendable, CustomStringConvertible {
    case unreadable(FileError)
    case foreign
    case otherVersion
    case otherKey
    case cut(byteCount: Int, expected: Int)
    case damaged(StateSection)
    case missing(StateSection)

    public var description: String {
        switch self {
        case .unreadable(let error): error.description
        case .foreign: "it is no state file"
        case .otherVersion: "another version of the server wrote it"
        case .otherKey: "it was written under other settings"
        case .cut(let count, let expected): "it has \(count) bytes instead of \(expected)"
        case .damaged(let section): "its section \(section) is damaged"
        case .missing(let section): "it has no section \(section)"
        }
    }

    /// There is no such file, as before the first start.
    public var isMissingFile: Bool {
        guard case .unreadable(let error) = self else { return false }
        return error.isMissing
    }

    /// What the kernel said, when it was short of something and the file may be as good as ever.
    public var shortage: SystemError? {
        guard case .unreadable(let error) = self else { return nil }
        return error.shortage
    }
}
