// Which calls a process may make of the kernel from now on. What is named may be made, some only with certain arguments;
// some that no server makes but that those who take one over want are refused in so many words (EPERM); every other call is
// one that this kernel does not have (ENOSYS), which is what libraries expect of older ones and know how to do without.
// A refused call is an error for whoever made it and no end of the service.

import CLinux
import Glibc

/// A filter for the system calls of a process, as data.
public struct SystemCallFilter: Sendable {
    /// Calls that are allowed under conditions, or refused by name.
    public struct Rule: Sendable {
        public var call: Int32
        /// All of them have to hold.
        public var conditions: [Condition] = []
        /// What is done where they do.
        public var verdict = FilterInstruction.Verdict.allow
        /// What is done where one does not.
        public var otherwise = FilterInstruction.Verdict.fail(EPERM)
    }

    /// What is asked of an argument, by its position.
    public enum Condition: Equatable, Sendable {
        /// The lower half is one of these.
        case isOne(of: [UInt32], argument: Int)
        /// Nothing at all, or a null pointer.
        case isZero(argument: Int)
        case hasAny(UInt32, argument: Int)
        case hasNone(UInt32, argument: Int)
    }

    public var rules: [Rule]

    public init(rules: [Rule]) { self.rules = rules }

    /// Whether there is a filter for this kind of machine.
    public static var isSupported: Bool { associated_architecture() != 0 }

    /// Calls of the other kind of program on the same processor have numbers from here on (x32).
    private static let foreignCalls: UInt32 = 0x4000_0000

    /// The program: for each call in the order of the rules, a comparison and what follows from it.
    public var program: [FilterInstruction] {
        var program = [
            FilterInstruction(.load, FilterInstruction.Place.architecture.offset),
            // Numbers of another architecture would mean other calls.
            FilterInstruction(.jumpIfEqual, associated_architecture(), skipIfTrue: 1),
            FilterInstruction(.end, FilterInstruction.Verdict.kill.operand),
            FilterInstruction(.load, FilterInstruction.Place.call.offset),
            FilterInstruction(.jumpIfAtLeast, SystemCallFilter.foreignCalls, skipIfFalse: 1),
            FilterInstruction(.end, FilterInstruction.Verdict.fail(ENOSYS).operand),
        ]
        for rule in rules {
            let steps = SystemCallFilter.steps(rule)
            program.append(
                FilterInstruction(.jumpIfEqual, UInt32(rule.call), skipIfFalse: UInt8(steps.count)))
            program += steps
        }
        program.append(FilterInstruction(.end, FilterInstruction.Verdict.fail(ENOSYS).operand))
        return program
    }

    /// What follows when the call is the rule's. Every way through it ends the program, so the argument that was loaded
    /// in place of the call's number is in nobody's way.
    private static func steps(_ rule: Rule) -> [FilterInstruction] {
        let refusal = FilterInstruction(.end, rule.otherwise.operand)
        var steps: [FilterInstruction] = []
        for condition in rule.conditions {
            switch condition {
            case .isOne(let values, let argument):
                steps.append(FilterInstruction(.load, FilterInstruction.Place.argument(argument).offset))
                for (index, value) in values.enumerated() {
                    steps.append(
                        FilterInstruction(.jumpIfEqual, value, skipIfTrue: UInt8(values.count - index)))
                }
                steps.append(refusal)
            case .isZero(let argument):
                for place in [FilterInstruction.Place.argument(argument), .upperHalf(argument)] {
                    steps.append(FilterInstruction(.load, place.offset))
                    steps.append(FilterInstruction(.jumpIfEqual, 0, skipIfTrue: 1))
                    steps.append(refusal)
                }
            case .hasAny(let bits, let argument):
                steps.append(FilterInstruction(.load, FilterInstruction.Place.argument(argument).offset))
                steps.append(FilterInstruction(.jumpIfAny, bits, skipIfTrue: 1))
                steps.append(refusal)
            case .hasNone(let bits, let argument):
                steps.append(FilterInstruction(.load, FilterInstruction.Place.argument(argument).offset))
                steps.append(FilterInstruction(.jumpIfAny, bits, skipIfFalse: 1))
                steps.append(refusal)
            }
        }
        steps.append(FilterInstruction(.end, rule.verdict.operand))
        return steps
    }

    /// Puts the filter in force, for all threads of the process. Needs `Privileges.forbidGaining`.
    /// The corresponding C function is `seccomp` with `SECCOMP_SET_MODE_FILTER`.
    public func install() throws(SystemError) {
        let program = program
        // For all threads, or for none. And without the kernel's precautions against programs that read their own secrets by
        // guessing wrong (SECCOMP_FILTER_FLAG_SPEC_ALLOW), which are meant for those that run other people's code.
        let flags: UInt32 = 1 | 4
        let result = program.withUnsafeBytes {
            associated_filter_calls($0.baseAddress, UInt16(program.count), flags)
        }
        guard result == 0 else {
            throw result > 0 ? SystemError(call: "seccomp", number: EBUSY) : .last("seccomp")
        }
    }
}
