// Why a command does not go on, as something to throw: one line for the person, and how the program ends.

/// A command that is not carried out.
struct Refusal: Error {
    let message: String
    private let isUsage: Bool

    /// The command line is wrong.
    static func usage(_ message: String) -> Refusal { Refusal(message: message, isUsage: true) }

    /// Something that was asked for cannot be done.
    static func failure(_ message: String) -> Refusal { Refusal(message: message, isUsage: false) }

    /// Says it.
    var status: ExitStatus { isUsage ? .usage(saying: message) : .failure(saying: message) }
}
