// Runs another program and takes what it prints. Its input and output are files in memory, so neither side waits for the other. A
// caller with other work starts it (`RunningProgram`), waits for its descriptor among others, and may kill it.

import CPosix
import Libc

/// What a program printed, and how it ended.
public struct ProgramOutput: Sendable {
    public let end: ChildProcess.End
    public let output: [UInt8]
    public let errors: [UInt8]

    /// Runs a program to its end. The parameters are those of `RunningProgram`.
    public init(
        of program: String, _ arguments: [String], variables: [(name: String, value: String)] = [], input: [UInt8] = []
    ) throws(SystemError) {
        self = try RunningProgram(program, arguments, variables: variables, input: input).finish()
    }

    fileprivate init(end: ChildProcess.End, output: [UInt8], errors: [UInt8]) {
        (self.end, self.output, self.errors) = (end, output, errors)
    }
}

/// A program that has been started, and is killed with the last reference to this object.
public final class RunningProgram {
    private let files: [MemoryFile]
    /// Nil after its end was taken.
    private var process: pid_t?
    /// One end of a pair of sockets; the program has the other, and writes nothing to it.
    private let life: Descriptor

    /// Readable when the program has ended.
    public var descriptor: Int32 { life.number }

    /// Starts a program, which is looked up in PATH unless its name has a slash. No shell reads the arguments. The corresponding C
    /// function is `posix_spawnp`.
    /// - Parameter variables: are added to its environment.
    public init(
        _ program: String, _ arguments: [String], variables: [(name: String, value: String)] = [], input: [UInt8] = []
    ) throws(SystemError) {
        files = [try MemoryFile(input), try MemoryFile([]), try MemoryFile([])]
        files[0].rewind()
        var ends: [Int32] = [-1, -1]
        guard unsafe associated_socket_pair(streamSocket, &ends) == 0 else {
            throw .last("socketpair")
        }
        life = Descriptor(takingOwnershipOf: ends[0])
        let far = Descriptor(takingOwnershipOf: ends[1])
        var strings = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        var environment = unsafe EnvironmentVariables.copy(adding: variables)
        defer { unsafe (strings + environment).forEach { unsafe free($0) } }
        let descriptors = files.map(\.number) + [far.number]
        var process: pid_t = 0
        let problem = unsafe associated_spawn(
            &process, program, &strings, &environment, descriptors, Int32(descriptors.count))
        guard problem == 0 else { throw SystemError(call: "posix_spawnp", number: problem) }
        self.process = process
    }

    /// Waits for the end of the program.
    public func finish() throws(SystemError) -> ProgramOutput {
        guard let process else { preconditionFailure("a program ends once") }
        var status: Int32 = 0
        guard retrying({ unsafe waitpid(process, &status, 0) }) == process else { throw .last("waitpid") }
        self.process = nil
        return ProgramOutput(
            end: ChildProcess.End(status), output: try files[1].bytes(), errors: try files[2].bytes())
    }

    deinit {
        guard let process else { return }
        kill(process, SIGKILL)
        _ = retrying { waitpid(process, nil, 0) }
    }
}
