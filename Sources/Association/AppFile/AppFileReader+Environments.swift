// The overlays of an app file: staging beside production.
//
// Overlays are laid over the values before anything is read, so that a merged file is held to every rule of a plain
// one, and each finding still points to the line it came from.

import SourceJSON

extension AppFileReader {
    /// What an overlay may change. With `links`, rules can be tried in one environment before they go to the others.
    static let overlayKeys = [
        "name", "hosts", "ios", "android", "scheme", "links", "examples", "cacheControl", "guard", "retired", "pages",
    ]

    /// Deep enough for any key of an app file; deeper objects cannot be merged with anything that has a meaning.
    private static let mergeDepthMax = 8

    /// The names under `environments`; reports overlays that are none.
    mutating func environmentNames(in root: AppFileFields) -> [String] {
        guard let value = root["environments"]?.value else { return [] }
        let members = named(
            value, place: "environments", wanted: "an object of names and overlays", max: Self.environmentsMax)
        for member in members {
            _ = fields(of: member.value, place: "environments.\(member.key)", known: Self.overlayKeys)
        }
        return members.map(\.key)
    }

    /// The hosts of every overlay and of the plain file: examples are shared, so they may be on any of these. None
    /// where there are no overlays, and so nothing beside the hosts that are read anyway.
    func hostsOfAllEnvironments(_ root: AppFileFields) -> [HostPattern] {
        guard case .object(let overlays) = root["environments"]?.value.kind else { return [] }
        var values = [root["hosts"]?.value].compactMap { $0 }
        for overlay in overlays {
            guard case .object(let members) = overlay.value.kind else { continue }
            values += members.lazy.filter { $0.key == "hosts" }.map(\.value)
        }
        var hosts: [HostPattern] = []
        for case .array(let elements) in values.map(\.kind) {
            for case .string(let text) in elements.map(\.kind) {
                if case .success(let host) = HostPattern.parse(text) { hosts.append(host) }
            }
        }
        return hosts
    }

    /// The file as it is in an environment, which it need not have: whether any file has it shows only in all of them.
    mutating func overlaid(_ root: AppFileFields, environment: String?, names: [String]) -> AppFileFields {
        guard let environment, !names.isEmpty else { return root }
        guard case .object(let overlays) = root["environments"]?.value.kind,
            let overlay = overlays.first(where: { $0.key.isIdentical(to: environment) })
        else { return root }
        // One that is no object has been spoken of.
        guard case .object(let changes) = overlay.value.kind else { return root }
        let allowed = changes.filter { Self.overlayKeys.contains($0.key) }
        return AppFileFields(
            place: "", range: root.range, members: Self.merged(root.members, with: allowed, depth: 0),
            misspelt: root.misspelt)
    }

    /// RFC 7396: objects merge, null removes, everything else replaces.
    private static func merged(_ base: [SourceMember], with changes: [SourceMember], depth: Int) -> [SourceMember] {
        var result = base
        for change in changes {
            let index = result.firstIndex { $0.key.isIdentical(to: change.key) }
            switch (change.value.kind, index) {
            case (.null, let index?): result.remove(at: index)
            case (.null, nil): break
            case (.object(let new), let index?):
                if case .object(let old) = result[index].value.kind, depth < mergeDepthMax {
                    result[index].value.kind = .object(merged(old, with: new, depth: depth + 1))
                } else {
                    result[index] = withoutNulls(change, depth: depth)
                }
            case (_, let index?): result[index] = change
            case (_, nil): result.append(withoutNulls(change, depth: depth))
            }
        }
        return result
    }

    /// An object that meets none is merged into an empty one: its nulls have nothing to remove, and go.
    private static func withoutNulls(_ change: SourceMember, depth: Int) -> SourceMember {
        guard case .object(let new) = change.value.kind, depth < mergeDepthMax else { return change }
        var result = change
        result.value.kind = .object(merged([], with: new, depth: depth + 1))
        return result
    }
}
