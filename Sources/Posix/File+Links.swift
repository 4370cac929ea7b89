// Symbolic links, by name: where one leads, and which folders hold what is on the way. Nothing is opened.

import CLinux
import Glibc

extension File {
    /// As many links on a path as the kernel itself follows.
    private static let linksMax = 40

    /// What a link says; nil where there is none of this name. The corresponding C function is `readlink`.
    public static func linkTarget(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { bytes in
            guard let start = bytes.baseAddress else { return nil }
            let count = readlink(path, start, bytes.count)
            guard count > 0 else { return nil }
            let text = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[..<count]))
            return String(decoding: text, as: UTF8.self)
        }
    }

    /// The folders in which a name would have to change for a link to lead to something else: that of each further link on
    /// its way, and that of what it leads to in the end. The way ends where it is neither inside one of the roots nor on the
    /// way to one. All are whole paths.
    public static func foldersBehind(link path: String, inside roots: [String]) -> [String] {
        var folder = path.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
        guard let name = folder.popLast() else { return [] }
        var pending = [name]
        var found: [String] = []
        var linkCount = 0
        while let name = pending.popLast() {
            if name == ".." { folder.removeLast(min(1, folder.count)) }
            let place = folder.joined(separator: "/")
            let isOnWay = roots.contains { place == $0 || place.hasPrefix("\($0)/") || $0.hasPrefix("\(place)/") }
            guard isOnWay else { return found }
            if name == ".." || name == "." { continue }
            guard let target = linkTarget("\(place)/\(name)") else {
                if pending.isEmpty { found.append(place) }
                folder.append(name)
                continue
            }
            linkCount += 1
            if linkCount > 1 { found.append(place) }
            guard linkCount <= linksMax else { return found }
            if target.hasPrefix("/") { folder = [""] }
            pending += target.split(separator: "/").map { String($0) }.reversed()
        }
        return found
    }
}
