// Finding duplicate keys in linear time, whatever the keys: a few are compared one by one, more are hashed. Hashes are
// seeded per process, so nobody can choose keys that collide.

/// The keys of one object so far.
struct KeyIndex {
    /// Up to here, comparing beats hashing.
    private static let comparedMax = 8

    /// The index of the first member with each key; empty while there are few.
    private var first: [Key: Int] = [:]

    /// A key by its code points, not by canonical equivalence as `String` compares.
    private struct Key: Hashable {
        let text: String

        static func == (left: Key, right: Key) -> Bool { left.text.isIdentical(to: right.text) }

        func hash(into hasher: inout Hasher) {
            for byte in text.utf8 { hasher.combine(byte) }
        }
    }

    /// The index of the first member with this key, if there is one; the next member will have the key.
    mutating func firstIndex(of key: String, in members: [SourceMember]) -> Int? {
        guard members.count >= Self.comparedMax else {
            return members.firstIndex { $0.key.isIdentical(to: key) }
        }
        if first.isEmpty {
            for (index, member) in members.enumerated() where first[Key(text: member.key)] == nil {
                first[Key(text: member.key)] = index
            }
        }
        if let index = first[Key(text: key)] { return index }
        first[Key(text: key)] = members.count
        return nil
    }
}
