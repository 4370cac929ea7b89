// Two things that arrays are asked for.

extension Array {
    /// Nil where there is none.
    func element(at index: Int) -> Element? { indices.contains(index) ? self[index] : nil }

    /// One of each, then another of each, until all are through.
    func inTurns<Item>() -> [Item] where Element == [Item] {
        let longest = map(\.count).max() ?? 0
        return (0..<longest).flatMap { index in compactMap { $0.element(at: index) } }
    }
}
