// How a process of the program ends, and why.

/// The exit status of the program; the values are part of its interface.
public enum ExitStatus: Int32 {
    case success = 0
    /// A check failed, or the command could not do its work.
    case failure = 1
    /// The command line is wrong.
    case usage = 2
}

/// Why a command fails: one line for the user, and the exit status.
public struct Refusal: Error, CustomStringConvertible {
    public let message: String
    public let isUsage: Bool

    /// The command line is wrong.
    public static func usage(_ message: String) -> Refusal { Refusal(message: message, isUsage: true) }

    /// The command cannot do its work.
    public static func failure(_ message: String) -> Refusal { Refusal(message: message, isUsage: false) }

    public var description: String { message }
}

extension ExitStatus {
    public static func usage(saying message: String) -> ExitStatus {
        Console.complain(message)
        return .usage
    }

    public static func failure(saying message: String) -> ExitStatus {
        Console.complain(message)
        return .failure
    }
}

extension Refusal {
    /// Reports the message; returns the exit status.
    public var status: ExitStatus { isUsage ? .usage(saying: message) : .failure(saying: message) }
}
