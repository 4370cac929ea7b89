// A process without descriptors, to test what a server does then. The limit applies to the whole process, so the test
// needs a separate one.

import Glibc

/// Runs something while the process can open only this many more descriptors.
package func starved<Result>(_ descriptors: Int = 0, _ body: () throws -> Result) rethrows -> Result {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var original = rlimit()
    getrlimit(resource, &original)
    // The smallest limit that allows this many descriptors.
    let numbers = (0...descriptors).map { _ in dup(2) }
    for number in numbers { close(number) }
    guard let first = numbers.last, first >= 0 else { exit(91) }
    var limit = rlimit(rlim_cur: rlim_t(first), rlim_max: original.rlim_max)
    guard setrlimit(resource, &limit) == 0 else { exit(90) }
    defer { setrlimit(resource, &original) }
    return try body()
}
