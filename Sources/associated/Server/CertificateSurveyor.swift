// Checks the certificates of all served hosts on a thread of its own: after the start, every hour, when their files change and when
// an operator asks, so that a fault shows before a client meets it. The thread has the lowest priority.

import Catalogue
import Posix
import TLS

final class CertificateSurveyor: Sendable {
    private let certificates: CertificateStore
    private let published: PublishedCatalogue
    private let requests: Mailbox<Requests>

    private struct Requests {
        /// Every served host, when it is time for that.
        var everything = false
        /// Every served host now, and open findings are reported again.
        var repeats = false
        /// Folders of `config/hosts`, and hosts that have changed, come or gone.
        var names: Set<String> = []
    }

    /// When the next work is due, by the monotonic clock. Used by the thread alone.
    private struct Agenda {
        /// Whether everything was asked for.
        var wantsEverything = false
        /// The hourly look at everything.
        var everything: Int64
        /// No survey of everything before this, unless an operator asks: it has had its share of the time.
        var rested: Int64 = 0
        var minute: Int64
        /// Folders whose files were in the middle of being replaced.
        var unsettled: Set<String> = []
        var unsettledDue: Int64 = .max

        var next: Int64 { min(wantsEverything ? notBefore : everything, minute, unsettledDue) }
    }

    private static let hourMilliseconds: Int64 = 3_600_000
    private static let minuteMilliseconds: Int64 = 60_000
    /// A little longer than handshakes wait between two looks.
    private static let unsettledMilliseconds: Int64 = 5_200
    /// This many times as long as a survey of everything has taken passes before the next one.
    private static let restShare: Int64 = 20
    /// Folders with errors that are looked at every minute: their file system may have no events.
    private static let watchedMax = 1_000

    /// Starts the thread, which ends with the process. It waits until something is wanted.
    init(_ certificates: CertificateStore, _ published: PublishedCatalogue) throws(SystemError) {
        self.certificates = certificates
        self.published = published
        requests = try Mailbox(Requests())
        let thread = try Thread(name: "survey") { [self] in
            Thread.stepBack()
            run()
        }
        thread.detach()
    }

    /// Looks at everything.
    func survey() { requests.leave { $0.everything = true } }

    /// Looks at everything now, and says again what is still wrong.
    func surveyAgain() { requests.leave { $0.repeats = true } }

    /// Looks at folders of `config/hosts`, and at hosts that have changed, come or gone.
    func survey(_ names: some Sequence<String>) {
        let names = Set(names)
        if names.isEmpty { return }
        requests.leave { requests in
            // What is in the folder of a wildcard or in `_default` may concern every host.
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
            }
            now = Clock.monotonicMilliseconds()
            if now >= schedule.unsettledDue {
                let names = schedule.unsettled
                (schedule.unsettled, schedule.unsettledDue) = ([], .max)
                check(names, &schedule)
                if names.contains(where: { $0.hasPrefix("_") }) { schedule.wantsEverything = true }
            }
            if now >= agenda.minute {
                agenda.minute = now + CertificateSurveyor.minuteMilliseconds
                look(at: certificates.foldersWithErrors(CertificateSurveyor.watchedMax), &agenda)
                certificates.judge(now: Clock.wallSeconds())
            }
            requests.wait(milliseconds: Int32(clamping: max(0, schedule.next - Clock.monotonicMilliseconds())))
        }
    }

    private func check(_ names: some Collection<String>, _ schedule: inout Schedule) {
        if names.isEmpty { return }
        let catalogue = published.current
        note(certificates.survey(only: names) { catalogue.configuredName(of: $0) == $0 }, &schedule)
    }

    /// Starts again when an operator asks meanwhile; what was looked at before takes no time then. Hosts that change meanwhile are
    /// looked at in between.
    private func lookAtEverything(repeats: Bool, _ agenda: inout Agenda) {
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
        certificates.judge(now: Clock.wallSeconds())
        agenda.everything = now + CertificateSurveyor.hourMilliseconds
        agenda.rested = now + (now - began) * CertificateSurveyor.restShare
    }

    private func note(_ outcome: SurveyOutcome, _ schedule: inout Schedule) {
        if outcome.wantsEverything { schedule.wantsEverything = true }
        if outcome.unsettled.isEmpty { return }
        schedule.unsettled.formUnion(outcome.unsettled)
        let due = Clock.monotonicMilliseconds() + CertificateSurveyor.unsettledMilliseconds
        // Others that keep changing do not push this one back.
        agenda.unsettledDue = min(agenda.unsettledDue, due)
    }
}
