// The program as it was built, run as users run it. Every file of these tests uses TestSupport, so this one imports it for all.

import Foundation
import Glibc
import Posix
@_exported import TestSupport
import Testing

typealias Run = Command.Result
typealias Folder = TemporaryFolder

extension Run {
    /// The events of a server's log, without their times and levels.
    var messages: [String] { errors.split(separator: "\n").map { Subject.message(String($0)) } }
}

enum Subject {
    /// In the directory of the test bundle.
    static let executable: URL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("associated")

    /// The environment of programs: only the variables of `script/sanitize` and `script/mutate`.
    static let environment = {
        let ours = ProcessInfo.processInfo.environment
        // A sanitizer in a sandbox cannot look up function names, so it cannot apply its list of exceptions.
        let sandbox = ours["ASSOCIATED_SANITIZER"] == nil ? [:] : ["ASSOCIATED_SANDBOX": "off"]
        let kept = ours.filter { $0.key.hasSuffix("SAN_OPTIONS") || $0.key == "SEEDED_FAULT" }
        return kept.merging(["PATH": "/usr/bin:/bin"]) { $1 }.merging(sandbox) { $1 }
    }()

    /// Copies the program. Uses another process, because a file that is open for writing cannot be executed, and a file of this
    /// process is open in every process that another test starts meanwhile.
    static func copyExecutable(to path: String) throws {
        let result = try run(URL(fileURLWithPath: "/bin/cp"), [executable.path, path])
        try #require(result.status == 0, "\(result.errors)")
    }

    /// Runs the program to its end.
    static func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Run {
        try run(executable, arguments, environment)
    }

    static func run(_ arguments: [String]) throws -> Run { try run(executable, arguments, [:]) }

    /// A line of a server's log without its time and level; other lines as they are.
    static func message(_ line: String) -> String {
        let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].hasSuffix("Z"), ["info", "warning", "error"].contains(parts[1]) else {
            return line
        }
        return String(parts[2])
    }

    static func shell(_ line: String, _ environment: [String: String] = [:]) throws -> Run {
        try run(URL(fileURLWithPath: "/bin/sh"), ["-c", line], environment)
    }

    /// Runs curl to its end.
    static func curl(_ arguments: [String]) throws -> Run {
        try run(URL(fileURLWithPath: "/usr/bin/env"), ["curl", "--silent", "--max-time", "20"] + arguments, [:])
    }

    static func run(_ program: URL, _ arguments: [String], _ environment: [String: String] = [:]) throws -> Run {
        try Command([program.path] + arguments, environment: Subject.environment.merging(environment) { _, new in new })
            .run()
    }
}

extension TemporaryFolder {
    /// A small app file for a host, whose document contains the version.
    static func app(_ host: String, _ version: String = "one", _ more: String = "") -> String {
        """
        { name: "App", guard: "off", hosts: ["\(host)"], ios: { appIDs: ["8KQ2V7M4XN.dev.associated.app"] },
          links: [{ "/": "/\(version)/?*" }]\(more) }
        """
    }

    /// With the app file of a host.
    convenience init(serving host: String) throws {
        try self.init()
        try writeApp(host)
    }

    convenience init(files: [String: String]) throws {
        try self.init()
        for (name, text) in files { try write(name, text) }
    }

    /// Writes the app file of a host, which is named after the first label.
    func writeApp(_ host: String = "a.example", _ version: String = "one", _ more: String = "") throws {
        try write("config/apps/\(host.prefix { $0 != "." }).json", Self.app(host, version, more))
    }

    /// A server with the configuration, pages and state of this folder, on a free port.
    func serve(_ more: String..., environment: [String: String] = [:]) throws -> RunningServer {
        try RunningServer(options + ["--http", "127.0.0.1:0"] + more, environment: environment)
    }

    var options: [String] { ["--config", "\(path)/config", "--public", "\(path)/public", "--state", "\(path)/state"] }

    /// Makes certificates of the development CA in `state`, where the server looks for them.
    func certify(_ hosts: String...) throws {
        let run = try Subject.run(
            ["certificate", "--state", "\(path)/state", "--output", "\(path)/config/hosts"] + hosts)
        try #require(run.status == 0, "\(run.errors)")
    }

    /// Compiles C to a library for `LD_PRELOAD`, and returns its path.
    func library(_ source: String, _ more: String...) throws -> String {
        let run = try Subject.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["clang", "-shared", "-fPIC", "-o", "\(path)/library.so", try write("library.c", source)] + more,
            ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"])
        try #require(run.status == 0, "\(run.errors)")
        return "\(path)/library.so"
    }

    /// Copies folders of the project. Their files may belong to another user, which Foundation would try to keep.
    func copyFromProject(_ names: String...) throws {
        for name in names {
            let source = Peers.root.appendingPathComponent(name).standardizedFileURL.path
            let run = try Subject.run(URL(fileURLWithPath: "/bin/cp"), ["-R", source, path], [:])
            try #require(run.status == 0, "\(run.errors)")
        }
    }

    /// An empty file that a program can write to.
    func create(_ name: String) throws -> FileHandle {
        try FileHandle(forWritingTo: URL(fileURLWithPath: try write(name, "")))
    }
}

/// A server in a process of its own, ended by its process id with the test.
final class RunningServer {
    let process = Process()
    private let errors = Pipe()
    private let ended = DispatchSemaphore(value: 0)
    /// Its working directory; a server's `state` must not be shared between tests.
    private let folder: Folder
    /// What it has logged so far, up to `ready`.
    private(set) var announcements: [String] = []
    /// Everything of its log that has been read.
    private(set) var log: [UInt8] = []

    /// Starts `associated serve` and waits until it is ready or has exited.
    convenience init(_ arguments: [String], environment: [String: String] = [:]) throws {
        try self.init(command: [Subject.executable.path, "serve"] + arguments, environment: environment, input: nil)
    }

    /// Starts it through another program with a standard input.
    init(command: [String], environment: [String: String], input: FileHandle?) throws {
        folder = try Folder()
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        if let input { process.standardInput = input }
        process.environment = Subject.environment.merging(environment) { _, new in new }
        process.standardError = errors
        process.terminationHandler = { [ended] _ in ended.signal() }
        try process.run()
        while let line = nextLine() {
            announcements.append(line)
            if line == "ready" { return }
        }
        Issue.record("the server did not start: \(announcements)")
    }

    /// The announced addresses, as URLs.
    var addresses: [String] {
        announcements.filter { $0.hasPrefix("listening on ") }.map { String($0.dropFirst("listening on ".count)) }
    }

    /// The port of the first address.
    var port: String { addresses.first?.split(separator: ":").last.map(String.init) ?? "0" }

    var securePort: String {
        addresses.first { $0.hasPrefix("https://") }?.split(separator: ":").last.map(String.init) ?? "0"
    }

    /// The address of the admin listener, for `--admin`.
    var admin: String {
        let line = addresses.first { $0.hasSuffix(" (admin)") } ?? ""
        return line.replacing(" (admin)", with: "").replacing("http://", with: "")
    }

    func status(_ more: String...) throws -> Run { try Subject.run(["status", "--admin", admin] + more) }

    func connect() throws -> ClientSocket {
        try ClientSocket(to: try #require(SocketAddress("127.0.0.1:\(port)")), timeoutMilliseconds: 20_000)
    }

    /// The body of an answer over plain HTTP.
    func fetch(_ path: String, host: String = "a.example", _ more: String...) throws -> String {
        try Subject.curl(["--header", "Host: \(host)", "http://127.0.0.1:\(port)\(path)"] + more).output
    }

    /// Options of commands that request the files of a host from this server, which has its certificate from `folder`.
    func reach(_ host: String, _ folder: Folder) -> [String] {
        [
            "--ca", "\(folder.path)/state/development-ca.pem", "--resolve", "\(host):80:127.0.0.1:\(port)", "--resolve",
            "\(host):443:127.0.0.1:\(securePort)",
        ]
    }

    /// The message of the next event; nil at the end of the log or after a very long time.
    func nextLine() -> String? { nextRawLine().map(Subject.message) }

    /// The same with its time and level.
    func nextRawLine() -> String? {
        var line: [UInt8] = []
        while hasMore(), let byte = (try? errors.fileHandleForReading.read(upToCount: 1))?.first {
            log.append(byte)
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }

    /// Reads the log to its end, however long the server says nothing.
    func skipLog() { log += (try? errors.fileHandleForReading.readToEnd()).map(Array.init) ?? [] }

    /// Waits until there is something to read or the end is reached.
    private func hasMore() -> Bool {
        var events = pollfd(fd: errors.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
        if poll(&events, 1, Int32(RunningServer.patience * 1000)) == 1 { return true }
        Issue.record("the server says nothing any more")
        return false
    }

    var processIdentifier: Int32 { process.processIdentifier }

    /// The process that serves, which is a child of the one that was started; 0 when there is none. Of several, the latest.
    var serverIdentifier: Int32 { children.last { $0.role == "server" }?.number ?? 0 }

    /// A process is told at its start what it is. Before, it is none of the two; later, it may keep that to itself, and has its name.
    private var children: [(number: Int32, role: Substring)] {
        func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
        return text("/proc/\(processIdentifier)/task/\(processIdentifier)/children").split(separator: " ").compactMap {
            let environment = text("/proc/\($0)/environ")
            let told = environment.firstMatch(of: #/ASSOCIATED_INHERITED=\d+ ([a-z]+) /#)?.1 ?? ""
            let name: Substring = text("/proc/\($0)/comm") == "manager\n" ? "manager" : "server"
            return Int32($0).map { ($0, environment.isEmpty ? name : told) }
        }
    }

    /// A value of the server's memory, such as `VmRSS`.
    func kilobytes(_ name: String) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(serverIdentifier)/status", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix("\(name):") }
        return try #require(line.flatMap { Int($0.filter(\.isNumber)) })
    }

    /// The manager beside the server; nil when there is none.
    var managerIdentifier: Int32? { children.first { $0.role == "manager" }?.number }

    /// The next line that begins with a text; nil when none will come.
    func line(beginning text: String) -> String? {
        while let line = nextLine() { if line.hasPrefix(text) { return line } }
        return nil
    }

    /// The next line with a text; nil when none will come.
    func line(containing text: String) -> String? {
        while let line = nextLine() { if line.contains(text) { return line } }
        return nil
    }

    func send(_ signal: Int32) { kill(processIdentifier, signal) }

    /// Ends it with SIGTERM, as systemd does.
    func stop(sourceLocation: SourceLocation = #_sourceLocation) {
        send(SIGTERM)
        #expect(waitUntilExit() == 0, sourceLocation: sourceLocation)
    }

    func waitUntilExit() -> Int32 {
        if ended.wait(timeout: .now() + .seconds(RunningServer.patience)) == .timedOut {
            Issue.record("the server does not end")
            send(SIGKILL)
        }
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Seconds: far more than a busy machine needs.
    private static let patience = 60

    deinit {
        if process.isRunning {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }
}
