// How the program ends by a fault of its own. A broken assumption is an instruction that the processor refuses, so the kernel
// says it with a signal; here that becomes a line which names the place, and an exit status that means nothing else. Nothing is
// mended and nothing tidied up: whatever the fault has done to memory, only a few bytes on the stack are relied on.

import CLinux
import Glibc

/// The last words of a process.
public enum BugExit {
    /// `EX_SOFTWARE` of sysexits.h.
    public static let status: Int32 = 70
    /// `EX_OSERR` of the same: what the system did not give.
    public static let memoryStatus: Int32 = 71

    /// Where the program was put into memory. Written once, before there is a second thread.
    nonisolated(unsafe) private static var base: UInt = 0
    /// The priority by which the journal tells it from other lines. Written once, likewise.
    nonisolated(unsafe) private static var prefix: StaticString = ""

    /// From now on these signals end the process so, unless somebody has asked for them already, such as Swift for its
    /// backtraces. The corresponding C function is `sigaction`.
    public static func install() {
        // The program headers come behind the header of the file, which is 64 bytes and the first thing in memory.
        unsafe base = getauxval(UInt(AT_PHDR)) &- 64
        if StandardDescriptors.errorIsJournal { unsafe prefix = "<2>" }
        for signal in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT] {
            var present = sigaction()
            guard unsafe sigaction(signal, nil, &present) == 0, present.sa_flags & SA_SIGINFO == 0,
                unsafe present.__sigaction_handler.sa_handler == nil
            else { continue }
            var wanted = sigaction()
            wanted.sa_flags = SA_SIGINFO
            unsafe wanted.__sigaction_handler.sa_sigaction = { signal, information, _ in
                unsafe BugExit.end(signal, information)
            }
            unsafe sigaction(signal, &wanted, nil)
        }
    }

    /// Async-signal-safe: no memory from the heap, no lock (signal-safety(7)).
    private static func end(_ signal: Int32, _ information: UnsafeMutablePointer<siginfo_t>?) {
        if signal == SIGBUS { unsafe endForWantOfFile(information) }
        // Swift has no other way than a trap for memory that it cannot get, and what refused it has left its reason.
        let wantsMemory = errno == ENOMEM
        unsafe write(prefix)
        write(wantsMemory ? "associated: ended for want of memory, " : "associated: ended by a bug, ")
        switch signal {
        case SIGILL: write("an assumption that does not hold (SIGILL)")
        case SIGTRAP: write("an assumption that does not hold (SIGTRAP)")
        case SIGSEGV: write("memory that is not there (SIGSEGV)")
        case SIGFPE: write("a sum that cannot be done (SIGFPE)")
        default: write("a call to abort (SIGABRT)")
        }
        // Where it comes from another process, or from abort, no place comes with it.
        if let information = unsafe information, unsafe information.pointee.si_code > 0, signal != SIGABRT {
            let place = unsafe UInt(bitPattern: information.pointee._sifields._sigfault.si_addr)
            write(signal == SIGSEGV ? " at address 0x" : " at associated+0x")
            unsafe writeHexadecimal(signal == SIGSEGV ? place : place &- base)
        }
        if wantsMemory {
            write("; give it more, or lower limits.connectionsMax\n")
            _exit(memoryStatus)
        }
        write("; please report it with this line and the version\n")
        _exit(status)
    }

    /// No fault of the program: the file is shorter than it was, or its disk does not give it.
    private static func endForWantOfFile(_ information: UnsafeMutablePointer<siginfo_t>?) -> Never {
        unsafe write(prefix)
        write("associated: ended, a mapped file could not be read (SIGBUS)")
        if let information = unsafe information, unsafe information.pointee.si_code > 0 {
            write(" at address 0x")
            unsafe writeHexadecimal(UInt(bitPattern: information.pointee._sifields._sigfault.si_addr))
        }
        write("; look for errors of the disk, and for who writes to the state directory\n")
        _exit(status)
    }

    /// For who asks the system for memory and gets none.
    static func endForWantOfMemory() -> Never {
        unsafe write(prefix)
        write("associated: ended for want of memory; give it more, or lower limits.connectionsMax\n")
        _exit(memoryStatus)
    }

    private static func write(_ text: StaticString) {
        _ = unsafe Glibc.write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
    }

    private static func writeHexadecimal(_ number: UInt) {
        var digits = InlineArray<16, UInt8>(repeating: 0x30)
        var rest = number
        var first = 15
        for place in stride(from: 15, through: 0, by: -1) {
            let digit = UInt8(truncatingIfNeeded: rest & 0xF)
            digits[place] = digit < 10 ? 0x30 &+ digit : 0x57 &+ digit
            if digit > 0 { first = place }
            rest >>= 4
        }
        unsafe withUnsafeBytes(of: digits) { bytes in
            _ = unsafe Glibc.write(STDERR_FILENO, bytes.baseAddress.map { unsafe $0 + first }, 16 - first)
        }
    }
}
