import Glibc
import TestSupport
import Testing

@testable import Posix

struct FileLockTests {
    @Test func `a lock is held until it is released`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/lock"
        #expect(!FileLock.isHeld(path))
        #expect(!File.exists(path))
        let lock = try FileLock.take(path)
        #expect(FileLock.isHeld(path) && FileLock.holder(path) == getpid())
        _ = consume lock
        #expect(File.exists(path))
        #expect(!FileLock.isHeld(path) && FileLock.holder(path) == nil)
    }
}
