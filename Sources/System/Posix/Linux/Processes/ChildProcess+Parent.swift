// Programs that this process starts: each gets exactly the descriptors that it is meant to have, and ends when this process ends.

import CLinux
import CPosix
import Libc

/// Child processes, for a parent with one thread.
extension ChildProcess {
    /// The path of the program that this process runs. A file that replaces the program later has the same path. Where a link to the
    /// program is switched instead, that is the path of the link, so the name that the process was started with is preferred.
    /// - Parameter name: the first word of the command line. Without a slash, it was found by the PATH, and is not used.
    public static func ownPath(startedAs name: String) -> String? {
        let path = Directory.absolute(name)
        if name.contains("/"), let own = try? File.status(ownProgram).identity,
            (try? File.status(path).identity) == own
        {
            return path
        }
        return File.linkTarget(ownProgram)
    }

    /// Starts a program in a process group of its own, so that Ctrl-C in a terminal reaches only this process. Does not wait for the
    /// program's file system, which may hang: whether the program can be started comes as a report. The kernel ends the child with
    /// the thread that calls this.
    ///
    /// - Parameters:
    ///   - descriptors: stay open in the child, under the same numbers.
    ///   - variable: is added to the child's environment.
    ///   - blocked: signals that the child finds blocked, so that one which comes early waits until the child takes it.
    ///   - reports: where the child says that the program could not be started.
    /// The corresponding C functions are `fork` and `execve`.
    public static func start(
        _ path: String, _ arguments: [String], descriptors: [Int32], variable: (name: String, value: String),
        blocked: [Int32], reports: ChildReports
    ) throws(SystemError) -> Int32 {
        var strings = unsafe arguments.map { unsafe strdup($0) } + [nil]
        var variables = unsafe EnvironmentVariables.copy(adding: [variable])
        defer { unsafe (strings + variables).forEach { unsafe free($0) } }
        let process = unsafe associated_start(
            path, &strings, &variables, descriptors, Int32(descriptors.count), blocked, Int32(blocked.count),
            reports.childDescriptor)
        reports.closeChildDescriptor()
        if process < 0 { throw .last("clone") }
        return process
    }

    /// Makes children that have ended wait until `reap` takes them, even if this process was started with SIGCHLD ignored.
    public static func keepEnds() { signal(SIGCHLD, SIG_DFL) }

    /// Takes a child that has ended; nil when there is none. As process 1 of a container, this process also gets the children of
    /// others. The corresponding C function is `waitpid`.
    public static func reap() -> (process: Int32, end: End)? {
        var status: Int32 = 0
        let process = unsafe waitpid(-1, &status, WNOHANG)
        guard process > 0 else { return nil }
        return (process, End(status))
    }

    /// SIGTERM also wakes a process that is stopped (SIGSTOP), which would not take it.
    public static func send(_ signal: Int32, to process: Int32) {
        kill(process, signal)
        if signal == SIGTERM { kill(process, SIGCONT) }
    }

    /// The name of a signal, such as `SIGSEGV`.
    public static func name(ofSignal number: Int32) -> String {
        unsafe associated_signal_name(number).map { "SIG\(unsafe String(cString: $0))" } ?? "signal \(number)"
    }
}

/// The socket on which a child reports its state, or why it ends, in the form of sd_notify(3), and is told news. A child may be in
/// the hands of an attacker: what it sends is bounded and parsed strictly.
public final class ChildReports {
    private let near: Descriptor
    /// The child's end, open until the child has been started.
    private var far: Int32?

    /// Longer messages are not valid.
    private static let messageBytesMax = 2_048

    /// One message.
    public enum Report {
        case state(SystemdNotifier.State)
        /// Why the program could not be started.
        case notStarted(SystemError)
        case invalid
    }

    public init() throws(SystemError) {
        var numbers: [Int32] = [-1, -1]
        guard unsafe associated_socket_pair(datagramSocket, &numbers) == 0 else {
            throw .last("socketpair")
        }
        near = Descriptor(takingOwnershipOf: numbers[0])
        far = numbers[1]
    }

    /// Readable when the child has reported something.
    public var descriptor: Int32 { near.number }

    /// What the child gets.
    public var childDescriptor: Int32 {
        guard let far else { preconditionFailure("the child's end is passed on before it is closed") }
        return far
    }

    /// To be called when the child has been started.
    func closeChildDescriptor() {
        if let far { closeDescriptor(far) }
        far = nil
    }

    deinit { closeChildDescriptor() }

    /// The next message; nil when there is none.
    public func next() -> Report? { ChildReports.next(from: near.number) }

    /// Sends a line to the child; `SystemdNotifier.nextNews` takes it. It is lost if the child has not taken those before.
    public func tell(_ news: String) {
        let text = Array(SystemdNotifier.text(.serving(status: news)).utf8)
        _ = retrying { unsafe send(near.number, text, text.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) }
    }

    fileprivate static func next(from number: Int32) -> Report? {
        var buffer = [UInt8](repeating: 0, count: ChildReports.messageBytesMax)
        let flags = Int32(MSG_DONTWAIT | MSG_TRUNC)
        let count = retrying { unsafe recv(number, &buffer, buffer.count, flags) }
        if count < 0 { return nil }
        // With MSG_TRUNC, the length of the whole message.
        guard count <= buffer.count else { return .invalid }
        if let number = errorNumber(buffer[..<count]) {
            return .notStarted(SystemError(call: "execve", number: number))
        }
        return SystemdNotifier.State(parsing: buffer[..<count]).map(Report.state) ?? .invalid
    }
}

extension ChildReports {
    /// Reads what `associated_start` writes, such as `ERRNO=002`.
    private static func errorNumber(_ message: ArraySlice<UInt8>) -> Int32? {
        let text = String(decoding: message, as: UTF8.self)
        guard text.hasPrefix("ERRNO="), text.hasSuffix("\n"), text.utf8.count == 10 else { return nil }
        return Int32(text.dropFirst(6).dropLast())
    }
}

extension SystemdNotifier {
    /// What the parent tells next; nil when there is nothing. Other messages are skipped.
    public func nextNews() -> String? {
        while let number = descriptor, let report = ChildReports.next(from: number) {
            if case .state(.serving(let news)) = report { return news }
        }
        return nil
    }
}

extension SystemdNotifier.State {
    private static let statusBytesMax = 1_024

    /// Reads a message as `SystemdNotifier.text` writes it; nil for anything else.
    init?(parsing message: ArraySlice<UInt8>) {
        guard message.last == UInt8(ascii: "\n"), let text = String(validating: message.dropLast(), as: UTF8.self),
            text.utf8.allSatisfy({ $0 == 0x0A || $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let status = lines.last.flatMap { line in
            line.hasPrefix("STATUS=") && line.utf8.count <= SystemdNotifier.State.statusBytesMax
                ? String(line.dropFirst("STATUS=".count)) : nil
        }
        switch (lines.count, lines[0], status) {
        case (1, "WATCHDOG=1", _): self = .alive
        case (1, "STOPPING=1", _): self = .stopping
        case (1, _, let status?): self = .serving(status: status)
        case (2, "READY=1", let status?): self = .ready(status: status)
        case (2, "RELOADING=1", nil):
            guard lines[1].hasPrefix("MONOTONIC_USEC="), UInt64(lines[1].dropFirst("MONOTONIC_USEC=".count)) != nil
            else {
                return nil
            }
            self = .reloading
        default: return nil
        }
    }
}
