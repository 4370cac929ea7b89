// Patterns that cover more than their author thought, shown by what else stands in the list.

import SourceJSON

extension AppleListLint {
    func reportNeighbours(_ rules: [Rule], _ findings: inout FindingList) {
        reportBarePaths(rules, &findings)
        reportPrefixes(rules, &findings)
    }

    /// `/buy/*` and after it a rule of its own for `/buy`: the author takes them for different.
    private func reportBarePaths(_ rules: [Rule], _ findings: inout FindingList) {
        var lastUse: [ExactText: Int] = [:]
        for (index, rule) in rules.enumerated() {
            if let path = rule.path, rule.isPathOnly { lastUse[ExactText(withoutSlash(path))] = index }
        }
        let reading = { (rule: Rule) in
            [rule.component.caseSensitive ?? true, rule.component.percentEncoded ?? true]
        }
        for (index, rule) in rules.enumerated() {
            guard let path = rule.path, rule.isPathOnly, path.ends(with: "/*"), path.utf8.count > 2 else { continue }
            let bare = path.dropping(lastBytes: 2)
            guard let later = lastUse[ExactText(bare)], later > index, reading(rules[later]) == reading(rule) else {
                continue
            }
            findings.report(
                .aasa047, at: rule.range,
                "\(path.quoted) also matches \(bare.quoted), from iOS 13 on, so the later rule for it decides nothing",
                fix: "write \((bare + "/?*").quoted), or drop the rule for \(bare.quoted)")
        }
    }

    private func withoutSlash(_ path: String) -> String {
        path.ends(with: "/") && path.utf8.count > 1 ? path.dropping(lastBytes: 1) : path
    }

    /// `/buy*` and elsewhere `/buyer/…`.
    private func reportPrefixes(_ rules: [Rule], _ findings: inout FindingList) {
        let sorted = rules.compactMap(\.path).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for rule in rules where rule.isPathOnly {
            guard let path = rule.path, path.ends(with: "*"), path.begins(with: "/") else { continue }
            let prefix = path.dropping(lastBytes: 1)
            guard let last = prefix.last, last.isLetter || last.isNumber, !prefix.contains(run: "*"),
                !prefix.contains(run: "?")
            else { continue }
            guard let neighbour = neighbour(of: prefix, in: sorted) else { continue }
            findings.report(
                .aasa048, at: rule.range, "\(path.quoted) also matches what \(neighbour.quoted) is for",
                fix: "write \((prefix + "/*").quoted), which matches \(prefix.quoted) as well")
        }
    }

    /// A path that goes on after the prefix in the same segment; the first among its next neighbours in the alphabet.
    private func neighbour(of prefix: String, in sorted: [String]) -> String? {
        var low = 0
        var high = sorted.count
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle].utf8.lexicographicallyPrecedes(prefix.utf8) { low = middle + 1 } else { high = middle }
        }
        return sorted[low...].prefix(20).first { path in
            guard path.begins(with: prefix), let next = path.dropping(firstBytes: prefix.utf8.count).first else {
                return false
            }
            return next.isLetter || next.isNumber || next == "-" || next == "_"
        }
    }
}
