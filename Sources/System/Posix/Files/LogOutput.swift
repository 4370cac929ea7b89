// The output of a log: a file that is only appended to, or standard output. Writing a log may fail at any time, so failures are
// values.

import CPosix
import Libc

/// A descriptor to which lines are appended.
public struct LogOutput: ~Copyable, Sendable {
    private let number: Int32
    private let isOwned: Bool

    /// Standard output, as the process got it. Writing to it may block.
    public static var standard: LogOutput { LogOutput(number: STDOUT_FILENO, isOwned: false) }

    /// Opens a file for appending, and creates it if need be. A pipe is opened without waiting for its reader.
    public init(path: String) throws(SystemError) {
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY
        self.init(number: try Descriptor.open(path, flags, permissions: 0o640).release(), isOwned: true)
    }

    private init(number: Int32, isOwned: Bool) { (self.number, self.isOwned) = (number, isOwned) }

    deinit { if isOwned { closeDescriptor(number) } }

    /// Writes several buffers in order, perhaps only in part. The corresponding C function is `writev`.
    public func write(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Transfer {
        unsafe withUnsafeTemporaryAllocation(of: iovec.self, capacity: min(pieces.count, LogOutput.piecesMax)) {
            vector in
            for index in vector.indices {
                unsafe vector[index] = iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: pieces[index].baseAddress),
                    iov_len: pieces[index].count)
            }
            while true {
                let count = unsafe writev(number, vector.baseAddress, Int32(vector.count))
                // EBADF is not a bug here: a process may be started without standard output.
                if count >= 0 || errno != EINTR { return outcome(count) }
            }
        }
    }

    /// The most buffers of one call (writev(2), `IOV_MAX`).
    public static let piecesMax = 1_024
}

/// The descriptors 0, 1 and 2.
public enum StandardDescriptors {
    /// Whether standard error is the systemd journal, which expects a priority before each line (systemd.exec(5),
    /// `JOURNAL_STREAM`).
    public static var errorIsJournal: Bool {
        guard let stream = environment("JOURNAL_STREAM"), let status = try? stat(of: STDERR_FILENO) else {
            return false
        }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }

    /// The next bytes of standard input; none at its end. The corresponding C function is `read`.
    public static func readInput(bytesMax: Int = 1 << 16) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: bytesMax)
        while true {
            let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(STDIN_FILENO, $0.baseAddress, $0.count) }
            // EBADF is not a bug here: a process may be started without standard input.
            if count >= 0 { return Array(bytes.prefix(count)) }
            switch errno {
            case EINTR: break
            // Another process with the same pipe may have made it non-blocking.
            case EAGAIN: _ = Descriptor.readable(among: [STDIN_FILENO], milliseconds: -1)
            default: throw .last("read")
            }
        }
    }

    /// Opens `/dev/null` for each missing standard descriptor, so that no other file gets its number. To be called before
    /// anything is opened.
    public static func fillGaps() {
        for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) == -1 {
            // `open` uses the lowest free number. The direction is wrong on purpose, so that reading and writing fail.
            let flags = number == STDIN_FILENO ? O_WRONLY : O_RDONLY
            _ = unsafe open("/dev/null", flags)
        }
    }
}

/// The format of a line of the access log.
public enum LogFormat: String, CaseIterable, Sendable {
    /// A JSON object in each line.
    case json
    /// The combined format of Apache and nginx.
    case combined
}

/// Which requests are logged, and what is left out.
public struct LogSelection: Hashable, Sendable {
    public var only = Only.all
    /// Whether lines contain the query.
    public var hasQuery = true
    /// Whether failed handshakes are logged too.
    public var hasHandshakes = false

    public enum Only: String, CaseIterable, Sendable {
        case all
        /// 4xx and 5xx.
        case errors
        /// Fetches of association files by verifiers.
        case verifiers
    }

    public init() {}
}
