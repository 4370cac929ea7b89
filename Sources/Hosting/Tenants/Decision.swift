// The outcome of a round before anything is changed: what was read, and what was decided about it. The commit applies it.

import Association
import Posix
import TLS

/// What was read in a round, and what was decided about it.
struct Decision {
    var scan = Scan()
    /// The candidates that do not come into service.
    var verdicts: [String: Admission.Verdict] = [:]
    /// Hosts that stay unchanged because they cannot be rendered.
    var unrenderable: Set<String>
    /// Files to read in a later round.
    var waiting: Set<String>
    /// The entries that each file makes live and that were not live before.
    var added: [String: Set<LiveIdentity>] = [:]
    /// Hosts of files whose landing page has changed.
    var hostsWithNewLanding: Set<String> = []

    /// The findings on app files, sorted by path. Those on an unchanged file are not repeated because something else has changed.
    func appFindings(knowing openFindings: OpenFindings, label: String) -> [Finding] {
        var findings = scan.appFindings
        let telling = scan.candidates.filter { !$0.value.findings.isEmpty }
        for (path, candidate) in telling.sorted(by: { $0.key < $1.key }) {
            let kept = candidate.findings.prefix(AppFindings.ofFileMax)
            if !scan.filesToReport.contains(path), let known = openFindings.files[path], known.elementsEqual(kept) {
                continue
            }
            for finding in candidate.findings { findings.append(finding, at: path) }
        }
        return findings.all(in: label)
    }
}
