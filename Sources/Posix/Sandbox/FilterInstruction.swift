// The language that the kernel is told in which system calls it shall refuse: classic BPF over a fixed record that describes
// one call (seccomp(2)). Programs are data: they are made here, and read by the kernel, or by a test that runs them.

/// One instruction, laid out as the kernel reads it (`struct sock_filter`).
public struct FilterInstruction: Equatable, Sendable {
    public var code: UInt16
    /// How many instructions to skip where the comparison holds, and where not.
    public var skipIfTrue: UInt8
    public var skipIfFalse: UInt8
    public var operand: UInt32

    init(_ code: Code, _ operand: UInt32, skipIfTrue: UInt8 = 0, skipIfFalse: UInt8 = 0) {
        self.code = code.rawValue
        self.skipIfTrue = skipIfTrue
        self.skipIfFalse = skipIfFalse
        self.operand = operand
    }

    /// The few that are needed here.
    public enum Code: UInt16, Sendable {
        /// Takes a word of the record, by its offset.
        case load = 0x20
        case jumpIfEqual = 0x15
        case jumpIfAtLeast = 0x35
        /// Where the word and the operand have a bit in common.
        case jumpIfAny = 0x45
        case end = 0x06
    }

    /// A word of the record.
    public enum Place: Sendable {
        case call
        case architecture
        /// The lower half of an argument; most are no longer than that.
        case argument(Int)
        case upperHalf(Int)

        /// Offsets in `struct seccomp_data`, on machines that put the lower half first, as all do that we run on.
        var offset: UInt32 {
            switch self {
            case .call: 0
            case .architecture: 4
            case .argument(let index): 16 + 8 * UInt32(index)
            case .upperHalf(let index): 20 + 8 * UInt32(index)
            }
        }
    }

    /// What is done about a call.
    public enum Verdict: Equatable, Sendable {
        case allow
        /// The call fails with this number.
        case fail(Int32)
        /// The process ends.
        case kill

        var operand: UInt32 {
            switch self {
            case .allow: 0x7FFF_0000
            case .fail(let number): 0x0005_0000 | UInt32(number)
            case .kill: 0x8000_0000
            }
        }
    }
}
