// What no text of this project contains, whatever its language.

extension HouseRule {
    static let whiteSpace = HouseRule(name: "no tabs, no blanks at the end of a line") { file in
        file.text.lines.enumerated().compactMap { number, line in
            let fault: String? =
                line.contains("\t")
                ? "a tab; use spaces"
                : line.contains("\r")
                    ? "a carriage return; lines end with a line feed alone"
                    : line.last == " " ? "blanks at the end of the line; delete them" : nil
            return fault.map { Violation(path: file.path, line: number + 1, message: $0) }
        }
    }

    /// A path below one of these exists on one machine only.
    private static let personalFolders = ["Users", "home", "root", "work"]

    static let machinePaths = HouseRule(name: "no path of one machine") { file in
        file.text.lines.enumerated().compactMap { number, line in
            guard let folder = personalFolders.first(where: { mentions(line, "/\($0)/") }) else { return nil }
            return Violation(
                path: file.path, line: number + 1,
                message: "a path below /\(folder), which is one machine's own; "
                    + "use a path relative to the project or a temporary folder")
        }
    }

    /// Whether the line has this absolute path: the same words inside a URL or a longer path do not count.
    private static func mentions(_ line: String, _ folder: String) -> Bool {
        line.ranges(of: folder).contains { found in
            guard let before = line[..<found.lowerBound].last else { return true }
            return !before.isIdentifierPart && !"./-*%?}".contains(before)
        }
    }
}
