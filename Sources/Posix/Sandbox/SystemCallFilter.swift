// Which calls a process may make of the kernel from now on. What is named may be made, some only with certain arguments;
// some that no server makes but that those who take one over want are refused in so many words (EPERM); every other call is
// one that this kernel does not have (ENOSYS), which is what libraries expect of older ones and know how to do without.
// A refused call is an error for whoever made it and no end of the service.

import CLinux
import Glibc

/// A filter for the system calls of a process, as data.
public struct SystemCallFilter: Sendable {
    /// What is done about one call.
    public struct Rule: Sendable {
        public var call: Int32
        /// The call is the rule's when all conditions of one of these hold.
        public var alternatives: [[Condition]]
        /// What is done then.
        public var verdict: FilterInstruction.Verdict
        /// What is done otherwise.
        public var otherwise: FilterInstruction.Verdict

        init(
            call: Int32, anyOf alternatives: [[Condition]], verdict: FilterInstruction.Verdict = .allow,
            otherwise: FilterInstruction.Verdict = .fail(EPERM)
        ) {
            (self.call, self.alternatives) = (call, alternatives)
            (self.verdict, self.otherwise) = (verdict, otherwise)
        }

        init(
            call: Int32, conditions: [Condition] = [], verdict: FilterInstruction.Verdict = .allow,
            otherwise: FilterInstruction.Verdict = .fail(EPERM)
        ) {
            self.init(call: call, anyOf: [conditions], verdict: verdict, otherwise: otherwise)
        }
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

    /// What follows when the call is the rule's: each alternative with its verdict, then what is done otherwise. Every way
    /// through it ends the program, so the argument that was loaded in place of the call's number disturbs nothing.
    private static func steps(_ rule: Rule) -> [FilterInstruction] {
        rule.alternatives.flatMap { conditions in
            var steps = [FilterInstruction(.end, rule.verdict.operand)]
            // From the last to the first, because each has to know how far it is to the next alternative.
            for condition in conditions.reversed() { steps = test(condition, elseSkip: steps.count) + steps }
            return steps
        } + [FilterInstruction(.end, rule.otherwise.operand)]
    }

    /// Goes on behind itself where the condition holds, and so many instructions further where it does not.
    private static func test(_ condition: Condition, elseSkip count: Int) -> [FilterInstruction] {
        func load(_ place: FilterInstruction.Place) -> FilterInstruction { FilterInstruction(.load, place.offset) }
        let count = UInt8(count)
        switch condition {
        case .isOne(let values, let argument):
            let last = values.count - 1
            return [load(.argument(argument))]
                + values.enumerated().map { index, value in
                    FilterInstruction(
                        .jumpIfEqual, value, skipIfTrue: UInt8(last - index), skipIfFalse: index == last ? count : 0)
                }
        case .isZero(let argument):
            return [
                load(.argument(argument)), FilterInstruction(.jumpIfEqual, 0, skipIfFalse: count + 2),
                load(.upperHalf(argument)), FilterInstruction(.jumpIfEqual, 0, skipIfFalse: count),
            ]
        case .hasAny(let bits, let argument):
            return [load(.argument(argument)), FilterInstruction(.jumpIfAny, bits, skipIfFalse: count)]
        case .hasNone(let bits, let argument):
            return [load(.argument(argument)), FilterInstruction(.jumpIfAny, bits, skipIfTrue: count)]
        }
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
