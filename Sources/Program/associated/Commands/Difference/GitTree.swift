// Files in a git repository, read by git's own commands for objects. They run no hooks and filters, fetch nothing, and get names on
// their input only, so that no name is taken for an option.

import Association
import Posix
import Supervision

enum GitTree {
    /// The files of `REFERENCE:PATH`.
    static func texts(_ operand: String) throws(Refusal) -> SideTexts {
        guard !operand.utf8.contains(where: { $0 < 0x20 }) else {
            throw .usage("a git reference has control characters")
        }
        let answer = text(try git(["cat-file", "--batch-check"], input: Array("\(operand)\n".utf8), about: operand))
        let words = answer.split(whereSeparator: { $0 == " " || $0 == "\n" })
        guard words.count == 3, let size = Int(words[2]) else {
            throw .failure("git has no \(operand); write a branch, tag or commit, a colon and a path in the repository")
        }
        let id = String(words[0])
        let path = String(operand[operand.index(after: operand.firstIndex(of: ":") ?? operand.startIndex)...])
        switch words[1] {
        case "blob": return SideTexts(file: path, try blobs([Entry(id: id, size: size, path: path)], of: operand)[0])
        case "tree":
            let entries = try entries(of: id, operand)
            let known = Dictionary(entries.map { ($0.path, $0) }) { first, _ in first }
            return try SideTexts(paths: entries.map(\.path)) { paths throws(Refusal) in
                try blobs(paths.compactMap { known[$0] }, of: operand)
            }
        default: throw .failure("\(operand) is neither a file nor a directory")
        }
    }

    private struct Entry {
        var id: String
        var size: Int
        var path: String
    }

    /// The files below a tree, without links and submodules.
    private static func entries(of tree: String, _ operand: String) throws(Refusal) -> [Entry] {
        let list = try git(["ls-tree", "-r", "-z", "-l", "--full-tree", tree], about: operand)
        return list.split(separator: 0).compactMap { line in
            guard let tab = line.firstIndex(of: UInt8(ascii: "\t")) else { return nil }
            let words = text(line[..<tab]).split(separator: " ")
            guard words.count == 4, words[0].hasPrefix("100"), words[1] == "blob", let size = Int(words[3]) else {
                return nil
            }
            return Entry(id: String(words[2]), size: size, path: text(line[(tab + 1)...]))
        }
    }

    private static func blobs(_ entries: [Entry], of operand: String) throws(Refusal) -> [[UInt8]] {
        if let large = entries.first(where: { $0.size > AppFile.bytesMax }) {
            throw .failure("cannot read \(large.path) of \(operand): it has more than \(AppFile.bytesMax) bytes")
        }
        let ids = entries.map { "\($0.id)\n" }.joined()
        var rest = try git(["cat-file", "--batch"], input: Array(ids.utf8), about: operand)[...]
        var contents: [[UInt8]] = []
        for entry in entries {
            // A line about the object, the object, and a line feed.
            rest = (rest.firstIndex(of: UInt8(ascii: "\n")).map { rest[($0 + 1)...] }) ?? []
            guard rest.count > entry.size else { throw .failure("git did not return \(entry.path) of \(operand)") }
            contents.append(Array(rest.prefix(entry.size)))
            rest = rest.dropFirst(entry.size + 1)
        }
        return contents
    }

    private static func git(
        _ arguments: [String], input: [UInt8] = [], about operand: String
    ) throws(Refusal) -> [UInt8] {
        let options = ["-c", "core.fsmonitor=", "--no-pager", "--no-replace-objects"]
        // In a partial clone, a missing object would be fetched.
        let variables = [
            ("GIT_NO_LAZY_FETCH", "1"), ("GIT_ALLOW_PROTOCOL", "none"), ("GIT_OPTIONAL_LOCKS", "0"), ("LC_ALL", "C"),
        ]
        let result: ProgramOutput
        do throws(SystemError) {
            result = try ProgramOutput(of: "git", options + arguments, variables: variables, input: input)
        } catch {
            throw .failure("cannot read \(operand): git cannot be started: \(error.reason)")
        }
        if result.end == .status(0) { return result.output }
        let reason = text(result.errors[...]).split(separator: "\n").first ?? "it failed"
        throw .failure("cannot read \(operand): git says \"\(reason)\"")
    }

    private static func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
