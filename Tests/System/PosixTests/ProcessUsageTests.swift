// The process's own figures, before and after changes.

import Foundation
import Posix
import Testing

struct ProcessUsageTests {
    private let usage = ProcessUsage()

    @Test(
        .enabled(
            if: ProcessInfo.processInfo.environment["ASSOCIATED_SANITIZER"] == nil,
            "sanitizers give back what they had for themselves"))
    func `written memory is resident`() throws {
        let before = try #require(usage.memoryBytes)
        let block = Memory(byteCount: 64 * 1024 * 1024)
        for index in stride(from: 0, to: block.bytes.count, by: 4096) { block.bytes[index] = 1 }
        let after = try #require(usage.memoryBytes)
        #expect(after.resident - before.resident > 32 * 1024 * 1024)
        #expect(after.virtual >= after.resident)
    }

    @Test func `counts descriptors`() throws {
        // Other tests open and close theirs meanwhile, so this opens more than they are likely to.
        let before = try #require(usage.descriptorCount)
        let files = try (0..<200).map { _ in try #require(FileHandle(forReadingAtPath: "/dev/null")) }
        let after = try #require(usage.descriptorCount)
        #expect((100...300).contains(after - before))
        for file in files { try file.close() }
    }

    @Test func `the process started before now and has used CPU time`() throws {
        let start = try #require(usage.startSeconds)
        let now = Double(Clock.wallSeconds())
        #expect(start <= now + 2)
        #expect(start > now - 86_400)
        #expect(usage.processorSeconds > 0)
    }
}
