// Programs of this machine, such as curl and openssl, run to their end.

import Foundation

/// A program and its arguments; the program is looked up in PATH unless it is a path.
package struct Command {
    private let words: [String]
    private let input: [UInt8]
    /// The working directory; nil for an empty one.
    private let folder: String?
    /// Nil for that of this process.
    private let environment: [String: String]?

    package struct Result: Sendable {
        package var status: Int32
        /// Standard output.
        package var bytes: [UInt8]
        package var errors: String

        package var output: String { String(decoding: bytes, as: UTF8.self) }

        /// Everything that it wrote.
        package var text: String { output + errors }
    }

    package init(_ words: [String], input: [UInt8] = [], in folder: String? = nil, environment: [String: String]? = nil)
    {
        self.words = words
        self.input = input
        self.folder = folder
        self.environment = environment
    }

    package func run() throws -> Result {
        let scratch = try TemporaryFolder()
        func file(_ name: String, _ bytes: [UInt8] = []) throws -> FileHandle {
            try FileHandle(forUpdating: URL(fileURLWithPath: try scratch.write(name, bytes)))
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: words[0].hasPrefix("/") ? words[0] : "/usr/bin/env")
        process.arguments = words[0].hasPrefix("/") ? Array(words.dropFirst()) : words
        process.currentDirectoryURL = URL(fileURLWithPath: folder ?? scratch.path)
        if let environment { process.environment = environment }
        // Files, because several pipes would have to be served at the same time.
        process.standardInput = input.isEmpty ? FileHandle.nullDevice : try file("input", input)
        process.standardOutput = try file("output")
        process.standardError = try file("errors")
        try process.run()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus, bytes: try scratch.bytes("output"), errors: try scratch.read("errors"))
    }
}
