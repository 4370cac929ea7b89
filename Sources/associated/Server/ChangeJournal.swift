// Records which hosts changed and when: one line of JSON in the state directory for each, with the entries that were added or
// removed. Written after the change is published, so no change waits for it. `associated history` reads it; the server does not.

import Association
import Catalogue
import Hosting
import Posix
import SourceJSON

struct ChangeJournal: Sendable {
    static let name = "history.jsonl"
    /// Above this size, the older half is removed.
    static let bytesMax = 8 << 20
    /// How many hosts of one round get a line of their own.
    static let hostsOfRoundMax = 1_000

    let folder: String

    /// An event of a host or of the server.
    struct Entry: Equatable {
        /// As `2026-11-22T13:40:06Z`, so that lines sort by time.
        var time: String
        /// Nil for an event of the server.
        var host: String?
        /// `new`, `changed` or `removed` for a host; `started` or `more` for the server.
        var event: String
        var documents: [Document] = []
        var pages = 0
        /// For an event of the server.
        var hosts = 0

        struct Document: Equatable {
            var path: String
            var before: String?
            var after: String?
            var what: [String] = []
        }
    }

    func began(_ loaded: RoundReport) throws(SystemError) {
        let now = Clock.wallSeconds()
        try append([Entry(time: Log.time(seconds: now), event: "started", hosts: loaded.hostCount)])
        // Changes while no process ran; the versions before are not known.
        try note(loaded.changes, from: loaded.catalogue, to: loaded.catalogue, atSeconds: now)
    }

    func note(
        _ changes: [HostChange], from old: Catalogue, to new: Catalogue, atSeconds now: Int64
    ) throws(SystemError) {
        if changes.isEmpty { return }
        let time = Log.time(seconds: now)
        var entries = changes.prefix(ChangeJournal.hostsOfRoundMax).map { ChangeJournal.entry($0, time, old, new) }
        if changes.count > entries.count {
            entries.append(Entry(time: time, event: "more", hosts: changes.count - entries.count))
        }
        try append(entries)
    }

    private static func entry(_ change: HostChange, _ time: String, _ old: Catalogue, _ new: Catalogue) -> Entry {
        let documents = change.documents.map { document in
            var what: [String] = []
            if document.before != nil, document.after != nil,
                let before = old.body(of: change.host, path: document.path),
                let after = new.body(of: change.host, path: document.path)
            {
                what = DocumentChange.words(from: before, to: after)
            }
            return Entry.Document(path: document.path, before: document.before, after: document.after, what: what)
        }
        return Entry(
            time: time, host: change.host, event: change.kind.rawValue, documents: documents, pages: change.pageCount)
    }

    private func append(_ entries: [Entry]) throws(SystemError) {
        let path = "\(folder)/\(ChangeJournal.name)"
        let lines = entries.flatMap { SourceWriter.minified($0.value) + [UInt8(ascii: "\n")] }
        if let status = try? File.status(path), Int(status.byteCount) + lines.count > ChangeJournal.bytesMax,
            let known = try? File.read(path, bytesMax: .max - 1).bytes
        {
            let half = known.suffix(ChangeJournal.bytesMax / 2)
            let rest = half.count == known.count ? half : half.drop { $0 != UInt8(ascii: "\n") }.dropFirst()
            try File.replaceDurably(ChangeJournal.name, in: folder, permissions: 0o640, contents: { rest + lines })
        } else {
            try File.append(lines, to: path)
        }
    }

    /// All entries, the oldest first, without lines that cannot be read.
    func entries() throws(FileError) -> [Entry] {
        let bytes = try File.read("\(folder)/\(ChangeJournal.name)", bytesMax: ChangeJournal.bytesMax * 2).bytes
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            SourceReader.read(Array(line), as: .json).value.flatMap { Entry($0) }
        }
    }
}

extension ChangeJournal.Entry {
    var value: SourceValue {
        var members: [(String, SourceValue)] = [("time", .string(time)), ("event", .string(event))]
        guard let host else { return .object(members + [("hosts", .integer(hosts))]) }
        members.append(("host", .string(host)))
        if !documents.isEmpty { members.append(("documents", .array(documents.map(\.value)))) }
        if pages > 0 { members.append(("pages", .integer(pages))) }
        return .object(members)
    }

    init?(_ value: SourceValue) {
        guard let time = value.member(named: "time")?.asString, let event = value.member(named: "event")?.asString
        else {
            return nil
        }
        self.init(
            time: time, host: value.member(named: "host")?.asString, event: event,
            documents: (value.member(named: "documents")?.asArray ?? []).map { Document($0) },
            pages: value.member(named: "pages")?.asInt ?? 0, hosts: value.member(named: "hosts")?.asInt ?? 0)
    }

    /// One line for `associated history`.
    var text: String {
        guard let host else {
            let hosts = Count.of(hosts, "host")
            return "\(time)  \(event == "started" ? "server started with \(hosts)" : "\(hosts) more changed")"
        }
        var parts = documents.map(\.text)
        if pages > 0 { parts.append(Count.of(pages, "page")) }
        let all = parts.isEmpty && event == "changed" ? "landing page" : parts.joined(separator: "; ")
        return "\(time)  \(host)  \(event)\(all.isEmpty ? "" : ": \(all)")"
    }
}

extension ChangeJournal.Entry.Document {
    fileprivate var value: SourceValue {
        .object([
            ("path", .string(path)), ("before", before.map { .string($0) } ?? .null),
            ("after", after.map { .string($0) } ?? .null), ("what", .array(what.map { .string($0) })),
        ])
    }

    fileprivate init(_ value: SourceValue) {
        self.init(
            path: value.member(named: "path")?.asString ?? "", before: value.member(named: "before")?.asString,
            after: value.member(named: "after")?.asString,
            what: (value.member(named: "what")?.asArray ?? []).compactMap(\.asString))
    }

    fileprivate var text: String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        guard let after else { return "\(name) removed" }
        guard before != nil else { return "\(name) added" }
        return what.isEmpty ? "\(name) changed to \(after)" : "\(name): \(what.joined(separator: ", "))"
    }
}
