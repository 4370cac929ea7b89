// A folder for one test, removed with its last reference.

import Foundation

package final class TemporaryFolder: Sendable {
    package let path: String
    private let permissions: Int?

    /// - Parameter permissions: of the files that are written: each then appears whole, as careful tools do it. Without them,
    ///   a file is overwritten in place.
    package init(permissions: Int? = nil) throws {
        // Short enough for the path of a socket (108 bytes), and without a link that a canonical path would resolve.
        let place = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
        path = "\(place)/\(UUID().uuidString.prefix(13))"
        self.permissions = permissions
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file, in folders that are made for it; returns its path.
    @discardableResult
    package func write(_ name: String, _ bytes: some Sequence<UInt8>, permissions: Int? = nil) throws -> String {
        let url = URL(fileURLWithPath: "\(path)/\(name)")
        let permissions = permissions ?? self.permissions
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url, options: permissions == nil ? [] : .atomic)
        if let permissions {
            try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: url.path)
        }
        return url.path
    }

    @discardableResult package func write(_ name: String, _ text: String, permissions: Int? = nil) throws -> String {
        try write(name, text.utf8, permissions: permissions)
    }

    package func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
    }

    package func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: target)
    }

    package func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(path)/\(name)") }

    package func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
    }

    package func read(_ name: String) throws -> String {
        try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
    }
}
