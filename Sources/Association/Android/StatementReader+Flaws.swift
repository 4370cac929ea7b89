// What AOSP makes of the broken entries of a list, said where the list is wrong: which Android versions reject the whole
// file because of one entry, and which statements go with it.

import SourceJSON

extension StatementReader {
    /// Adds the consequence to the finding about each flaw. A flaw that is no mistake to anybody else gets a finding of its
    /// own where it costs an app its links.
    mutating func report(_ flaws: [StatementFlaw], in list: StatementList) {
        let apps = list.statements.filter(\.verifiesLinks).map(\.range)
        for flaw in flaws.prefix(FindingList.findingsMax) {
            let others = apps.filter { $0 != flaw.entry }
            let consequence = consequence(of: flaw, for: others)
            let isHarmful = flaw.rejectsListSince != nil && !apps.isEmpty
            if findings.extend(at: flaw.range, with: consequence, raising: isHarmful) { continue }
            guard isHarmful else { continue }
            findings.report(
                .dal045, at: flaw.range, "\(flaw.reason); \(consequence)",
                fix: flaw.rejectsListSince == .android6
                    ? "remove it, or write it as a string"
                    : "remove the statement, or serve it from a host that has no app")
        }
    }

    private func consequence(of flaw: StatementFlaw, for others: [SourceRange]) -> String {
        guard let since = flaw.rejectsListSince else { return "Android skips the statement" }
        let whose = others.isEmpty ? "" : ", with \(Self.statements(in: others.map(\.start.line)))"
        switch since {
        case .android6: return "every Android version rejects the whole file\(whose)"
        case .android12:
            return "Android 12 and later reject the whole file\(whose), and Android 11 and earlier skip the statement"
        case .android15: return "Android 15 and later reject the whole file\(whose)"
        }
    }

    private static func statements(in lines: [Int]) -> String {
        let numbers = Set(lines).sorted()
        let named = numbers.prefix(3).map { String($0) }
        if numbers.count > 3 { return "the statements in lines \(named.joined(separator: ", ")) and others" }
        guard let last = named.last, named.count > 1 else {
            return lines.count == 1 ? "the statement in line \(named.first ?? "")" : "the other statements"
        }
        return "the statements in lines \(named.dropLast().joined(separator: ", ")) and \(last)"
    }
}

extension Statement {
    /// Whether an app's links depend on it.
    fileprivate var verifiesLinks: Bool {
        guard case .androidApp? = target else { return false }
        return relations.contains { $0.text == StatementRelation.handleAllURLs }
    }
}
