// Checks the certificates of all served hosts on a thread of its own: after the start, every hour, when their files change and
// when an operator asks, so that problems are found before a client meets them. The thread has the lowest priority.

import Catalogue
import Certificates
import Posix
import TLS

final class CertificateSurveyor: Sendable {
    private let certificates: CertificateStore
    private let published: PublishedCatalogue
    private let requests: Mailbox<Requests>

    private struct Requests {
        /// All served hosts, when a survey is due.
        var everything = false
        /// All served hosts soon; open findings are reported again.
        var isRequested = false
        /// Folders of `config/hosts`, and hosts that have changed or were added or removed.
        var names: Set<String> = []
    }

    /// When the next work is due, by the monotonic clock. Used by the thread only.
    private struct Schedule {
        var wantsEverything = false
        /// An operator wants a survey that reports open findings again.
        var isRequested = false
        /// When the hourly survey is due.
        var everything: Int64
        /// When the last complete survey ended, and how long it took without changed folders.
        var ended: Int64 = 0
        var took: Int64 = 0
        var minute: Int64
        var changed = ChangedFolders()
        /// How long changed folders took in all.
        var changedTook: Int64 = 0
        /// Folders whose files were being replaced.
        var unsettled: Set<String> = []
        var unsettledDue: Int64 = .max

        /// When the next complete survey is due. They take a limited share of the time, however often they are wanted.
        var complete: Int64 {
            // The log shows the findings of each requested survey again.
            if isRequested { return ended + min(max(took * CertificateSurveyor.requestedRestShare, 1_000), 60_000) }
            return wantsEverything ? min(ended + took * CertificateSurveyor.restShare, everything) : everything
        }

        var next: Int64 { min(complete, minute, unsettledDue, changed.due) }
    }

    private static let hourMilliseconds: Int64 = 3_600_000
    private static let minuteMilliseconds: Int64 = 60_000
    /// Slightly longer than the interval of checks by handshakes.
    private static let unsettledMilliseconds: Int64 = 5_200
    /// A survey is followed by a pause of this many times its duration.
    private static let restShare: Int64 = 20
    /// The same if an operator asks for the next one.
    private static let requestedRestShare: Int64 = 4
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

    /// Requests a survey of everything that reports open findings again: now, or soon after another one.
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
            checkUrgent(&schedule)
            if Clock.monotonicMilliseconds() >= schedule.complete {
                checkEverything(&schedule)
                // It has read every certificate, and threads that began together with it are done.
                Memory.returnFreed()
            }
            requests.wait(milliseconds: Int32(clamping: max(0, schedule.next - Clock.monotonicMilliseconds())))
        }
    }

    /// What does not wait for the end of a complete survey.
    private func checkUrgent(_ schedule: inout Schedule) {
        let wanted = requests.take()
        schedule.wantsEverything = schedule.wantsEverything || wanted.everything
        schedule.isRequested = schedule.isRequested || wanted.isRequested
        let now = Clock.monotonicMilliseconds()
        schedule.changed.note(wanted.names, at: now)
        if now >= schedule.unsettledDue {
            schedule.changed.note(schedule.unsettled, at: now)
            if schedule.unsettled.contains(where: { $0.hasPrefix("_") }) { schedule.wantsEverything = true }
            (schedule.unsettled, schedule.unsettledDue) = ([], .max)
        }
        if now >= schedule.minute {
            schedule.minute = now + CertificateSurveyor.minuteMilliseconds
            schedule.changed.note(certificates.register.foldersWithErrors(CertificateSurveyor.watchedMax), at: now)
            certificates.register.updateExpiries(Clock.wallSeconds())
        }
        checkChanged(&schedule, now)
    }

    /// Checks the changed folders that do not rest.
    private func checkChanged(_ schedule: inout Schedule, _ began: Int64) {
        var now = began
        for name in schedule.changed.take(at: now) {
            let catalogue = published.current
            note(certificates.survey(only: [name]) { catalogue.configuredName(of: $0) == $0 }, &schedule)
            let end = Clock.monotonicMilliseconds()
            schedule.changed.rest(name, after: now..<end)
            now = end
        }
        schedule.changedTook += now - began
    }

    private func checkEverything(_ schedule: inout Schedule) {
        let (began, before) = (Clock.monotonicMilliseconds(), schedule.changedTook)
        let isRequested = schedule.isRequested
        (schedule.wantsEverything, schedule.isRequested) = (false, false)
        let outcome = certificates.survey(published.current.servedHosts, repeats: isRequested) {
            checkUrgent(&schedule)
            Thread.yield()
        }
        note(outcome, &schedule)
        certificates.register.updateExpiries(Clock.wallSeconds())
        schedule.ended = Clock.monotonicMilliseconds()
        schedule.took = schedule.ended - began - (schedule.changedTook - before)
        schedule.everything = schedule.ended + CertificateSurveyor.hourMilliseconds
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
