// The difference of two texts in the format of `diff -u`: hunks with three lines around each change.

struct UnifiedDifference {
    let text: String

    private static let context = 3

    private enum Line {
        case both(String)
        case removed(String)
        case added(String)

        var isChange: Bool {
            if case .both = self { return false }
            return true
        }

        var text: String {
            switch self {
            case .both(let line): " \(line)"
            case .removed(let line): "-\(line)"
            case .added(let line): "+\(line)"
            }
        }
    }

    init(from old: String, to new: String, path: String) {
        let lines = UnifiedDifference.lines(UnifiedDifference.split(old), UnifiedDifference.split(new))
        var result = ""
        for hunk in UnifiedDifference.hunks(of: lines) {
            let before = lines[..<hunk.lowerBound]
            let inside = lines[hunk]
            let oldCount = inside.count { if case .added = $0 { false } else { true } }
            let newCount = inside.count { if case .removed = $0 { false } else { true } }
            let oldStart = before.count { if case .added = $0 { false } else { true } } + (oldCount > 0 ? 1 : 0)
            let newStart = before.count { if case .removed = $0 { false } else { true } } + (newCount > 0 ? 1 : 0)
            result += "@@ -\(oldStart),\(oldCount) +\(newStart),\(newCount) @@\n"
            for line in inside { result += line.text + "\n" }
        }
        text = result.isEmpty ? "" : "--- \(path)\n+++ \(path)\n\(result)"
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
                lines.append(.removed(old[place]))
                place += 1
            } else if added.contains(other) {
                lines.append(.added(new[other]))
                other += 1
            } else {
                lines.append(.both(old[place]))
                place += 1
                other += 1
            }
        }
        return lines
    }

    /// The changes with the lines around them, joined where they meet.
    private static func hunks(of lines: [Line]) -> [Range<Int>] {
        var hunks: [Range<Int>] = []
        for index in lines.indices where lines[index].isChange {
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
