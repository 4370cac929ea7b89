// What operators see of the certificates that the manager orders, in words and as JSON: `associated status`, `associated acme` and the
// manager's admin listener say the same. The commands read the store, so they work while no manager runs, for users who can read
// the state directory.

import Administration
import Database
import Issuance
import Management
import Posix
import SourceJSON
import Store
import Supervision

/// The certificate of one host, or those of all hosts in numbers with the hosts that need a person.
enum IssuanceOverview {
    case host(IssuanceReport?, QueueForecast?, obstacle: String?)
    case all(IssuanceFigures)

    /// Says why if the store cannot be read.
    static func load(_ host: String?, _ loaded: LoadedSettings) -> IssuanceOverview? {
        do {
            let inputs = try ManagerInputs(loaded)
            var store = try inputs.openStore(limits: .glance)
            guard let host else {
                return .all(
                    try store.read { transaction throws(DatabaseError) in try IssuanceFigures(in: transaction) })
            }
            return try load(host, inputs, &store)
        } catch {
            Console.error(line: "cannot show the manager's certificates: \(error)")
            return nil
        }
    }

    static func load(
        _ host: String, _ inputs: ManagerInputs, _ store: inout Store
    ) throws(DatabaseError) -> IssuanceOverview {
        let (report, forecast) = try store.read {
            transaction throws(DatabaseError) -> (IssuanceReport?, QueueForecast?) in
            let report = try IssuanceReport.load(host, in: transaction)
            // The turn of one host depends on the whole queue.
            guard report?.state == .queued, let rules = inputs.rules else { return (report, nil) }
            return (report, try QueueForecast(rules, PublicSuffixes(), in: transaction))
        }
        return .host(report, forecast, obstacle: inputs.obstacle)
    }

    var lines: [String] {
        switch self {
        case .host(nil, _, _): []
        case .host(let report?, let forecast, let obstacle):
            ["ordered certificate: \(report.line(forecast, obstacle: obstacle))"]
                + report.details(obstacle: obstacle)
        case .all(let figures):
            ["ordered certificates: \(figures.counts ?? "none yet")"] + figures.accountLimits.map { "  \($0.line)" }
                + IssuanceReport.lines(figures.stuck, nil, obstacle: nil, max: IssuanceFigures.attentionMax)
        }
    }

    /// Whether no host waits for a person without a valid certificate.
    var isFine: Bool {
        guard case .all(let figures) = self else { return true }
        let now = Clock.wallSeconds()
        return figures.stuck.allSatisfy { CertificateTerm($0)?.isOver(now: now) == false }
    }

    /// For `--format json`. Times are in seconds since 1970.
    var members: [(String, SourceValue)] {
        switch self {
        case .host(let report, _, _): [("orderedCertificate", report?.jsonValue ?? .null)]
        case .all(let figures): figures.members
        }
    }
}
