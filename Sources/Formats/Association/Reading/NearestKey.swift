// "Did you mean": the known key that is closest to a misspelt one. Edit distance with transpositions, over short keys only, so that
// a hostile file cannot make it slow.

/// Finds the known word that an unknown one was probably meant to be.
public enum NearestKey {
    /// The nearest of `known`, or nil if none is near. Case and the characters `-`, `_` and space make no difference; otherwise
    /// one difference in three characters is near. Of equally near ones, the first is returned.
    public static func find(_ key: String, among known: [String]) -> String? {
        let wanted = folded(key)
        guard !wanted.isEmpty, wanted.count <= lengthMax else { return nil }
        var best: (word: String, distance: Int)?
        for word in known {
            let candidate = folded(word)
            guard abs(candidate.count - wanted.count) <= differencesMax else { continue }
            let near = distance(wanted, candidate)
            guard near <= min(differencesMax, max(wanted.count, candidate.count) / 3), near < best?.distance ?? Int.max
            else {
                continue
            }
            best = (word, near)
        }
        return best?.word
    }

    private static let differencesMax = 3

    /// Twice the longest known key.
    private static let lengthMax = 64

    private static func folded(_ text: String) -> [Unicode.Scalar] {
        text.lowercased().unicodeScalars.filter { $0 != "-" && $0 != "_" && $0 != " " }
    }

    /// The number of insertions, deletions, replacements and swaps of adjacent characters between two words. It is exact up to
    /// `differencesMax`; cells further off the diagonal have a greater distance and are not computed.
    static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
        var beforePrevious: [Int] = []
        var previous = Array(0...right.count)
        for row in 1...left.count {
            var current = [Int](repeating: differencesMax + 1, count: right.count + 1)
            current[0] = row
            let columns = max(1, row - differencesMax)..<max(1, min(right.count, row + differencesMax) + 1)
            for column in columns {
                let same = left[row - 1] == right[column - 1]
                var least = min(previous[column] + 1, current[column - 1] + 1, previous[column - 1] + (same ? 0 : 1))
                if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                    least = min(least, beforePrevious[column - 2] + 1)
                }
                current[column] = least
            }
            beforePrevious = previous
            previous = current
        }
        return previous[right.count]
    }
}
