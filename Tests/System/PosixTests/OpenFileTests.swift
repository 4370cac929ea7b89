// Files that stay open.

import Testing

@testable import Posix

struct OpenFileTests {
    @Test func `counts exactly the open files`() async {
        await #expect(processExitsWith: .success) {
            precondition(OpenFile.count == 0)
            var files = try (0..<3).map { _ in try OpenFile("/proc/self/stat") }
            precondition(OpenFile.count == 3)
            _ = try? OpenFile("/")
            _ = try? OpenFile("/nowhere")
            precondition(OpenFile.count == 3)
            files.removeFirst()
            precondition(OpenFile.count == 2)
        }
    }
}
