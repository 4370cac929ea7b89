// What a hostile tenant may put into its own folders to read, slow down or deceive others.

import Foundation
import Glibc
import Testing

/// One kind of harm, below `config/apps/evil`, `config/hosts/evil.example` and `public/evil.example`.
enum HostileFolder: CaseIterable, CustomTestStringConvertible {
    /// Hundreds of links to the folder that contains them, in each folder.
    case breadth
    /// Links to other tenants' folders and files, to the whole configuration and to the system.
    case foreignLinks
    /// A hard link to another tenant's key.
    case foreignKey
    /// A gigabyte of pages and files, each below its limit.
    case totals
    /// Misleading names.
    case names
    /// An app file that takes long to reject.
    case slowFile

    var testDescription: String { "\(self)" }

    /// Every kind of file through which a key might leak.
    static let paths =
        ["privkey.pem", "x.txt", "good.example/privkey.pem", "hosts/good.example/privkey.pem", "server.json"]
        .flatMap { ["/.well-known/\($0)", "/\($0)", "/.well-known/l/\($0)", "/l/\($0)"] }

    func make(in folder: String) throws {
        let (apps, host, pages) = (
            "\(folder)/config/apps/evil", "\(folder)/config/hosts/evil.example", "\(folder)/public/evil.example"
        )
        switch self {
        case .breadth:
            for place in [apps, "\(host)/well-known", pages] {
                try create(place)
                for number in 0..<200 { try link("\(place)/l\(number)", to: ".") }
            }
        case .foreignLinks:
            try link("\(host)/well-known", to: "../good.example")
            try link("\(pages)/l", to: "../../config")
            try link("\(pages)/x.txt", to: "\(folder)/config/hosts/good.example/privkey.pem")
            try link("\(apps)/l", to: "../../hosts/good.example")
            for (name, target) in [("etc", "/etc"), ("zero", "/dev/zero"), ("fds", "/proc/self/fd"), ("up", "..")] {
                for place in [apps, pages] { try link("\(place)/\(name)", to: target) }
            }
        case .foreignKey:
            try create("\(host)/well-known")
            for name in ["\(host)/well-known/x.txt", "\(pages)/x.txt", "\(host)/privkey.pem"] {
                try #require(Glibc.link("\(folder)/config/hosts/good.example/privkey.pem", name) == 0)
            }
        case .totals:
            try create("\(host)/well-known")
            for number in 0..<2_000 { try grow("\(pages)/p\(number)", to: 262_144) }
            for number in 0..<500 { try grow("\(host)/well-known/w\(number)", to: 1_048_576) }
        case .names:
            try create("\(host)/well-known")
            for place in [apps, "\(host)/well-known", pages] {
                for name in HostileFolder.deceptive { try write(Array("\(place)/".utf8) + name, "{ name: ") }
            }
        case .slowFile: try write(Array("\(apps)/slow.json".utf8), HostileFolder.slowText)
        }
    }

    private static let deceptive: [[UInt8]] =
        [
            "x\nforged: line", "x\r\u{1B}[2J\u{1B}[31m", "\u{202E}txt.exe", "\u{2066}x", "\u{7}", "%0Aforged", "-rf",
            "...",
        ]
        .flatMap { [Array($0.utf8), Array("\($0).json".utf8)] }
        + [[0xFF, 0xFE, 0x9B, 0x41], Array("\u{9B}31m".utf8), [UInt8](repeating: 0x61, count: 255), [0xC3]]

    /// Many patterns that match many texts in many ways.
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

    private func create(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    private func link(_ path: String, to target: String) throws { try #require(symlink(target, path) == 0, "\(path)") }

    /// A sparse file of this size.
    private func grow(_ path: String, to count: off_t) throws {
        try #require(FileManager.default.createFile(atPath: path, contents: Data([0x61])) && truncate(path, count) == 0)
    }

    private func write(_ path: [UInt8], _ text: String) throws {
        let fd = open(path.map { CChar(bitPattern: $0) } + [0], O_WRONLY | O_CREAT, 0o644)
        try #require(fd >= 0)
        defer { close(fd) }
        let bytes = Array(text.utf8)
        try #require(Glibc.write(fd, bytes, bytes.count) == bytes.count)
    }
}
