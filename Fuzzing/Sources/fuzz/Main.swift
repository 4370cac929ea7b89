// Feeds one target what libFuzzer makes up: `fuzz TARGET [libFuzzer's options and folders]`. A complaint of the target
// ends the process, as a trap would, so that libFuzzer keeps the bytes.

import CLibFuzzer
import FuzzTargets
import Glibc

@main
enum Fuzz {
    /// Set once, before the first input.
    nonisolated(unsafe) static var target = FuzzTarget.all[0]

    static func main() {
        guard CommandLine.argc > 1, let found = FuzzTarget.named(CommandLine.arguments[1]) else {
            for target in FuzzTarget.all { print("\(target.name)\t\(target.summary)") }
            exit(CommandLine.arguments.dropFirst() == ["--list"] ? 0 : 2)
        }
        target = found
        // libFuzzer reads the options behind the program's name.
        var count = CommandLine.argc - 1
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
        arguments?[0] = CommandLine.unsafeArgv[0]
        exit(
            LLVMFuzzerRunDriver(&count, &arguments) { bytes, size in
                do {
                    try Fuzz.target.check(Array(UnsafeBufferPointer(start: bytes, count: size)))
                } catch {
                    let line = Array("\(Fuzz.target.name): \(error)\n".utf8)
                    _ = write(STDERR_FILENO, line, line.count)
                    abort()
                }
                return 0
            })
    }
}
