// The openssl command, with which users create certificates and check this project's.

import Foundation

struct OpenSSLCommand {
    var status: Int32
    var output: [UInt8]

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// Runs it in a folder; throws its error output if it fails.
    @discardableResult
    static func run(_ arguments: String..., input: [UInt8] = [], in folder: TemporaryFolder) throws -> OpenSSLCommand {
        let result = try attempt(arguments, input: input, in: folder)
        guard result.status == 0 else {
            throw Failure(description: "openssl \(arguments.joined(separator: " ")): \(result.text)")
        }
        return result
    }

    /// Standard error is part of the output unless it succeeds.
    static func attempt(
        _ arguments: [String], input: [UInt8] = [], in folder: TemporaryFolder
    ) throws -> OpenSSLCommand {
        let process = Process()
        let (output, complaints, source) = (Pipe(), Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        process.standardInput = source
        process.standardOutput = output
        process.standardError = complaints
        try process.run()
        // Less than a pipe's capacity, so this does not wait for the reader.
        try source.fileHandleForWriting.write(contentsOf: Data(input))
        try source.fileHandleForWriting.close()
        var bytes = Array(try output.fileHandleForReading.readToEnd() ?? Data())
        let errors = Array(try complaints.fileHandleForReading.readToEnd() ?? Data())
        process.waitUntilExit()
        if process.terminationStatus != 0 { bytes += errors }
        return OpenSSLCommand(status: process.terminationStatus, output: bytes)
    }

    var text: String { String(decoding: output, as: UTF8.self) }
}
