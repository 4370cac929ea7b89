// A tenant's folders, played: bytes become files, folders, links and hard links of any name below the three places that one
// tenant may write to, one operation after the other, with rounds between them. Beside it is an honest tenant with a secret
// key. Whatever is played, that tenant's answers stay what they were, its key is in no answer, and what is said and watched
// stays within bounds.

import Glibc

@testable import Hosting

extension FuzzTarget {
    static let tenant = FuzzTarget(
        name: "tenant", summary: "operations on a tenant's folders, beside another tenant, which notices nothing"
    ) { bytes in
        var choices = Choices(bytes)
        let street = try TenantStreet(watches: choices.isTrue())
        defer { street.remove() }
        for _ in 0..<TenantPlay.operationsMax where !choices.rest.isEmpty {
            if choices.number(below: 16) == 15 {
                try street.look()
            } else {
                TenantPlay.perform(&choices, in: street.scene)
            }
        }
        try street.look()
        street.scene.clear()
        try street.look()
        try demand(street.hosts == [TenantScene.honestHost], "what was removed is still served: \(street.hosts)")
    }
}

/// What the hostile tenant does.
private enum TenantPlay {
    /// Enough for links beside links beside links, few enough for some hundred plays a second.
    static let operationsMax = 48

    private static let targets = [
        ".", "..", "../..", "../../..", "../good.example", "../good.example/well-known", "../good.example/privkey.pem",
        "../../good.example/privkey.pem", "../../../config/hosts/good.example", "../../../config/hosts", "../..data",
        "../../../outside", "../../../outside/secret.txt", "/", "/etc", "/proc/self/fd", "/proc/self/environ",
        "/dev/zero",
        "x", "y", "x/y", "x/x/x/x", "y/../x", "well-known", "../evil.example/well-known", "./././x", "x/", "//",
    ]

    static func perform(_ choices: inout Choices, in scene: TenantScene) {
        let operation = choices.number(below: 10)
        guard let path = scene.path(&choices) else { return }
        switch operation {
        case 0, 1, 2: scene.write(path, content(&choices))
        case 3, 4: scene.link(path, to: target(&choices, in: scene))
        case 5: if let other = scene.path(&choices) { link(other, path) }
        case 6: link("\(scene.root)/config/hosts/\(TenantScene.honestHost)/privkey.pem".cString, path)
        case 7: mkdir(path, 0o755)
        case 8: if let other = scene.path(&choices) { rename(path, other) }
        default:
            unlink(path)
            rmdir(path)
        }
    }

    private static func target(_ choices: inout Choices, in scene: TenantScene) -> [CChar] {
        let number = choices.number(below: targets.count + 3)
        switch number {
        case targets.count: return "\(scene.root)/config/hosts/\(TenantScene.honestHost)/privkey.pem".cString
        case targets.count + 1: return "\(scene.root)/outside".cString
        case targets.count + 2: return choices.text().map { CChar(bitPattern: $0) } + [0]
        default: return targets[number].cString
        }
    }

    /// Files that mean something where they are; what is in them at all is for other targets.
    private static func content(_ choices: inout Choices) -> [UInt8] {
        let host = "evil.example"
        let id = "8KQ2V7M4XN.dev.evil.a\(choices.number(below: 4))"
        switch choices.number(below: 8) {
        case 0:
            return Array(
                "{ name: \"E\", guard: \"off\", hosts: [\"\(host)\"], ios: { appIDs: [\"\(id)\"] }, links: [{ \"/\": \"*\" }] }"
                    .utf8)
        case 1:
            return Array(
                "{ name: \"E\", guard: \"off\", hosts: [\"*.\(host)\", \"\(host)\"], ios: { appIDs: [\"\(id)\"] }".utf8)
        case 2: return Array(#"{"applinks":{"details":[{"appIDs":["\#(id)"],"components":[{"/":"*"}]}]}}"#.utf8)
        case 3: return Array("/account/password\n".utf8)
        case 4: return Array("<!doctype html><title>{{name}}</title>{{#appStore}}{{appStore}}{{/appStore}}".utf8)
        case 5: return [UInt8](repeating: 0x61, count: PageSet.memoryBytesMax + 1)
        case 6: return []
        default: return choices.text()
        }
    }
}

extension String {
    /// With the zero byte at its end.
    fileprivate var cString: [CChar] { Array(utf8CString) }
}
