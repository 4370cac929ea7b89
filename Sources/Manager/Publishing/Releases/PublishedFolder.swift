// The live releases on this node, in `published` of the state directory, where the server reads them. A tenant's folder is exchanged as a
// whole, so the server sees a release or the one before it, and nothing in between. What was applied is remembered beside it: a node that
// was away continues there, and one that finds another history compares everything. `retired` has what releases have taken away since the
// server was last known to have read one.

public import Posix

/// Used by one thread.
public struct PublishedFolder {
    let path: String

    /// How far this node has applied the feed.
    struct Position: Equatable {
        var seq: Int64 = 0
        /// The last entry of the audit log then, whose digest identifies the history of the database up to there.
        var entry: Int64 = 0
        var digest = ""
    }

    public init(_ statePath: String) throws(SystemError) {
        path = "\(statePath)/published"
        for folder in ["", "/apps", "/retired", "/served"].map({ path + $0 }) { try Directory.createPrivate(folder) }
    }

    var position: Position {
        guard let bytes = try? File.read("\(path)/position", bytesMax: 1_024).bytes else { return Position() }
        let parts = String(decoding: bytes, as: UTF8.self).split { $0.isWhitespace }
        guard parts.count == 3, let seq = Int64(parts[0]), let entry = Int64(parts[1]) else { return Position() }
        return Position(seq: seq, entry: entry, digest: String(parts[2]))
    }

    func remember(_ position: Position) throws(SystemError) {
        try File.replaceDurably("position", in: path, permissions: 0o600) {
            Array("\(position.seq) \(position.entry) \(position.digest)\n".utf8)
        }
    }

    /// Replaces the files of a tenant. What they take away was meant to go, or the release would not be live, so the versions before them
    /// count as retired, beside those that the server may not have missed yet.
    func replace(_ tenant: String, with content: ReleaseContent) throws(SystemError) {
        let before = present(at: "\(path)/apps/\(tenant)")
        if before == content { return }
        let served = "\(path)/served/\(tenant)"
        var retired = File.exists(served) ? ReleaseContent() : present(at: "\(path)/retired/\(tenant)", isMarked: true)
        for (name, bytes) in before.files where content.files[name] != bytes {
            // The server reads no more of a folder. Without the rest, its guard may hold the release, which then is its outcome.
            guard retired.byteCount + bytes.count <= ReleaseContent.bytesMax, retired.files.count < Self.retiredMax
            else { continue }
            retired.files["\(ReleaseContent.digest(bytes).prefix(Self.markCount - 1))-\(name)"] = bytes
        }
        // First what allows the change, then the change.
        try exchange(retired, "\(path)/retired", tenant)
        File.remove(served)
        try exchange(content, "\(path)/apps", tenant)
    }

    private static let retiredMax = 4 * ReleaseContent.filesMax
    /// Before the name of a retired file, of which there may be several versions.
    private static let markCount = 17

    /// Notes that the server serves what is here, so it will not miss what was here before.
    func noteServed(_ tenant: String) throws(SystemError) {
        try File.replaceDurably(tenant, in: "\(path)/served", permissions: 0o600) { [] }
    }

    private func exchange(_ content: ReleaseContent, _ folder: String, _ tenant: String) throws(SystemError) {
        // The server reads no names with a dot. The sandbox moves nothing to another folder.
        let (place, draft) = ("\(folder)/\(tenant)", "\(folder)/.\(tenant)")
        Self.remove(draft)
        if content.files.isEmpty {
            if Directory.exists(place) { try Directory.exchange(place, draft) }
        } else {
            try Directory.create(draft, permissions: 0o700)
            for (name, bytes) in content.files {
                try File.replaceDurably(name, in: draft, permissions: 0o600) { bytes }
            }
            try Directory.exchange(draft, place)
        }
        Self.remove(draft)
    }

    private func present(at place: String, isMarked: Bool = false) -> ReleaseContent {
        var content = ReleaseContent()
        for entry in (try? Directory.entries(place)) ?? []
        where ReleaseContent.isName(String(entry.name.dropFirst(isMarked ? Self.markCount : 0))) {
            content.files[entry.name] =
                (try? File.read("\(place)/\(entry.name)", bytesMax: ReleaseContent.fileBytesMax).bytes) ?? []
        }
        return content
    }

    private static func remove(_ folder: String) {
        for entry in (try? Directory.entries(folder)) ?? [] { File.remove("\(folder)/\(entry.name)") }
        Directory.remove(folder)
    }
}
