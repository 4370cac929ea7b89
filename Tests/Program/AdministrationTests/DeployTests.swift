// The files for Prometheus and Grafana, checked against the existing metrics and their documentation.

import Foundation
import Telemetry
import Testing

@testable import Administration

struct DeployTests {
    private static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..")
        .standardizedFileURL

    private static func read(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// Names of series, with the values that each label may have.
    private static let series: [String: [String: Set<String>]] = {
        var series: [String: [String: Set<String>]] = [:]
        var snapshot = Samples.snapshot
        // Every optional series is present.
        for kind in VerifierKind.known {
            (snapshot.status.verifiers.lastSeconds[kind], snapshot.status.verifiers.lastConfirmedSeconds[kind]) = (1, 1)
        }
        (snapshot.process.virtualBytes, snapshot.process.startSeconds) = (1, 1)
        for family in snapshot.families + Samples.ofManager {
            for sample in family.samples {
                for label in sample.labels {
                    series[family.name + sample.suffix, default: [:]][label.name, default: []].insert(label.value)
                }
                if sample.labels.isEmpty { series[family.name + sample.suffix, default: [:]] = [:] }
            }
        }
        return series
    }()

    /// What is wrong with the metrics that an expression names.
    private static func faults(in expression: String) -> [String] {
        var faults: [String] = []
        var count = 0
        for match in expression.matches(of: /\b((?:associated|process)_[a-z_]+)(\{([^}]*)\})?/) {
            count += 1
            let name = String(match.1)
            guard let labels = series[name] else {
                faults.append("there is no metric \(name)")
                continue
            }
            for matcher in (match.3 ?? "").matches(of: /([a-z_]+)=(~?)"([^"]*)"/) {
                // Labels and series that Prometheus adds itself.
                if ["instance", "job"].contains(matcher.1) { continue }
                let values = matcher.2.isEmpty ? [matcher.3] : matcher.3.split(separator: "|")
                for value in values where labels[String(matcher.1)]?.contains(String(value)) != true {
                    faults.append("\(name) has no \(matcher.1)=\"\(value)\"")
                }
            }
        }
        for match in expression.matches(of: /by \(([^)]*)\)/) {
            for label in match.1.split(separator: ", ") where !["instance", "job", "le"].contains(label) {
                if !series.values.contains(where: { $0[String(label)] != nil }) { faults.append("no label \(label)") }
            }
        }
        if count == 0, !expression.hasPrefix("up{") { faults.append("no metric of this server") }
        return faults
    }

    /// The alerts of the file by name; its format is deliberately simple.
    private static func alerts() throws -> [(name: String, lines: [String])] {
        var alerts: [(name: String, lines: [String])] = []
        for line in try read("deploy/prometheus/alerts.yaml").split(separator: "\n").map(String.init) {
            if let match = line.wholeMatch(of: /[ ]+- alert: (\w+)/) {
                alerts.append((String(match.1), []))
            } else if !alerts.isEmpty {
                alerts[alerts.count - 1].lines.append(line.trimmingCharacters(in: .whitespaces))
            }
        }
        return alerts
    }

    @Test func `detects an expression with an unknown metric or label`() {
        #expect(DeployTests.faults(in: "associated_hosts > 0").isEmpty)
        #expect(DeployTests.faults(in: "associated_hostz > 0") == ["there is no metric associated_hostz"])
        #expect(
            DeployTests.faults(in: "rate(associated_requests_total{status=\"6xx\"}[5m])") == [
                "associated_requests_total has no status=\"6xx\""
            ])
        #expect(DeployTests.faults(in: "associated_handshakes_total{outcome=~\"full|odd\"}").count == 1)
        #expect(DeployTests.faults(in: "sum by (colour) (associated_hosts)") == ["no label colour"])
        #expect(DeployTests.faults(in: "1 > 0") == ["no metric of this server"])
    }

    @Test func `each alert uses existing metrics and has a severity`() throws {
        let alerts = try DeployTests.alerts()
        #expect(alerts.count >= 15)
        #expect(Set(alerts.map(\.name)).count == alerts.count)
        for (name, lines) in alerts {
            let expression = try #require(lines.first { $0.hasPrefix("expr: ") }, "\(name)").dropFirst("expr: ".count)
            #expect(
                DeployTests.faults(in: String(expression)).isEmpty,
                "\(name): \(DeployTests.faults(in: String(expression)))")
            #expect(
                lines.contains { $0.wholeMatch(of: /labels: \{ severity: (critical|warning) \}/) != nil }, "\(name)")
            #expect(lines.contains { $0.hasPrefix("summary: ") }, "\(name)")
        }
    }

    @Test func `each alert has a paragraph in the documentation, and each paragraph an alert`() throws {
        let text = try DeployTests.read("docs/operations.md")
        var paragraphs: [String: String] = [:]
        for match in text.matches(of: /\n### (Associated\w+)\n\n((?:.+\n)+)/) {
            #expect(paragraphs.updateValue(String(match.2), forKey: String(match.1)) == nil, "\(match.1) twice")
        }
        #expect(paragraphs.keys.sorted() == (try DeployTests.alerts()).map(\.name).sorted())
        for (name, paragraph) in paragraphs { #expect(paragraph.count > 150, "\(name) says too little") }
    }

    @Test func `the documentation explains exactly the existing metrics`() throws {
        let text = try DeployTests.read("docs/operations.md")
        for family in Samples.snapshot.families + Samples.ofManager {
            #expect(text.contains("`\(family.name)"), "\(family.name) stands nowhere in docs/operations.md")
        }
        let names = Set(DeployTests.series.keys).union(Samples.snapshot.families.map(\.name))
        for match in text.matches(of: /`((?:associated|process)_[a-z_]+)/) {
            #expect(names.contains(String(match.1)), "\(match.1) is no metric")
        }
    }

    @Test func `each panel of the dashboard uses existing metrics`() throws {
        let data = try Data(contentsOf: DeployTests.root.appendingPathComponent("deploy/grafana/associated.json"))
        let dashboard = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let panels = try #require(dashboard["panels"] as? [[String: Any]])
        #expect(Set(panels.compactMap { $0["id"] as? Int }).count == panels.count)
        var expressions: [String] = []
        for panel in panels where panel["type"] as? String != "row" {
            let targets = try #require(panel["targets"] as? [[String: Any]])
            #expect(!targets.isEmpty)
            expressions += targets.compactMap { $0["expr"] as? String }
            #expect(Set(targets.compactMap { $0["refId"] as? String }).count == targets.count)
        }
        #expect(expressions.count > 30)
        for expression in expressions {
            #expect(DeployTests.faults(in: expression).isEmpty, "\(DeployTests.faults(in: expression)): \(expression)")
        }
        // Nothing overlaps.
        var taken: Set<[Int]> = []
        for panel in panels {
            let place = try #require(panel["gridPos"] as? [String: Int])
            for x in 0..<(place["w"] ?? 0) {
                for y in 0..<(place["h"] ?? 0) {
                    let cell = [(place["x"] ?? 0) + x, (place["y"] ?? 0) + y]
                    #expect(cell[0] < 24)
                    #expect(taken.insert(cell).inserted, "\(panel["title"] ?? "") overlaps another panel")
                }
            }
        }
    }
}
