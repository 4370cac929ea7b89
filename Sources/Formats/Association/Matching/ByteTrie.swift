// Byte strings by their common prefixes, so that the time to match a variable does not depend on the number of its values.

/// A set of byte strings that can be found at a place in a text.
package struct ByteTrie: Sendable {
    private struct Node: Sendable {
        var isEnd = false
        var edges: [(byte: UInt8, node: Int)] = []
        /// The edges of a node that has many, by byte; -1 where there is none.
        var table: [Int32] = []

        func next(_ byte: UInt8) -> Int? {
            if !table.isEmpty {
                let node = table[Int(byte)]
                return node < 0 ? nil : Int(node)
            }
            for edge in edges where edge.byte == byte { return edge.node }
            return nil
        }
    }

    private static let crowded = 6
    /// The node at which every string begins.
    package static let root = 0

    private var nodes = [Node()]
    package private(set) var strings: [[UInt8]] = []

    package var isEmpty: Bool { strings.isEmpty }

    package init(_ strings: [[UInt8]]) {
        for string in strings { insert(string) }
        for index in nodes.indices where nodes[index].edges.count > Self.crowded {
            var table = [Int32](repeating: -1, count: 256)
            for edge in nodes[index].edges { table[Int(edge.byte)] = Int32(edge.node) }
            nodes[index].table = table
        }
    }

    private mutating func insert(_ string: [UInt8]) {
        var current = 0
        for byte in string {
            if let next = nodes[current].next(byte) {
                current = next
            } else {
                nodes.append(Node())
                nodes[current].edges.append((byte, nodes.count - 1))
                current = nodes.count - 1
            }
        }
        if !nodes[current].isEnd { strings.append(string) }
        nodes[current].isEnd = true
    }

    package func isEnd(_ node: Int) -> Bool { nodes[node].isEnd }

    package func edges(of node: Int) -> [(byte: UInt8, node: Int)] { nodes[node].edges }

    /// Calls `found` with the end of each string whose rest below `node` is in `text` at `start`; returns the number of bytes
    /// compared.
    package func forEachEnd(in text: [UInt8], from start: Int, below node: Int, _ found: (Int) -> Void) -> Int {
        var node = node
        var index = start
        while true {
            if nodes[node].isEnd { found(index) }
            guard index < text.count, let next = nodes[node].next(text[index]) else { break }
            node = next
            index += 1
        }
        return index - start + 1
    }
}
