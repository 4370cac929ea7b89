// The hosts that the server serves, for all threads of the manager. They are kept in one block, because a million separate strings
// would need three times as much memory.

/// The served hosts, their folders, and whether the manager orders certificates for them.
public struct ServedNames: Sendable {
    /// In the order of their bytes.
    private let names: JoinedTexts
    /// Of their app files. No texts if no host has a folder.
    private let folders: JoinedTexts
    /// By the places of the names.
    private(set) var isWanted: [Bool]

    /// Texts with `/` between them.
    private struct JoinedTexts: Sendable {
        private let bytes: [UInt8]
        /// Where each text ends.
        private let ends: [UInt32]

        init(_ text: String) {
            bytes = Array(text.utf8)
            let slashes = bytes.lazy.count { $0 == UInt8(ascii: "/") }
            var ends: [UInt32] = []
            ends.reserveCapacity(slashes + 1)
            for index in bytes.indices where bytes[index] == UInt8(ascii: "/") { ends.append(UInt32(index)) }
            if !bytes.isEmpty { ends.append(UInt32(bytes.count)) }
            self.ends = ends
        }

        var count: Int { ends.count }

        subscript(index: Int) -> ArraySlice<UInt8> {
            bytes[(index == 0 ? 0 : Int(ends[index - 1]) + 1)..<Int(ends[index])]
        }
    }

    /// - Parameter names: in the order of their bytes, with `/` between them.
    /// - Parameter folders: in the order of the names, with `/` between them. May be empty.
    public init(_ names: String, folders: String = "") {
        (self.names, self.folders) = (JoinedTexts(names), JoinedTexts(folders))
        isWanted = Array(repeating: true, count: self.names.count)
    }

    /// Notes for which hosts certificates are ordered.
    mutating func select(where isWanted: (String) -> Bool) {
        for index in self.isWanted.indices { self.isWanted[index] = isWanted(self[index]) }
    }

    subscript(index: Int) -> String { String(decoding: names[index], as: UTF8.self) }

    /// Its place; nil if it is not served.
    public func index(of host: String) -> Int? {
        let index = firstIndex(notBefore: host)
        return index < names.count && names[index].elementsEqual(host.utf8) ? index : nil
    }

    private func firstIndex(notBefore text: String) -> Int {
        let name = Array(text.utf8)
        var (low, high) = (0, names.count)
        while low < high {
            let middle = (low + high) / 2
            if names[middle].lexicographicallyPrecedes(name) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func isWanted(_ host: String) -> Bool { index(of: host).map { isWanted[$0] } ?? false }

    /// The first folder below `config/apps` of its app file.
    public func folder(of host: String) -> String? {
        guard let index = index(of: host), index < folders.count, !folders[index].isEmpty else { return nil }
        return String(decoding: folders[index], as: UTF8.self)
    }

    public var count: Int { names.count }

    /// The first names behind another one, in order, with their folders.
    /// - Parameter isShown: asked for the folder, which is empty if there is none.
    public func page(
        prefix: String, after name: String, count: Int, where isShown: (_ folder: String) -> Bool = { _ in true }
    ) -> [(name: String, folder: String)] {
        var page: [(name: String, folder: String)] = []
        let (wanted, last) = (Array(prefix.utf8), Array(name.utf8))
        for index in firstIndex(notBefore: max(prefix, name))..<names.count {
            if page.count == count || !names[index].starts(with: wanted) { break }
            if names[index].elementsEqual(last) { continue }
            let folder = index < folders.count ? String(decoding: folders[index], as: UTF8.self) : ""
            if isShown(folder) { page.append((self[index], folder)) }
        }
        return page
    }
}
