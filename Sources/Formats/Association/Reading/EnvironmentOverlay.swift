// One environment of an app file: how its overlay is merged into the rest, and how its findings are shown. They come from the
// merged file, so they may point to a line that is correct by itself, or to the whole file: each names the environment.

package import SourceJSON

/// One overlay of an app file.
package struct EnvironmentOverlay {
    private let name: String
    private let keyRange: SourceRange
    private let value: SourceValue

    /// Nil where the file has no such environment.
    package init?(_ name: String, in document: SourceDocument) {
        self.init(name, in: document.value?.member(named: "environments"))
    }

    init?(_ name: String, in environments: SourceValue?) {
        guard let overlay = environments?.asObject?.first(where: { $0.key.isIdentical(to: name) }) else { return nil }
        self.name = name
        keyRange = overlay.keyRange
        value = overlay.value
    }

    /// The rules about what the plain file may have and the merged one lacks, which has no line.
    private static let missing = [RuleID.app006, .app016, .app017]

    /// The finding with the environment in its message; what is missing points to the overlay that removed it.
    package func naming(_ finding: Finding) -> Finding {
        var finding = finding
        let isInside = finding.range.map(value.range.contains) ?? false
        if !isInside, finding.range == nil || Self.missing.contains(finding.rule) { finding.range = keyRange }
        finding.message = "in the environment \(name.quoted), " + finding.message
        return finding
    }

    /// The members of the file in this environment, as RFC 7396 merges them: objects merge, null removes, everything else
    /// replaces.
    func merged(into members: [SourceMember], changing keys: [String]) -> [SourceMember] {
        // An overlay that is not an object is reported elsewhere.
        let changes = (value.asObject ?? []).filter { keys.contains($0.key) }
        return Self.merged(members, with: changes, depth: 0)
    }

    /// Deep enough for any key of an app file; deeper objects have no meaning there.
    private static let depthMax = 8

    private static func merged(_ base: [SourceMember], with changes: [SourceMember], depth: Int) -> [SourceMember] {
        var result = base
        for var change in changes {
            let index = result.firstIndex { $0.key.isIdentical(to: change.key) }
            if case .null = change.value.kind {
                if let index { result.remove(at: index) }
                continue
            }
            if let new = change.value.asObject, depth < depthMax {
                // Without an object to merge into, its nulls have nothing to remove.
                let old = index.flatMap { result[$0].value.asObject }
                if let index, old != nil { change = result[index] }
                change.value.kind = .object(merged(old ?? [], with: new, depth: depth + 1))
            }
            if let index { result[index] = change } else { result.append(change) }
        }
        return result
    }
}
