// A process that exits because of a bug reports it and has its own exit status.

import Foundation
import Testing

@testable import Posix

struct BugExitTests {
    private static let sanitizer = ProcessInfo.processInfo.environment["ASSOCIATED_SANITIZER"]

    private static func errors(_ result: ExitTest.Result?) throws -> String {
        String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    }

    @Test func `reports a failed check with its place`() async throws {
        let result = await #expect(processExitsWith: .exitCode(70), observing: [\.standardErrorContent]) {
            BugExit.install()
            let numbers: [Int] = []
            precondition(numbers.count == CommandLine.arguments.count, "never")
        }
        let text = try Self.errors(result)
        let line =
            /associated: exiting because of a bug: failed check \(SIG(ILL|TRAP)\) at associated\+0x[0-9a-f]+; please report it with this line and the version\n/
        #expect(text.contains(line))
    }

    @Test(.disabled(if: ["address", "thread"].contains(sanitizer), "the allocators of these do not say why"))
    func `does not report a lack of memory as a bug`() async throws {
        let result = await #expect(processExitsWith: .exitCode(71), observing: [\.standardErrorContent]) {
            BugExit.install()
            // More than any address space.
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 50, alignment: 16)
            withExtendedLifetime(bytes) {}
        }
        let text = try Self.errors(result)
        #expect(text.contains("associated: exiting, out of memory: "), "\(text)")
        let other = await #expect(processExitsWith: .exitCode(71), observing: [\.standardErrorContent]) {
            _ = Memory(byteCount: 1 << 50)
        }
        #expect(try Self.errors(other).contains("associated: exiting, out of memory; raise the memory limit"))
    }

    @Test(.disabled(if: sanitizer == "address", "this sanitizer looks elsewhere first"))
    func `reports an invalid memory access with its address`() async throws {
        let result = await #expect(processExitsWith: .exitCode(70), observing: [\.standardErrorContent]) {
            BugExit.install()
            UnsafeMutablePointer<Int>(bitPattern: 0x10_0000_0008)?.pointee = 1
        }
        let text = try Self.errors(result)
        #expect(text.contains("invalid memory access (SIGSEGV) at address 0x1000000008;"))
    }

    @Test(.disabled(if: sanitizer == "address", "this sanitizer takes the signal for itself"))
    func `names a truncated mapped file as the reason`() async throws {
        let result = await #expect(processExitsWith: .exitCode(70), observing: [\.standardErrorContent]) {
            BugExit.install()
            // An unnamed file, which disappears with this process.
            let file = fileno(tmpfile())
            ftruncate(file, 8_192)
            let place = mmap(nil, 8_192, PROT_READ, MAP_PRIVATE, file, 0)
            ftruncate(file, 0)
            errno = ENOMEM
            _ = place?.load(fromByteOffset: 4_096, as: UInt8.self)
        }
        let text = try Self.errors(result)
        let line = /associated: exiting, cannot read a mapped file \(SIGBUS\) at address 0x[0-9a-f]+000; check the disk/
        #expect(text.contains(line), "\(text)")
    }

    @Test func `reports no address for a bus error sent by another process`() async throws {
        let result = await #expect(processExitsWith: .exitCode(70), observing: [\.standardErrorContent]) {
            BugExit.install()
            kill(getpid(), SIGBUS)
            pause()
        }
        let text = try Self.errors(result)
        #expect(text.contains("cannot read a mapped file (SIGBUS); check the disk"), "\(text)")
    }

    @Test(arguments: [SIGILL, SIGTRAP, SIGSEGV, SIGFPE, SIGABRT])
    func `reports no address for a signal sent by another process`(signal: Int32) async throws {
        let result = await #expect(processExitsWith: .exitCode(70), observing: [\.standardErrorContent]) { [signal] in
            BugExit.install()
            kill(getpid(), signal)
            pause()
        }
        let text = try Self.errors(result)
        #expect(text.contains("associated: exiting because of a bug: "))
        #expect(!text.contains("0x"))
    }

    @Test func `does not replace an existing signal handler`() async {
        await #expect(processExitsWith: .exitCode(3)) {
            signal(SIGILL) { _ in _exit(3) }
            BugExit.install()
            kill(getpid(), SIGILL)
            pause()
        }
    }
}
