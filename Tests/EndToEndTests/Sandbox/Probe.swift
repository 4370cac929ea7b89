// Makes a server try what it must not be able to do, without any code in the server: a library that is loaded into its process
// and, on a signal, tries everything with the privileges that the server has left.

import Foundation
import Testing

/// The library, built for one test.
struct Probe {
    private let folder: Folder
    private let library: String
    private var report: String { "\(folder.path)/report" }

    /// Loads the library into a server.
    var environment: [String: String] {
        ["LD_PRELOAD": library, "PROBE_REPORT": report].merging(outside.environment) { $1 }
    }
    /// What the server must not be able to do.
    let outside: Outside

    init() throws {
        folder = try Folder()
        outside = try Outside(in: folder.path)
        library = try folder.library(Probe.source)
        try folder.write("report", "")
    }

    /// Makes the server try it, and returns the result of each attempt: 0 or the error number.
    /// - Parameter process: the server, or a manager.
    func outcomes(in server: RunningServer, process: Int32? = nil) throws -> [String: Int32] {
        kill(process ?? server.serverIdentifier, SIGWINCH)
        // Waits for the last line, which may come from a program that replaced the server and has ended.
        var lines: [Substring] = []
        let isOver = try eventually {
            let isRunning = server.process.isRunning
            lines = try folder.read("report").split(separator: "\n")
            return lines.last == "end" || !isRunning
        }
        try #require(isOver)
        guard lines.last == "end" else { return [:] }
        let pairs = lines.dropLast().map { $0.split(separator: " ") }
        return Dictionary(uniqueKeysWithValues: pairs.map { (String($0[0]), Int32($0[1]) ?? -1) })
    }
}
