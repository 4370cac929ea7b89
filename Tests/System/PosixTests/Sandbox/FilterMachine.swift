// The kernel's half of a filter, as seccomp(2) and BPF describe it: runs a program on a call.

import Posix

/// A system call as a filter sees it.
struct FilteredCall {
    var number: UInt32
    var architecture: UInt32
    var arguments: [UInt64] = []

    /// A word of the kernel's record of the call.
    func word(at offset: UInt32) -> UInt32? {
        switch offset {
        case 0: return number
        case 4: return architecture
        case 16..<64 where offset % 4 == 0:
            let index = Int(offset - 16) / 8
            let argument = index < arguments.count ? arguments[index] : 0
            return UInt32(truncatingIfNeeded: offset % 8 == 0 ? argument : argument >> 32)
        default: return nil
        }
    }
}

enum FilterMachine {
    /// The program's result, or nil if the kernel would reject the program: a jump out of it, or no end.
    static func run(_ program: [FilterInstruction], on call: FilteredCall) -> UInt32? {
        var accumulator: UInt32 = 0
        var position = 0
        while position < program.count {
            let instruction = program[position]
            position += 1
            func jump(_ holds: Bool) { position += Int(holds ? instruction.skipIfTrue : instruction.skipIfFalse) }
            switch FilterInstruction.Code(rawValue: instruction.code) {
            case .load:
                guard let word = call.word(at: instruction.operand) else { return nil }
                accumulator = word
            case .jumpIfEqual: jump(accumulator == instruction.operand)
            case .jumpIfAtLeast: jump(accumulator >= instruction.operand)
            case .jumpIfAny: jump(accumulator & instruction.operand != 0)
            case .end: return instruction.operand
            case nil: return nil
            }
        }
        return nil
    }
}
