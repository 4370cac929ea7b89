// "Did you mean": the known key that a misspelt one is closest to. Edit distance with transpositions, over short keys
// only, so that a hostile file cannot make it expensive.

import SourceJSON

/// Finds the known word that an unknown one was probably meant to be.
public enum NearestKey {
    /// The nearest of `known`, or nil where none is near. Case and the characters `-`, `_` and space do not count as
    /// differences; otherwise one slip in three characters is near. The first of equals wins.
    public static func find(_ key: String, among known: [String]) -> String? {
        let wanted = folded(key)
        guard !wanted.isEmpty, wanted.count <= lengthMax else { return nil }
        var best: (word: String, distance: Int)?
        for word in known {
            let candidate = folded(word)
            guard abs(candidate.count - wanted.count) <= slipsMax else { continue }
            let near = distance(wanted, candidate)
            guard near <= min(slipsMax, max(wanted.count, candidate.count) / 3), near < best?.distance ?? Int.max else {
                continue
            }
            best = (word, near)
        }
        return best?.word
    }

    private static let slipsMax = 3

    /// Twice the longest key that anybody reads.
    private static let lengthMax = 64

    private static func folded(_ text: String) -> [Unicode.Scalar] {
        text.lowercased().unicodeScalars.filter { $0 != "-" && $0 != "_" && $0 != " " }
    }

    /// The number of insertions, deletions, replacements and swaps of neighbours between two words, exact up to the
    /// slips that are looked for: what lies further off the diagonal takes more.
    static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
        var beforePrevious: [Int] = []
        var previous = Array(0...right.count)
        for row in 1...left.count {
            var current = [Int](repeating: slipsMax + 1, count: right.count + 1)
            current[0] = row
            let columns = max(1, row - slipsMax)..<max(1, min(right.count, row + slipsMax) + 1)
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

/// The remedy for one unknown key.
struct KeyRemedy {
    /// What to do, where a known key is near.
    let fix: String?
    /// The mechanical correction, where there is one.
    let edit: SourceEdit?

    /// `replacement` is the known key as the file would have it, quoted or not.
    init(_ member: SourceMember, nearest: String?, beside members: [SourceMember], replacement: (String) -> String) {
        guard let nearest else {
            fix = nil
            edit = nil
            return
        }
        let written = replacement(nearest)
        if members.contains(where: { $0.key == nearest }) {
            fix = "remove it; the object already has `\(nearest)`"
            edit = nil
        } else {
            fix = "write \(written == nearest ? "`\(nearest)`" : written)"
            edit = SourceEdit(range: member.keyRange, replacement: written)
        }
    }
}
