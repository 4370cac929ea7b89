// Names in one folder that differ in their bytes alone: `é` as one character, and as `e` with an accent that joins it. A file
// system keeps them apart, texts compare as the same, and so the server sees one of them.

import Association
import Posix
import SourceJSON

enum LookalikeNames {
    private static let depthMax = 16

    /// A finding for each name below a folder that another one looks like.
    static func findings(below folder: String, depth: Int = 0) -> [Finding] {
        guard let entries = try? Directory.entries(folder) else { return [] }
        let names = entries.map(\.name).filter { !$0.hasPrefix(".") }
        let groups = Dictionary(grouping: names) { $0 }.filter { $0.value.count > 1 }
        let found = groups.keys.sorted().map { name in
            Finding(
                rule: "CFG-008", severity: .error, file: "\(folder)/\(name)", range: nil,
                message:
                    "\(groups[name]?.count ?? 2) names look like \(name) and differ in how their characters are composed "
                    + "(\((groups[name] ?? []).map(spelling).sorted().joined(separator: ", "))), so only one of them is served",
                fix: "rename the others")
        }
        guard depth < depthMax else { return found }
        return found
            + entries.filter { $0.kind == .directory && !$0.name.hasPrefix(".") }.flatMap {
                findings(below: "\(folder)/\($0.name)", depth: depth + 1)
            }
    }

    /// What is not ASCII, by its code points.
    private static func spelling(_ name: String) -> String {
        name.unicodeScalars.filter { !$0.isASCII }.map { scalar in
            let hex = String(scalar.value, radix: 16, uppercase: true)
            return "U+" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
        }.joined(separator: " ")
    }
}
