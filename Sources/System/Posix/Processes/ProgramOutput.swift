// Runs another program to its end and takes what it prints. Its input and output are files in memory, so neither side waits for
// the other.

import CLinux
import Glibc

/// What a program printed, and how it ended.
public struct ProgramOutput: Sendable {
    public let end: ChildProcess.End
    public let output: [UInt8]
    public let errors: [UInt8]

    /// Runs a program, which is looked up in PATH unless its name has a slash. No shell reads the arguments. The corresponding C
    /// function is `posix_spawnp`.
    /// - Parameter variables: are added to its environment.
    public init(
        of program: String, _ arguments: [String], variables: [(name: String, value: String)] = [], input: [UInt8] = []
    ) throws(SystemError) {
        let files = [try MemoryFile(input), try MemoryFile([]), try MemoryFile([])]
        files[0].rewind()
        var strings = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        // The first of two variables with one name counts.
        var environment = unsafe variables.map { unsafe strdup("\($0.name)=\($0.value)") }
        var entry = unsafe environ
        while let text = unsafe entry.pointee {
            unsafe environment.append(strdup(text))
            unsafe entry += 1
        }
        unsafe environment.append(nil)
        defer { unsafe (strings + environment).forEach { unsafe free($0) } }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (number, file) in files.enumerated() {
            unsafe posix_spawn_file_actions_adddup2(&actions, file.number, Int32(number))
        }
        var process: pid_t = 0
        let problem = unsafe posix_spawnp(&process, program, &actions, nil, &strings, &environment)
        guard problem == 0 else { throw SystemError(call: "posix_spawnp", number: problem) }
        var status: Int32 = 0
        guard retrying({ unsafe waitpid(process, &status, 0) }) == process else { throw .last("waitpid") }
        end = ChildProcess.End(status)
        (output, errors) = (try files[1].bytes(), try files[2].bytes())
    }
}
