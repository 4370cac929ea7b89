// The two functions that a fuzzing engine calls. One program has all targets, and its name says which one it is:
// script/fuzz and Fuzzing/oss-fuzz/build.sh put it under the name of each. A complaint of the target ends the process, as a
// trap would, so that the engine keeps the bytes.

import FuzzTargets
import Glibc

enum Fuzz {
    /// Set once, before the first input.
    nonisolated(unsafe) static var target = FuzzTarget.all[0]
}

public typealias CArguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

/// Takes the target from the name that the program was started with; with another name it prints the names of all targets.
@c(LLVMFuzzerInitialize)
public func chooseTarget(_ count: UnsafeMutablePointer<Int32>, _ arguments: UnsafeMutablePointer<CArguments>) -> Int32 {
    let words = (0..<Int(count.pointee)).map { arguments.pointee[$0].map { String(cString: $0) } ?? "" }
    let name = words.first?.split(separator: "/").last.map(String.init) ?? ""
    guard let target = FuzzTarget.named(name) else {
        for target in FuzzTarget.all { print("\(target.name)\t\(target.summary)") }
        exit(words.dropFirst() == ["--list"] ? 0 : 2)
    }
    Fuzz.target = target
    return 0
}

@c(LLVMFuzzerTestOneInput)
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    do {
        try Fuzz.target.check(Array(UnsafeBufferPointer(start: bytes, count: count)))
    } catch {
        let line = Array("\(Fuzz.target.name): \(error)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
        abort()
    }
    return 0
}
