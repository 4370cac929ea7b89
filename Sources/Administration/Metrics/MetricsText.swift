// The text format of Prometheus, version 0.0.4: two lines about a family, then a line for each of its samples.

enum MetricsText {
    static func bytes(of families: [MetricFamily]) -> [UInt8] {
        var text: [UInt8] = []
        for family in families where !family.samples.isEmpty {
            text += "# HELP \(family.name) \(escaped(family.help, quotes: false))\n".utf8
            text += "# TYPE \(family.name) \(family.kind.rawValue)\n".utf8
            for sample in family.samples {
                text += "\(family.name)\(sample.suffix)\(labels(sample.labels)) \(sample.value.text)\n".utf8
            }
        }
        return text
    }

    private static func labels(_ labels: [MetricFamily.Label]) -> String {
        if labels.isEmpty { return "" }
        return "{\(labels.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }.joined(separator: ","))}"
    }

    /// Backslashes and line feeds end nothing, and quotation marks no label.
    private static func escaped(_ text: String, quotes: Bool) -> String {
        guard text.utf8.contains(where: { $0 == 0x5C || $0 == 0x0A || $0 == 0x22 }) else { return text }
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
