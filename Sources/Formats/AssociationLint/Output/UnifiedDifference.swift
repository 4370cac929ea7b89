// The difference of two texts in the format of `diff -u`: hunks with three lines around each change.

package struct UnifiedDifference {
    package let text: String

    private static let context = 3

    /// The mark is a space for a line of both texts, `-` for one of the old text, and `+` for one of the new text.
    private typealias Line = (mark: Character, text: String)

    /// - Parameter exists: whether the old and the new file exist.
    package init(from old: String, to new: String, path: String, exists: (old: Bool, new: Bool) = (true, true)) {
        let lines = UnifiedDifference.lines(UnifiedDifference.split(old), UnifiedDifference.split(new))
        var result = ""
        for hunk in UnifiedDifference.hunks(of: lines) {
            let (before, inside) = (lines[..<hunk.lowerBound], lines[hunk])
            let (oldCount, newCount) = (inside.count { $0.mark != "+" }, inside.count { $0.mark != "-" })
            let oldStart = before.count { $0.mark != "+" } + (oldCount > 0 ? 1 : 0)
            let newStart = before.count { $0.mark != "-" } + (newCount > 0 ? 1 : 0)
            result += "@@ -\(oldStart),\(oldCount) +\(newStart),\(newCount) @@\n"
            for line in inside { result += "\(line.mark)\(line.text)\n" }
        }
        text =
            result.isEmpty
            ? "" : "--- \(exists.old ? path : "/dev/null")\n+++ \(exists.new ? path : "/dev/null")\n\(result)"
    }

    private static func split(_ text: String) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() } else { lines[lines.count - 1] += "\n\\ No newline at end of file" }
        return lines
    }

    private static func lines(_ old: [String], _ new: [String]) -> [Line] {
        var removed: Set<Int> = []
        var added: Set<Int> = []
        for change in new.difference(from: old) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): added.insert(offset)
            }
        }
        var lines: [Line] = []
        var (place, other) = (0, 0)
        while place < old.count || other < new.count {
            if removed.contains(place) {
                lines.append(("-", old[place]))
                place += 1
            } else if added.contains(other) {
                lines.append(("+", new[other]))
                other += 1
            } else {
                lines.append((" ", old[place]))
                place += 1
                other += 1
            }
        }
        return lines
    }

    /// The changes with the lines around them, joined where they meet.
    private static func hunks(of lines: [Line]) -> [Range<Int>] {
        var hunks: [Range<Int>] = []
        for index in lines.indices where lines[index].mark != " " {
            let hunk = max(0, index - context)..<min(lines.count, index + context + 1)
            if let last = hunks.last, hunk.lowerBound <= last.upperBound {
                hunks[hunks.count - 1] = last.lowerBound..<max(last.upperBound, hunk.upperBound)
            } else {
                hunks.append(hunk)
            }
        }
        return hunks
    }
}
