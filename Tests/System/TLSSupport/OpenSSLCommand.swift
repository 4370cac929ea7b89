// The openssl command, with which users create certificates and check this project's.

import TestSupport

struct OpenSSLCommand {
    var status: Int32
    var output: [UInt8]

    struct Failure: Error, CustomStringConvertible { var description: String }

    /// Runs it in a folder; throws its error output if it fails.
    @discardableResult
    static func run(_ arguments: String..., input: [UInt8] = [], in folder: TemporaryFolder) throws -> OpenSSLCommand {
        try run(arguments, input: input, in: folder)
    }

    @discardableResult
    static func run(_ arguments: [String], input: [UInt8] = [], in folder: TemporaryFolder) throws -> OpenSSLCommand {
        let result = try attempt(arguments, input: input, in: folder)
        guard result.status == 0 else {
            throw Failure(description: "openssl \(arguments.joined(separator: " ")): \(result.text)")
        }
        return result
    }

    /// Standard error is part of the output unless it succeeds.
    static func attempt(_ arguments: [String], input: [UInt8] = [], in folder: TemporaryFolder) throws -> OpenSSLCommand
    {
        let result = try Command(["openssl"] + arguments, input: input, in: folder.path).run()
        return OpenSSLCommand(
            status: result.status, output: result.status == 0 ? result.bytes : result.bytes + Array(result.errors.utf8))
    }

    var text: String { String(decoding: output, as: UTF8.self) }
}
