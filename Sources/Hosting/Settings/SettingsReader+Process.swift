// What `server.json` says about the process itself: who it becomes and what it may still do.

import Posix
import SourceJSON

extension SettingsReader {
    static let sandboxKeys = ["mode", "read", "write"]

    /// `"off"`, or an object with more.
    mutating func sandbox(_ member: SourceMember) -> SandboxSettings {
        var sandbox = SandboxSettings()
        guard case .object = member.value.kind else {
            sandbox.mode = mode(member)
            return sandbox
        }
        for member in members(of: member.value, "`sandbox`", known: SettingsReader.sandboxKeys) {
            switch member.key {
            case "mode": sandbox.mode = mode(member)
            case "read": sandbox.readable = paths(member)
            default: sandbox.writable = paths(member)
            }
        }
        return sandbox
    }

    private mutating func mode(_ member: SourceMember) -> SandboxSettings.Mode {
        if case .string(let text) = member.value.kind, let mode = SandboxSettings.Mode(rawValue: text) { return mode }
        let words = SandboxSettings.Mode.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        report(member.value.range, "`\(member.key)` must be one of \(words)", fix: nil)
        return .on
    }

    /// The whole file system is no place: everything is in it, the other tenants' files too.
    mutating func linkTargets(_ member: SourceMember) -> LinkTargets {
        let paths = paths(member, example: "/srv/acme-challenges")
        if paths.contains(where: { $0.allSatisfy { $0 == "/" || $0 == "." } }) {
            report(
                member.value.range, "`linkTargets` must not name the root of the file system",
                fix: "name the folders that links may lead into")
            return .none
        }
        var held: (target: String, folder: String)?
        for target in paths where held == nil {
            held = tenantFolders.first { LinkTargets([target]).hold(directory: $0) }.map { (target, $0) }
        }
        guard let held else { return LinkTargets(paths) }
        var range = member.value.range
        if case .array(let elements) = member.value.kind, let index = paths.firstIndex(of: held.target) {
            range = elements[index].range
        }
        report(
            range,
            "`linkTargets` must not name \(held.target): \(held.folder) is in it, so links would reach all tenants",
            fix: "name folders beside config/, public/ and the state directory")
        return .none
    }

    private mutating func paths(_ member: SourceMember, example: String = "/srv/releases") -> [String] {
        if case .array(let elements) = member.value.kind {
            let paths = elements.compactMap { element -> String? in
                if case .string(let text) = element.kind, text.hasPrefix("/") { return text }
                return nil
            }
            if paths.count == elements.count { return paths }
        }
        report(
            member.value.range, "`\(member.key)` must be an array of absolute paths", fix: "write `[\"\(example)\"]`"
        )
        return []
    }
}
