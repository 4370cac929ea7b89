// Tripwires for length. Past them, ask which two things it is; if it is one, say so in AllowList.

extension HouseRule {
    static let linesOfFileMax = 500
    static let linesOfFunctionMax = 70

    static let fileLength = HouseRule(name: "files of at most 500 lines") { file in
        let count = file.text.lines.count - 1
        guard count > linesOfFileMax else { return [] }
        return [
            Violation(
                path: file.path, line: count,
                message: "\(count) lines are more than \(linesOfFileMax); " + "find the second type in it")
        ]
    }

    static let functionLength = HouseRule(name: "functions of at most 70 lines") { file in
        functions(in: file.text.code).compactMap { function in
            guard function.count > linesOfFunctionMax else { return nil }
            return Violation(
                path: file.path, line: function.line,
                message: "\(function.name) has \(function.count) lines, more than \(linesOfFunctionMax); "
                    + "give a step of it a name of its own", subject: "\(file.path) \(function.name)")
        }
    }

    /// Where each function starts and how many lines it has. Relies on the formatter: what belongs to a declaration is
    /// indented deeper, and its closing brace stands under it.
    static func functions(in code: [String]) -> [(name: String, line: Int, count: Int)] {
        code.indices.compactMap { start in
            guard let name = functionName(code[start]) else { return nil }
            let indent = indentation(code[start])
            for index in code.indices.dropFirst(start + 1) {
                let line = code[index].drop { $0 == " " }
                if line.isEmpty || indentation(code[index]) > indent { continue }
                if line.hasPrefix(")") || line.hasPrefix("{") || line.hasPrefix("where") { continue }
                return line.hasPrefix("}") && indentation(code[index]) == indent
                    ? (name, start + 1, index - start + 1) : nil
            }
            return nil
        }
    }

    /// The name of the function, initialiser or computed property that this line declares.
    private static func functionName(_ line: String) -> String? {
        let words = line.split { $0 == " " || $0 == "(" || $0 == "<" || $0 == ":" }
        if let position = words.firstIndex(of: "func") {
            return position + 1 < words.count ? String(words[position + 1]) : "func"
        }
        if let position = words.firstIndex(of: "var"), position + 1 < words.count, line.hasSuffix("{") {
            return String(words[position + 1])
        }
        let starts: Set<Substring> = ["init", "init?", "deinit", "subscript"]
        let modifiers: Set<Substring> = ["public", "package", "private", "fileprivate", "convenience", "@inlinable"]
        guard let first = words.first(where: { !modifiers.contains($0) }), starts.contains(first) else { return nil }
        return String(first)
    }

    private static func indentation(_ line: String) -> Int { line.prefix { $0 == " " }.count }
}
