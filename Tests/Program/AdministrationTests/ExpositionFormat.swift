// A strict reader of Prometheus's text format, version 0.0.4, written from its description. Anything missing, repeated,
// in the wrong order or not a number is an error.

/// The contents of a scrape.
struct ExpositionFormat {
    struct Family: Equatable {
        var kind: String
        var help: String
        /// By the name and the labels as written.
        var samples: [String: Double] = [:]
    }

    struct Fault: Error, CustomStringConvertible { let description: String }

    private(set) var families: [String: Family] = [:]
    /// Names in order.
    private(set) var names: [String] = []

    init(_ text: String) throws(Fault) {
        guard text.hasSuffix("\n") else { throw Fault(description: "the last line has no end") }
        var current: String?
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("# HELP ") {
                let parts = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
                guard parts.count == 4, families[parts[2]] == nil, ExpositionFormat.isName(parts[2]) else {
                    throw Fault(description: "help that is not in its place: \(line)")
                }
                families[parts[2]] = Family(kind: "", help: parts[3])
                names.append(parts[2])
                current = parts[2]
            } else if line.hasPrefix("# TYPE ") {
                let parts = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
                guard parts.count == 4, parts[2] == current, families[parts[2]]?.kind == "",
                    ["counter", "gauge", "histogram"].contains(parts[3])
                else { throw Fault(description: "type that is not in its place: \(line)") }
                families[parts[2]]?.kind = parts[3]
            } else {
                try read(sample: line, current)
            }
        }
        for name in names { try check(name) }
    }

    subscript(series: String) -> Double? {
        let name = String(series.prefix { $0 != "{" })
        let base = ["_bucket", "_sum", "_count"].reduce(name) { $0.hasSuffix($1) ? String($0.dropLast($1.count)) : $0 }
        return families[name]?.samples[series] ?? families[base]?.samples[series]
    }

    private mutating func read(sample line: String, _ current: String?) throws(Fault) {
        guard let current, let family = families[current], !family.kind.isEmpty else {
            throw Fault(description: "a sample before its type: \(line)")
        }
        guard let space = line.lastIndex(of: " "),
            let value = ExpositionFormat.number(line[line.index(after: space)...])
        else { throw Fault(description: "no number: \(line)") }
        let series = String(line[..<space])
        let name = String(series.prefix { $0 != "{" })
        let suffixes = family.kind == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
        guard suffixes.contains(where: { name == current + $0 }) else {
            throw Fault(description: "a sample of another family: \(line)")
        }
        guard try ExpositionFormat.labels(series.dropFirst(name.count)) else {
            throw Fault(description: "labels that cannot be read: \(line)")
        }
        guard families[current]?.samples.updateValue(value, forKey: series) == nil else {
            throw Fault(description: "said twice: \(line)")
        }
    }

    /// Bucket counts never decrease, and the last is the count.
    private func check(_ name: String) throws(Fault) {
        guard let family = families[name], !family.samples.isEmpty, !family.kind.isEmpty else {
            throw Fault(description: "\(name) has no samples")
        }
        if family.kind == "counter", !name.hasSuffix("_total") {
            throw Fault(description: "\(name) counts, and does not end in _total")
        }
        if family.kind != "counter", name.hasSuffix("_total") {
            throw Fault(description: "\(name) does not count, and ends in _total")
        }
        if family.kind == "counter", family.samples.values.contains(where: { !($0 >= 0) }) {
            throw Fault(description: "\(name) is below nothing")
        }
        guard family.kind == "histogram" else { return }
        var buckets: [(Double, Double)] = []
        for (series, value) in family.samples where series.hasPrefix("\(name)_bucket{le=\"") {
            let bound = series.dropFirst("\(name)_bucket{le=\"".count).prefix { $0 != "\"" }
            guard let number = ExpositionFormat.number(bound) else { throw Fault(description: "no bound: \(series)") }
            buckets.append((number, value))
        }
        buckets.sort { $0.0 < $1.0 }
        guard let last = buckets.last, last.0 == .infinity, last.1 == family.samples["\(name)_count"],
            family.samples["\(name)_sum"] != nil, zip(buckets, buckets.dropFirst()).allSatisfy({ $0.1 <= $1.1 })
        else { throw Fault(description: "\(name) is no histogram") }
    }

    private static func isName(_ name: String) -> Bool { name.wholeMatch(of: /[a-zA-Z_:][a-zA-Z0-9_:]*/) != nil }

    private static func number(_ text: Substring) -> Double? {
        switch text {
        case "+Inf": .infinity
        case "-Inf": -.infinity
        case "NaN": .nan
        default: text.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/) != nil ? Double(text) : nil
        }
    }

    private static func labels(_ text: Substring) throws(Fault) -> Bool {
        if text.isEmpty { return true }
        let pattern =
            /\{([a-zA-Z_][a-zA-Z0-9_]*="([^"\\\n]|\\[\\"n])*"(,[a-zA-Z_][a-zA-Z0-9_]*="([^"\\\n]|\\[\\"n])*")*)?\}/
        return text.wholeMatch(of: pattern) != nil
    }
}
