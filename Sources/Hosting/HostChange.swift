// What a round changed on one host, in one line: which documents, and their entity tags before and after.

import Association
import Catalogue

public struct HostChange: Sendable, CustomStringConvertible {
    public var host: String
    /// Nil where the host has just come.
    private let before: [String: String]?
    /// Nil where it is no longer served.
    private let after: [String: String]?

    init(host: String, from before: [String: String]?, to site: PreparedSite?) {
        let after = site.map { site in
            Dictionary(site.answers.map { ($0.path, $0.answer.identity.entityTag) }) { first, _ in first }
        }
        self.host = host
        self.before = before
        self.after = after
    }

    /// Whether the host has other answers than before. Without that, the landing page may be another one.
    var isOfAnswers: Bool { before != after }

    public var description: String { "\(host): \(summary)" }

    private var summary: String {
        guard let after else { return "no longer served" }
        let parts = documents(after)
        guard before != nil else { return (["new"] + parts).joined(separator: ", ") }
        return parts.isEmpty ? "the landing page" : parts.joined(separator: ", ")
    }

    /// The documents one by one, the pages as a number.
    private func documents(_ after: [String: String]) -> [String] {
        let before = before ?? [:]
        let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
        let isDocument = { (path: String) in path.hasPrefix(WellKnownFiles.prefix) }
        // The copy of Apple's document at the root says nothing more, unless it is another one.
        let root = AssociationPath.appleRoot
        let twin = AssociationPath.apple
        var shown = changed.filter(isDocument)
        if changed.contains(root), before[root] != before[twin] || after[root] != after[twin] { shown.append(root) }
        var parts = shown.map { path in
            let name = path == root ? root : String(path.dropFirst(WellKnownFiles.prefix.count))
            return "\(name) \(HostChange.short(before[path])) -> \(HostChange.short(after[path]))"
        }
        let pages = changed.count { !isDocument($0) && $0 != root }
        if pages > 0 { parts.append(Count.of(pages, "page")) }
        return parts
    }

    /// Enough of a tag to tell versions apart, and to find it in an answer.
    private static func short(_ tag: String?) -> String {
        guard let tag else { return "none" }
        return tag.isEmpty ? "untagged" : "\(tag.prefix(9))\""
    }
}
