// What the answers say about certificates, put into the words of reports. It comes from surveys and from memory, so nothing here
// waits for a disk.

import Administration
import Association
import Hosting
import Posix
import TLS

extension CertificateFigures {
    init(_ store: CertificateStore, listMax: Int, now: Int64) {
        self.init()
        let survey = store.surveyed(now: now)
        (usable, lastGood) = (survey.counts[.usable] ?? 0, survey.counts[.lastGood] ?? 0)
        (broken, missing) = (survey.counts[.broken] ?? 0, survey.counts[.missing] ?? 0)
        (inMemory, isComplete) = (store.identityCount, survey.isComplete)
        (standing, found) = (Counts(survey.standing), Counts(survey.found))
        loadFailures = survey.found.loadFailures
        (soonest, lifeLeftMin) = (survey.soonest.map { Expiry($0) }, survey.lifeLeftMin)
        problems = store.problems(listMax).map { CertificateReport.Problem($0) }
    }
}

extension CertificateFigures.Counts {
    fileprivate init(_ counts: ProblemCounts) {
        self.init(errors: counts.errors, warnings: counts.warnings, notes: counts.notes)
    }
}

extension CertificateFigures.Expiry {
    init(_ expiry: CertificateSurvey.Expiry) {
        self.init(folder: expiry.folder, notAfter: expiry.notAfter, issuer: expiry.issuer)
    }
}

extension CertificateReport {
    init(_ certificate: HostCertificate) {
        self.init(
            folder: certificate.folder, state: certificate.state.rawValue, notAfter: certificate.summary?.notAfter,
            serial: certificate.summary?.serialText, issuer: certificate.summary?.issuer,
            problems: certificate.problems.map { Problem($0) })
    }
}

extension CertificateReport.Problem {
    fileprivate init(_ standing: StandingProblem) {
        let problem = standing.problem
        self.init(
            folder: standing.folder, sinceSeconds: standing.sinceSeconds, rule: problem.id,
            severity: problem.severity.rawValue, finding: Console.line(Finding(problem)))
    }
}
