// Where lines of a log go: a file that is only ever appended to, or standard output. Unlike everything else that is written
// here, a log may fail at any time for reasons that are not ours; its failures are values.

import CLinux
import Glibc

/// A descriptor that lines are appended to.
public struct LogOutput: ~Copyable, Sendable {
    private let number: Int32
    private let isOwned: Bool

    /// What came of a write.
    public enum Outcome: Equatable, Sendable {
        case wrote(Int)
        /// A pipe is full; it will be read some time.
        case wouldBlock
        case failed(SystemError)
    }

    /// Standard output, as it was given to the process. Writing to it may wait for its reader.
    public static var standard: LogOutput { LogOutput(number: STDOUT_FILENO, isOwned: false) }

    /// Opens a file for appending, and makes it if there is none. A pipe is opened without waiting for its reader.
    public init(path: String) throws(SystemError) {
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY
        number = unsafe associated_open(path, flags, 0o640)
        guard number >= 0 else { throw .last("open") }
        isOwned = true
    }

    private init(number: Int32, isOwned: Bool) {
        self.number = number
        self.isOwned = isOwned
    }

    deinit { if isOwned { closeDescriptor(number) } }

    /// Writes several stretches of memory in their order, as far as they are taken.
    /// The corresponding C function is `writev`.
    public func write(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Outcome {
        unsafe withUnsafeTemporaryAllocation(of: iovec.self, capacity: min(pieces.count, LogOutput.piecesMax)) {
            vector in
            for index in vector.indices {
                unsafe vector[index] = iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: pieces[index].baseAddress),
                    iov_len: pieces[index].count)
            }
            while true {
                let count = unsafe writev(number, vector.baseAddress, Int32(vector.count))
                if count >= 0 { return .wrote(count) }
                if errno == EINTR { continue }
                // EBADF is no bug here: a process may be started without a standard output.
                return errno == EAGAIN ? .wouldBlock : .failed(.last("write"))
            }
        }
    }

    /// What one call takes (writev(2), `IOV_MAX`).
    public static let piecesMax = 1_024
}

/// Sees to it that standard input, output and error are never numbers of something else: where one is missing, it becomes
/// one that can be neither read nor written with profit. To be called before anything is opened.
public enum StandardDescriptors {
    /// Whether standard error is the journal, which wants a priority in front of each line (systemd.exec(5), `JOURNAL_STREAM`).
    public static var errorIsJournal: Bool {
        var status = stat()
        guard let stream = environment("JOURNAL_STREAM"), unsafe fstat(STDERR_FILENO, &status) == 0 else {
            return false
        }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }

    public static func fillGaps() {
        for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) == -1 {
            // The lowest free number is taken. Opened the wrong way round, so that who writes is told.
            let flags = number == STDIN_FILENO ? O_WRONLY : O_RDONLY
            _ = unsafe open("/dev/null", flags)
        }
    }
}
