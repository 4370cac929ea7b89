// What a tenant may find to put into folders of their own, to see, to slow down or to deceive others.

import Foundation
import Glibc
import Testing

/// One kind of mischief, below `config/apps/evil`, `config/hosts/evil.example` and `public/evil.example`.
enum HostileFolder: CaseIterable, CustomTestStringConvertible {
    /// Links to other tenants' folders and files, to the whole configuration and to the system.
    case foreignLinks
    /// An app file that takes long to refuse.
    case slowFile

    var testDescription: String { "\(self)" }

    /// Where a leak would show, of all kinds.
    static let paths =
        ["privkey.pem", "x.txt", "good.example/privkey.pem", "hosts/good.example/privkey.pem", "server.json"]
        .flatMap { ["/.well-known/\($0)", "/\($0)", "/.well-known/l/\($0)", "/l/\($0)"] }

    func make(in folder: String) throws {
        let (apps, host, pages) = (
            "\(folder)/config/apps/evil", "\(folder)/config/hosts/evil.example", "\(folder)/public/evil.example"
        )
        switch self {
        case .foreignLinks:
            try link("\(host)/well-known", to: "../good.example")
            try link("\(pages)/l", to: "../../config")
            try link("\(pages)/x.txt", to: "\(folder)/config/hosts/good.example/privkey.pem")
            try link("\(apps)/l", to: "../../hosts/good.example")
            for (name, target) in [("etc", "/etc"), ("zero", "/dev/zero"), ("fds", "/proc/self/fd"), ("up", "..")] {
                for place in [apps, pages] { try link("\(place)/\(name)", to: target) }
            }
        case .slowFile: try write(Array("\(apps)/slow.json".utf8), HostileFolder.slowText)
        }
    }

    /// Many patterns that fit many texts in many ways.
    private static let slowText = {
        let stars = String(repeating: "*a", count: 150)
        let text = String(repeating: "a", count: 1_500)
        let links = (0..<500).map { "{ \"/\": \"/\(stars)c\($0)/*\" }" }.joined(separator: ",")
        let examples = (0..<1_000).map { "\"https://evil.example/\(text)\($0)\": \"web\"" }.joined(separator: ",")
        return """
            { name: "H", guard: "off", hosts: ["evil.example"], ios: { appIDs: ["8KQ2V7M4XN.dev.evil.slow"] },
              links: [\(links)], examples: {\(examples)} }
            """
    }()

    private func link(_ path: String, to target: String) throws { try #require(symlink(target, path) == 0, "\(path)") }

    private func write(_ path: [UInt8], _ text: String) throws {
        let fd = open(path.map { CChar(bitPattern: $0) } + [0], O_WRONLY | O_CREAT, 0o644)
        try #require(fd >= 0)
        defer { close(fd) }
        let bytes = Array(text.utf8)
        try #require(Glibc.write(fd, bytes, bytes.count) == bytes.count)
    }
}
