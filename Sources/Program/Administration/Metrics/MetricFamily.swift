// A metric of Prometheus (a name, a help text, and samples with labels) and its text format (version 0.0.4). Label values never
// depend on what clients send or on the number of hosts.

/// All samples of one name.
public struct MetricFamily: Sendable, Equatable {
    public var name: String
    public var kind: Kind
    public var help: String
    public var samples: [Sample]

    public enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    public struct Sample: Sendable, Equatable {
        /// Appended to the name of the family: `_bucket`, `_sum` or `_count` in a histogram.
        public var suffix = ""
        public var labels: [Label] = []
        public var value: MetricValue

        public init(suffix: String = "", labels: [Label] = [], _ value: MetricValue) {
            (self.suffix, self.labels, self.value) = (suffix, labels, value)
        }
    }

    public struct Label: Sendable, Equatable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            (self.name, self.value) = (name, value)
        }
    }

    public init(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        (self.name, self.kind, self.help, self.samples) = (name, kind, help, samples)
    }
}

/// Families of the usual shapes.
extension MetricFamily {
    /// A family of one sample; of none if there is no number.
    static func gauge<Number: MetricNumber>(_ name: String, _ help: String, _ number: Number?) -> MetricFamily {
        MetricFamily(name, .gauge, help, number.map { [Sample($0.metricValue)] } ?? [])
    }

    static func counter<Number: MetricNumber>(_ name: String, _ help: String, _ number: Number?) -> MetricFamily {
        MetricFamily(name, .counter, help, number.map { [Sample($0.metricValue)] } ?? [])
    }

    /// A family with a sample for each value of a label.
    static func labelled(
        _ name: String, _ kind: Kind, _ help: String, _ label: String, _ numbers: [(String, some MetricNumber)]
    ) -> MetricFamily {
        MetricFamily(name, kind, help, numbers.map { Sample(labels: [Label(label, $0)], $1.metricValue) })
    }

    /// A family whose labels say something, and whose number is always 1.
    static func info(_ name: String, _ help: String, _ labels: [Label]) -> MetricFamily {
        MetricFamily(name, .gauge, help, [Sample(labels: labels, .count(1))])
    }
}

protocol MetricNumber {
    var metricValue: MetricValue { get }
}

extension Int: MetricNumber { var metricValue: MetricValue { MetricValue(self) } }
extension Double: MetricNumber { var metricValue: MetricValue { .number(self) } }
extension Bool: MetricNumber { var metricValue: MetricValue { .count(self ? 1 : 0) } }
extension MetricValue: MetricNumber { var metricValue: MetricValue { self } }

/// A number; a count is exact.
public enum MetricValue: Sendable, Equatable {
    case count(UInt64)
    case number(Double)

    init(_ count: Int) { self = .count(UInt64(clamping: count)) }

    var text: String {
        switch self {
        case .count(let count): return "\(count)"
        case .number(let number):
            if number.isNaN { return "NaN" }
            if number.isInfinite { return number < 0 ? "-Inf" : "+Inf" }
            if number == number.rounded(), abs(number) < 1e15 { return "\(Int64(number))" }
            return "\(number)"
        }
    }
}

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

    /// Escapes backslashes and line feeds, and in labels quotation marks.
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
