// Findings that a file only has in one of its environments. They come from the merged file, so they may point at a line
// that is fine by itself, or at the whole file for want of a better place: each names the environment, and what is
// missing points to the overlay that removed it.

package import SourceJSON

/// One overlay of an app file, as findings speak of it.
package struct EnvironmentOverlay {
    private let name: String
    private let keyRange: SourceRange
    private let range: SourceRange

    /// Nil where the file has no such environment.
    package init?(_ name: String, in document: SourceDocument) {
        guard case .object(let root) = document.value?.kind,
            case .object(let overlays) = root.first(where: { $0.key == "environments" })?.value.kind,
            let overlay = overlays.first(where: { $0.key.isIdentical(to: name) })
        else { return nil }
        self.name = name
        keyRange = overlay.keyRange
        range = overlay.value.range
    }

    /// What the plain file may have and the merged one lacks; there is no line for it.
    private static let missing = [RuleID.app006, .app016, .app017]

    /// The finding with the environment in its message.
    package func naming(_ finding: Finding) -> Finding {
        var finding = finding
        let isInside = finding.range.map { contains($0) } ?? false
        if !isInside, finding.range == nil || Self.missing.contains(finding.rule) { finding.range = keyRange }
        finding.message = "in the environment \(name.quoted), " + finding.message
        return finding
    }

    private func contains(_ place: SourceRange) -> Bool {
        place.start.offset >= range.start.offset && place.end.offset <= range.end.offset
    }
}
