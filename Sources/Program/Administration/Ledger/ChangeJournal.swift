// Records which hosts changed and when: one line of JSON in the state directory for each, with the entries that were added or
// removed. Written after the change is published, so no change waits for it; what cannot be written is kept for the next attempt.
// `associated history` reads it, and the delivery monitor, to which it is evidence: so no tenant can push out what others need.

import Association
public import Posix
import SourceJSON
import Synchronization
import Tenancy

public final class ChangeJournal: Sendable {
    public static let name = "history.jsonl"
    /// Above this size, half of it is removed: the oldest entries of the tenants that have the most.
    public static let bytesMax = 8 << 20
    /// How many hosts of one round get a line of their own.
    public static let hostsOfRoundMax = 1_000

    public let folder: String
    private let bytesMax: Int
    /// What writing needs, if anything.
    private let lock: LateLock?
    /// The latest entries that could not be written.
    private let unwritten = Mutex<[Entry]>([])

    /// An event of a host or of the server.
    public struct Entry: Equatable, Sendable {
        /// As `2026-11-22T13:40:06Z`, so that lines sort by time.
        public var time: String
        /// Nil for an event of the server.
        public var host: String?
        /// The first folder below `config/apps` of the host's app file, which is its tenant. Nil if it has none.
        public var folder: String?
        /// `new`, `changed` or `removed` for a host; `started`, `more` or `set aside` for the server.
        public var event: String
        /// The state of another configuration was set aside, and these hosts of it are not served.
        public static let setAside = "set aside"
        public var documents: [Document] = []
        public var pages = 0
        /// For an event of the server.
        public var hosts = 0

        public init(
            time: String, host: String? = nil, folder: String? = nil, event: String, documents: [Document] = [],
            pages: Int = 0, hosts: Int = 0
        ) {
            (self.time, self.event) = (time, event)
            (self.host, self.folder) = (host, folder)
            self.documents = documents
            (self.pages, self.hosts) = (pages, hosts)
        }

        public struct Document: Equatable, Sendable {
            public var path: String
            public var before: String?
            public var after: String?
            public var what: [String] = []

            public init(path: String, before: String? = nil, after: String? = nil, what: [String] = []) {
                self.path = path
                (self.before, self.after) = (before, after)
                self.what = what
            }
        }
    }

    public init(folder: String, bytesMax: Int = ChangeJournal.bytesMax, lock: LateLock? = nil) {
        (self.folder, self.bytesMax, self.lock) = (folder, bytesMax, lock)
    }

    /// Writes entries, after those that could not be written before.
    public func append(_ entries: [Entry]) throws(SystemError) {
        let before = unwritten.exchange([])
        let all = before + entries
        if all.isEmpty { return }
        do throws(SystemError) {
            // The failed attempt may have left a part of a line.
            try write((before.isEmpty ? [] : [UInt8(ascii: "\n")]) + all.flatMap(\.line))
        } catch {
            unwritten.withLock { $0 = all.suffix(ChangeJournal.hostsOfRoundMax) }
            throw error
        }
    }

    private func write(_ lines: [UInt8]) throws(SystemError) {
        try lock?.claim()
        let path = "\(folder)/\(ChangeJournal.name)"
        let known = Int((try? File.status(path))?.byteCount ?? 0)
        let isFull = known + lines.count > bytesMax
        // Nothing is removed of what cannot be read.
        guard isFull, let bytes = known == 0 ? [] : try? File.read(path, bytesMax: .max - 1).bytes else {
            return try File.append(lines, to: path)
        }
        let kept = ChangeJournal.shortened(bytes + lines, to: bytesMax / 2)
        try File.replaceDurably(ChangeJournal.name, in: folder, permissions: 0o640, contents: { kept })
    }

    /// The lines that fit: of each tenant the latest, and as many bytes as of any other.
    private static func shortened(_ bytes: [UInt8], to bytesMax: Int) -> [UInt8] {
        let lines = bytes.split(separator: UInt8(ascii: "\n")).reversed().map { line in
            let entry = SourceReader.read(Array(line), as: .json).value.flatMap { Entry($0) }
            return (line: line, tenant: entry?.host.map { TenantID(of: $0, folder: entry?.folder) } ?? .operator)
        }
        let kept = FairShare.fitting(lines, room: bytesMax, tenant: \.tenant) { $0.line.count + 1 }
        return kept.reversed().flatMap { $0.line + [UInt8(ascii: "\n")] }
    }

    /// All entries, the oldest first, without lines that cannot be read.
    public func entries() throws(FileError) -> [Entry] {
        let bytes = try File.read("\(folder)/\(ChangeJournal.name)", bytesMax: bytesMax * 2).bytes
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            SourceReader.read(Array(line), as: .json).value.flatMap { Entry($0) }
        }
    }
}

extension ChangeJournal.Entry: JSONRecord {
    package static var blank: Self { Self(time: "", event: "") }
    package static var members: [JSONMember<Self>] {
        [
            .needed("time", \.time), .needed("event", \.event), .sparse("host", \.host), .sparse("folder", \.folder),
            .sparse("documents", \.documents), .sparse("pages", \.pages), .sparse("hosts", \.hosts),
        ]
    }

    public var line: [UInt8] { SourceWriter.minified(jsonValue) + [UInt8(ascii: "\n")] }

    /// One line for `associated history`.
    public var text: String {
        guard let host else {
            let hosts = Count.of(hosts, "host")
            if event == ChangeJournal.Entry.setAside {
                let names = documents.flatMap(\.what)
                let more = self.hosts > names.count ? " and \(self.hosts - names.count) more" : ""
                let path = documents.first?.path ?? ""
                return "\(time)  \(path): state of another configuration set aside; not served: \(hosts)"
                    + (names.isEmpty ? "" : " (\(names.joined(separator: ", "))\(more))")
            }
            return "\(time)  \(event == "started" ? "server started with \(hosts)" : "\(hosts) more changed")"
        }
        var parts = documents.map(\.text)
        if pages > 0 { parts.append(Count.of(pages, "page")) }
        let all = parts.isEmpty && event == "changed" ? "landing page" : parts.joined(separator: "; ")
        return "\(time)  \(host)  \(event)\(all.isEmpty ? "" : ": \(all)")"
    }
}

extension ChangeJournal.Entry.Document: JSONRecord {
    package static var blank: Self { Self(path: "") }
    package static var members: [JSONMember<Self>] {
        [
            .optional("path", \.path), .optional("before", \.before), .optional("after", \.after),
            .optional("what", \.what),
        ]
    }

    fileprivate var text: String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        guard let after else { return "\(name) removed" }
        guard before != nil else { return "\(name) added" }
        return what.isEmpty ? "\(name) changed to \(after)" : "\(name): \(what.joined(separator: ", "))"
    }
}
