// What a pattern is made of once its variables are resolved. Text is UTF-8 throughout, so a literal is bytes and `?` is
// a whole scalar.

/// One step of a compiled pattern.
enum GlobElement: Sendable {
    case literal([UInt8])
    /// Exactly one scalar.
    case any
    /// Zero or more scalars.
    case star
    /// One ASCII character of a class.
    case oneOf(ByteSet)
    /// One of the values of a variable.
    case choice(GlobChoice)
    /// Nothing matches from here on.
    case never
}

/// The values of a variable: plain ones in a trie, those with wildcards as patterns of their own.
final class GlobChoice: Sendable {
    let plain: ByteTrie
    let patterns: [[GlobElement]]

    init(plain: ByteTrie, patterns: [[GlobElement]]) {
        self.plain = plain
        self.patterns = patterns
    }
}

/// A set of ASCII characters.
struct ByteSet: Hashable, Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init(_ bytes: some Sequence<UInt8>) {
        for byte in bytes where byte < 0x80 {
            if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
        }
    }

    func contains(_ byte: UInt8) -> Bool {
        if byte >= 0x80 { return false }
        return byte < 64 ? low >> UInt64(byte) & 1 == 1 : high >> UInt64(byte - 64) & 1 == 1
    }

    var members: [UInt8] { (0..<0x80).filter(contains) }
}

/// Byte strings by their common beginnings.
struct ByteTrie: Sendable {
    private struct Node: Sendable {
        var isEnd = false
        var edges: [(byte: UInt8, node: Int)] = []
    }

    private var nodes = [Node()]
    private(set) var strings: [[UInt8]] = []

    var isEmpty: Bool { strings.isEmpty }

    init(_ strings: [[UInt8]]) {
        for string in strings { insert(string) }
    }

    private mutating func insert(_ string: [UInt8]) {
        var current = 0
        for byte in string {
            if let edge = nodes[current].edges.first(where: { $0.byte == byte }) {
                current = edge.node
            } else {
                nodes.append(Node())
                nodes[current].edges.append((byte, nodes.count - 1))
                current = nodes.count - 1
            }
        }
        if !nodes[current].isEnd { strings.append(string) }
        nodes[current].isEnd = true
    }

    /// Calls `found` with the end of each string that stands in `text` at `start`; returns how many bytes were looked at.
    func forEachEnd(in text: [UInt8], from start: Int, to end: Int, _ found: (Int) -> Void) -> Int {
        var node = 0
        var index = start
        while true {
            if nodes[node].isEnd { found(index) }
            guard index < end, let edge = nodes[node].edges.first(where: { $0.byte == text[index] }) else { break }
            node = edge.node
            index += 1
        }
        return index - start + 1
    }
}
