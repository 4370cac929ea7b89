// Checks the certificates of all served hosts on a thread of its own: after the start, every hour, when their files change and
// when an operator asks, so that problems are found before a client meets them. The thread has the lowest priority.

import Catalogue
import Posix
import TLS

final class CertificateSurveyor: Sendable {
    private let certificates: CertificateStore
    private let published: PublishedCatalogue
    private let requests: Mailbox<Requests>

    private struct Requests {
        /// All served hosts, when a survey is due.
        var everything = false
        /// All served hosts now; open findings are reported again.
        var isRequested = false
        /// Folders of `config/hosts`, and hosts that have changed or were added or removed.
        var names: Set<String> = []
    }

    /// When the next work is due, by the monotonic clock. Used by the thread only.
    private struct Schedule {
        var wantsEverything = false
        /// When the hourly survey is due.
        var everything: Int64
        /// The earliest time of a survey that an operator did not ask for, so that surveys take a limited share of the time.
        var notBefore: Int64 = 0
        var minute: Int64
        /// Folders whose files were being replaced.
        var unsettled: Set<String> = []
        var unsettledDue: Int64 = .max

        var next: Int64 { min(wantsEverything ? notBefore : everything, minute, unsettledDue) }
    }

    private static let hourMilliseconds: Int64 = 3_600_000
    private static let minuteMilliseconds: Int64 = 60_000
    /// Slightly longer than the interval of checks by handshakes.
    private static let unsettledMilliseconds: Int64 = 5_200
    /// A survey is followed by a pause of this many times its duration.
    private static let restShare: Int64 = 20
    /// How many folders with errors are checked every minute, because their file system may have no events.
    private static let watchedMax = 1_000

    /// Starts the thread, which runs until the process exits and first waits for a request.
    init(_ certificates: CertificateStore, _ published: PublishedCatalogue) throws(SystemError) {
        self.certificates = certificates
        self.published = published
        requests = try Mailbox(Requests())
        let thread = try Thread(name: "survey") { [self] in
            Thread.lowerPriority()
            run()
        }
        thread.detach()
    }

    func survey() { requests.leave { $0.everything = true } }

    /// Requests a survey of everything now; open findings are reported again.
    func surveyNow() { requests.leave { $0.isRequested = true } }

    /// Requests a survey of folders of `config/hosts`, and of hosts that have changed or were added or removed.
    func survey(_ names: some Sequence<String>) {
        let names = Set(names)
        if names.isEmpty { return }
        requests.leave { requests in
            // The folder of a wildcard or `_default` may concern every host.
            if names.contains(where: { $0.hasPrefix("_") }) { requests.everything = true }
            requests.names.formUnion(names)
        }
    }
}

/// The work of the thread.
extension CertificateSurveyor {
    private func run() {
        requests.wait(milliseconds: -1)
        let began = Clock.monotonicMilliseconds()
        var schedule = Schedule(
            everything: began + CertificateSurveyor.hourMilliseconds,
            minute: began + CertificateSurveyor.minuteMilliseconds)
        while true {
            let wanted = requests.take()
            var now = Clock.monotonicMilliseconds()
            schedule.wantsEverything = schedule.wantsEverything || wanted.everything || now >= schedule.everything
            check(wanted.names, &schedule)
            if wanted.isRequested || schedule.wantsEverything && now >= schedule.notBefore {
                checkEverything(isRequested: wanted.isRequested, &schedule)
                // It has read every certificate, and threads that began together with it are done.
                Memory.returnFreed()
            }
            now = Clock.monotonicMilliseconds()
            if now >= schedule.unsettledDue {
                let names = schedule.unsettled
                (schedule.unsettled, schedule.unsettledDue) = ([], .max)
                check(names, &schedule)
                if names.contains(where: { $0.hasPrefix("_") }) { schedule.wantsEverything = true }
            }
            if now >= schedule.minute {
                schedule.minute = now + CertificateSurveyor.minuteMilliseconds
                check(certificates.register.foldersWithErrors(CertificateSurveyor.watchedMax), &schedule)
                certificates.register.updateExpiries(Clock.wallSeconds())
            }
            requests.wait(milliseconds: Int32(clamping: max(0, schedule.next - Clock.monotonicMilliseconds())))
        }
    }

    private func check(_ names: some Collection<String>, _ schedule: inout Schedule) {
        if names.isEmpty { return }
        let catalogue = published.current
        note(certificates.survey(only: names) { catalogue.configuredName(of: $0) == $0 }, &schedule)
    }

    /// Starts again if an operator asks in between; what has been checked takes no time then. Changed hosts are checked in
    /// between.
    private func checkEverything(isRequested: Bool, _ schedule: inout Schedule) {
        let began = Clock.monotonicMilliseconds()
        schedule.wantsEverything = false
        var isRequested = isRequested
        var isWhole = false
        while !isWhole {
            let outcome = certificates.survey(published.current.servedHosts, repeats: isRequested) {
                let wanted = requests.take()
                schedule.wantsEverything = schedule.wantsEverything || wanted.everything
                check(wanted.names, &schedule)
                isRequested = isRequested || wanted.isRequested
                return !wanted.isRequested
            }
            note(outcome, &schedule)
            isWhole = outcome.isWhole
        }
        let now = Clock.monotonicMilliseconds()
        certificates.register.updateExpiries(Clock.wallSeconds())
        schedule.everything = now + CertificateSurveyor.hourMilliseconds
        schedule.notBefore = now + (now - began) * CertificateSurveyor.restShare
    }

    private func note(_ outcome: SurveyOutcome, _ schedule: inout Schedule) {
        if outcome.wantsEverything { schedule.wantsEverything = true }
        if outcome.unsettled.isEmpty { return }
        schedule.unsettled.formUnion(outcome.unsettled)
        let due = Clock.monotonicMilliseconds() + CertificateSurveyor.unsettledMilliseconds
        // Folders that keep changing must not delay this one.
        schedule.unsettledDue = min(schedule.unsettledDue, due)
    }
}
