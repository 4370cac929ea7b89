// How hosts with one cause are shown together.

import Certificates
import SourceJSON
import TLS
import Tenancy
import Testing

@testable import Administration

struct ProblemGroupsTests {
    @Test(arguments: [
        ("h2", "h10"), ("h1.example", "h1.example.com"), ("a1b2", "a1b10"), ("a", "b"), ("h2", "hx"), ("", "a"),
        ("9", "10"), ("h01", "h2"), ("h01", "h1x"), ("h01", "h1"),
        ("a9999999999999999999998", "a9999999999999999999999"),
    ])
    func `orders names by their numbers`(first: String, second: String) {
        #expect(ProblemGroups.isBefore(first, second))
        #expect(!ProblemGroups.isBefore(second, first))
        #expect(!ProblemGroups.isBefore(first, first))
    }

    @Test(arguments: [
        (1, "h1"), (2, "h1, h2"), (3, "h1, h2, h3"), (4, "h1, h2, h3 and 1 more"), (50, "h1, h2, h3 and 47 more"),
    ])
    func `names the first hosts and counts the others`(count: Int, text: String) {
        #expect(ProblemGroups.list((1...count).map { "h\($0)" }, count: count) == text)
    }

    @Test func `keeps the order of causes, and items without one alone`() {
        let groups = ProblemGroups.grouped(["a1", "-", "b1", "a2", "-"]) { $0 == "-" ? nil : String($0.prefix(1)) }
        #expect(groups == [["a1", "a2"], ["-"], ["b1"], ["-"]])
    }

    private static func missing(_ host: String, severity: String = "warning", since: Int64 = 50)
        -> CertificateReport.Problem
    {
        .init(
            folder: host, sinceSeconds: since, rule: "CERT-025", severity: severity,
            finding: "hosts/\(host)/fullchain.pem: \(severity)[CERT-025]: there is no certificate for \(host) yet")
    }

    @Test func `the status has a cause once, errors first, and in JSON each host`() throws {
        var problems = (1...50).map { ProblemGroupsTests.missing("h\($0).example", since: Int64(1_000 - $0)) }
        problems[6].isOrEarlier = true
        problems.append(ProblemGroupsTests.missing("x.example", severity: "error", since: Samples.now))
        let causes = CertificateReport.Problem.causes(problems, max: 20)
        #expect(causes.map(\.count) == [1, 50])
        #expect(causes[0] == problems[50])
        #expect(causes[1].alike == ["h2.example", "h3.example"] && causes[1].sinceSeconds == 950)
        #expect(CertificateReport.Problem.causes(problems, max: 1).map(\.folder) == ["x.example"])
        // A tenant with many different causes leaves room for those of others.
        let many = (1...30).map { number in
            CertificateReport.Problem(
                folder: "a\(number).example", sinceSeconds: 1, rule: "CERT-011", severity: "error",
                finding: "for b\(number).example only")
        }
        let fair = CertificateReport.Problem.causes(many + problems, max: 20) {
            TenantID(of: $0, folder: $0.hasPrefix("a") ? "a" : nil)
        }
        #expect(fair.count == 20 && fair.contains { $0.folder == "x.example" })
        var status = Samples.status
        var certificates = Samples.certificates
        (certificates.problems, certificates.causes) = (Array(problems.prefix(20)), causes)
        (certificates.open.errors, certificates.open.warnings) = (1, 70)
        status.certificates = certificates
        let lines = status.text.split(separator: "\n").map(String.init)
        let first = try #require(lines.firstIndex { $0.contains("CERT-025") })
        #expect(
            lines[first]
                == "  x.example, since 2026-11-20 (just now): hosts/x.example/fullchain.pem: error[CERT-025]: there is no "
                + "certificate for x.example yet")
        #expect(
            lines[first + 1].hasPrefix("  h1.example, h2.example, h3.example and 47 more, since 1970-01-01 (")
                && lines[first + 1].hasSuffix(
                    " ago) or earlier: hosts/HOST/fullchain.pem: warning[CERT-025]: there is no certificate for HOST yet"
                ))
        #expect(lines[first + 2] == "  and 20 more")
        let value = try #require(SourceReader.read(status.json, as: .json).value)
        #expect(StatusReport(value)?.certificates?.causes == causes)
        #expect(StatusReport(value)?.certificates?.problems.count == 20)
        // An invented number.
        status.certificates?.causes[1].count = .max
        status.certificates?.causes[0].count = .min
        #expect(status.text.contains("x.example, since "))
    }

    /// Each row: the seconds for which the manager is silent, its problem, the silence of the main loop in milliseconds, and whether all
    /// is fine.
    @Test(
        arguments: [
            (5, nil, 0, true), (59, nil, 14_999, true), (60, nil, 0, false), (5, "it exited with status 1", 0, false),
            (5, nil, 15_000, false),
        ] as [(Int64, String?, Int64, Bool)])
    func `a manager that cannot work, and a silent main loop, need an operator`(
        silent: Int64, problem: String?, control: Int64, isFine: Bool
    ) {
        var status = StatusReport()
        status.certificates = CertificateFigures()
        status.reloads.controlMilliseconds = control
        #expect(
            status.text.contains("\nmain loop: silent for 15 seconds, so changes are not noticed; ")
                == (control == 15_000))
        status.manager = ManagerSilence(seconds: silent)
        status.manager?.problem = problem
        #expect(status.isFine == isFine)
    }
}
