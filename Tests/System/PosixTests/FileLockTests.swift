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

    @Test func `a late lock is taken when it is claimed, unless another has it`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/lock"
        let other = try FileLock.take(path)
        let late = LateLock(path)
        let error = #expect(throws: SystemError.self) { try late.claim() }
        #expect(error?.number == EWOULDBLOCK && !late.isTaken)
        #expect(error?.remedy(writingTo: "s") == "another server works there; stop it, or use another --state")
        _ = consume other
        for _ in 0..<2 { try late.claim() }
        #expect(late.isTaken && FileLock.isHeld(path))
    }
}
