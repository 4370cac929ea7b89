// Finding duplicate keys in linear time, whatever the keys: a few are compared one by one, more are hashed. Hashes are
// seeded per process, so nobody can choose keys that collide.

/// The keys of one object so far.
struct KeyIndex {
    /// Up to here, comparing beats hashing.
    private static let comparedMax = 8

    /// The index of the first member with each key; empty while there are few.
    private var first: [ExactText: Int] = [:]

    /// The index of the first member with this key, if there is one; the next member will have the key.
    mutating func firstIndex(of key: String, in members: [SourceMember]) -> Int? {
        guard members.count >= Self.comparedMax else {
            return members.firstIndex { $0.key.isIdentical(to: key) }
        }
        if first.isEmpty {
            for (index, member) in members.enumerated() { _ = enter(member.key, at: index) }
        }
        let index = enter(key, at: members.count)
        return index < members.count ? index : nil
    }

    /// The index a key has, which is the one given if it is new; one look-up for both.
    private mutating func enter(_ key: String, at index: Int) -> Int {
        func keep(_ entry: inout Int) -> Int { entry }
        return keep(&first[ExactText(key), default: index])
    }
}
