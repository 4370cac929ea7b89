// What a round writes into the change journal.

import Administration
import Association
import Catalogue
import HTTP
import Hosting
import Posix
import Supervision
import Telemetry
import Tenancy

extension ChangeJournal {
    func began(_ loaded: RoundReport) throws(SystemError) {
        let now = Clock.wallSeconds()
        var entries = [Entry(time: HTTPDate.timestamp(now), event: "started", hosts: loaded.figures.hosts)]
        if loaded.hasNewOtherState, let other = loaded.otherStates.last {
            var lost = Entry(time: entries[0].time, event: Entry.setAside, hosts: other.lostHosts.count)
            lost.documents = [
                Entry.Document(path: other.path, what: Array(other.lostHosts.prefix(ChangeJournal.hostsOfRoundMax)))
            ]
            entries.append(lost)
        }
        // If the folder is missing, the reason is why it cannot be created.
        try Directory.createPrivate(folder)
        try append(entries)
        // Changes while no process ran; the versions before are not known.
        try note(loaded, from: loaded.catalogue, atSeconds: now)
    }

    func note(
        _ report: RoundReport, from old: Catalogue, atSeconds now: Int64
    ) throws(SystemError) {
        let changes = report.changes
        let time = HTTPDate.timestamp(now)
        let told = FairShare.fitting(changes, room: ChangeJournal.hostsOfRoundMax, tenant: \.tenant)
        var entries = told.map { ChangeJournal.entry($0, time, old, report.catalogue) }
        if changes.count > entries.count {
            entries.append(Entry(time: time, event: "more", hosts: changes.count - entries.count))
        }
        try append(entries)
    }

    private static func entry(
        _ change: HostChange, _ time: String, _ old: Catalogue, _ new: Catalogue
    ) -> Entry {
        let documents = change.documents.map { document in
            var what: [String] = []
            if document.before != nil, document.after != nil,
                let before = old.body(of: change.host, path: document.path),
                let after = new.body(of: change.host, path: document.path)
            {
                what = DocumentChange.words(from: before, to: after)
            }
            return Entry.Document(path: document.path, before: document.before, after: document.after, what: what)
        }
        return Entry(
            time: time, host: change.host, folder: change.folder, event: change.kind.rawValue, documents: documents,
            pages: change.pageCount)
    }
}
