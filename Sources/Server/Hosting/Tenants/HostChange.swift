// What a round changed on one host: documents with their entity tags before and after, and the number of pages. One line for the
// log, parts for the change journal.

import Association
import Catalogue
public import Tenancy

public struct HostChange: Sendable, CustomStringConvertible {
    public let host: String
    /// The first folder below `config/apps` of its app file, or of the one that it had. Nil without one.
    public internal(set) var folder: String?
    public let kind: Kind
    /// Files below `/.well-known/`; the AASA file at the root only if it differs from the one there.
    public let documents: [Document]
    public let pageCount: Int
    /// Whether any answer changed. If not, the landing page may have.
    let isOfAnswers: Bool

    public enum Kind: String, Sendable { case new, changed, removed }

    public var tenant: TenantID { TenantID(of: host, folder: folder) }

    public struct Document: Sendable {
        public let path: String
        /// Entity tags, empty for an answer without one; nil if there was no such file.
        public let before: String?
        public let after: String?
    }

    /// - Parameter before: the entity tags by path; nil for a new host.
    init(host: String, from before: [String: String]?, to site: PreparedSite?) {
        let after = site.map { site in
            Dictionary(site.answers.map { ($0.path, $0.answer.identity.entityTag) }) { first, _ in first }
        }
        self.host = host
        kind = after == nil ? .removed : before == nil ? .new : .changed
        isOfAnswers = before != after
        let (old, new) = (before ?? [:], after ?? [:])
        let changed = Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.sorted()
        let isDocument = { (path: String) in path.hasPrefix(WellKnownFiles.prefix) }
        // The copy of Apple's document at the root is listed only if it differs.
        let root = AssociationPath.appleRoot
        let twin = AssociationPath.apple
        var paths = changed.filter(isDocument)
        if changed.contains(root), old[root] != old[twin] || new[root] != new[twin] { paths.append(root) }
        documents = paths.map { Document(path: $0, before: old[$0], after: new[$0]) }
        pageCount = changed.count { !isDocument($0) && $0 != root }
    }

    public var description: String { "\(host): \(summary)" }

    private var summary: String {
        if kind == .removed { return "no longer served" }
        var parts = documents.map { document in
            let isRoot = document.path == AssociationPath.appleRoot
            let name = isRoot ? document.path : String(document.path.dropFirst(WellKnownFiles.prefix.count))
            return "\(name) \(HostChange.short(document.before)) -> \(HostChange.short(document.after))"
        }
        if pageCount > 0 { parts.append(Count.of(pageCount, "page")) }
        if kind == .new { return (["new"] + parts).joined(separator: ", ") }
        return parts.isEmpty ? "the landing page" : parts.joined(separator: ", ")
    }

    /// Enough of a tag to distinguish versions and to find it in an answer.
    private static func short(_ tag: String?) -> String {
        guard let tag else { return "none" }
        return tag.isEmpty ? "untagged" : "\(tag.prefix(9))\""
    }
}
