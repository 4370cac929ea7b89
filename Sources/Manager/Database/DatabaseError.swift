// Database errors, grouped by what a caller can do about them. The text is one line for the operator. It never contains the
// connection string, which may have a password.

/// Why a database could not be used.
public struct DatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Cause: Sendable, CaseIterable {
        /// The engine's library is not installed, or cannot be opened.
        case libraryMissing
        /// The library or the server is older than this program needs.
        case tooOld
        /// The location in the settings cannot be understood.
        case badLocation
        /// No server answers, or the file cannot be opened.
        case unreachable
        case certificateNotVerified
        /// Wrong password, unknown user, or a right that the user lacks.
        case accessDenied
        /// A newer program has changed the tables so that this one cannot use them.
        case newerSchema
        /// The secrets in it were sealed with another key.
        case wrongKey
        /// Another transaction holds a lock for longer than this one may wait.
        case locked
        /// A statement took longer than its limit.
        case timedOut
        case readOnly
        case full
        case corrupt
        /// The disk or its file system fails.
        case inputOutput
        /// The file was deleted or replaced while it is in use. What is written would be lost with the process, and must not go to
        /// another file unnoticed.
        case fileGone
        /// The engine rolled the transaction back because of another one; it can be run again.
        case serializationFailure
        /// The connection ended before the transaction was committed; nothing was changed.
        case connectionLost
        /// The connection ended during the commit: the transaction may or may not have taken effect.
        case commitUnknown
        /// A unique key, a foreign key, a check or `not null`.
        case constraint
        /// The statement or its result is wrong: a bug in this program, or a table that another program has changed.
        case statement
    }

    public let cause: Cause
    /// One line without the database's name.
    public let detail: String
    /// The path of the file, or host and port of the server; added by the connection.
    public var location: String?

    public init(_ cause: Cause, _ detail: String, location: String? = nil) {
        self.cause = cause
        self.detail = detail.split { $0.isNewline || $0 == "\t" }.joined(separator: " ")
        self.location = location
    }

    /// Whether it lasts until an operator changes something: the settings, the libraries, the file, a right. A program that cannot work
    /// without the database ends then, so that the next start finds the change. Everything else can be waited for.
    public var isLasting: Bool {
        switch cause {
        case .libraryMissing, .tooOld, .badLocation, .certificateNotVerified, .accessDenied, .newerSchema, .wrongKey,
            .readOnly, .corrupt:
            true
        case .unreachable, .locked, .timedOut, .full, .inputOutput, .fileGone, .serializationFailure, .connectionLost,
            .commitUnknown, .constraint, .statement:
            false
        }
    }

    public var description: String {
        let advice = advice.map { "; \($0)" } ?? ""
        return "cannot \(attempt) the database\(location.map { " \($0)" } ?? ""): \(detail)\(advice)"
    }

    private var attempt: String {
        switch cause {
        case .libraryMissing, .tooOld, .badLocation, .newerSchema, .wrongKey, .corrupt, .fileGone: "use"
        case .unreachable, .certificateNotVerified, .accessDenied: "open"
        case .locked, .readOnly, .full: "write to"
        case .timedOut, .inputOutput, .serializationFailure, .connectionLost, .commitUnknown, .constraint, .statement:
            "query"
        }
    }

    private var advice: String? {
        switch cause {
        case .badLocation:
            "write a path or postgresql://user@host:5432/name, with %XX for special characters in a password"
        case .certificateNotVerified:
            "name the authority with sslrootcert=FILE and the server by a name in its certificate"
        case .accessDenied: "check the user, its password and its rights"
        case .full: "free space on its disk (df -h)"
        case .corrupt: "keep a copy and restore a backup"
        case .inputOutput: "check its disk and its memory (dmesg)"
        case .newerSchema: "start the newer version of associated"
        case .timedOut: "check its load"
        case .fileGone:
            "move it back, or restore a backup and restart the manager; without either, it begins a new one and knows nothing of before"
        case .commitUnknown: "the last change may or may not have taken effect"
        // The engine says what to do, or there is nothing to do.
        case .libraryMissing, .tooOld, .unreachable, .locked, .readOnly, .wrongKey, .serializationFailure,
            .connectionLost, .constraint, .statement:
            nil
        }
    }

    func at(_ location: String) -> DatabaseError {
        var error = self
        error.location = location
        return error
    }
}
