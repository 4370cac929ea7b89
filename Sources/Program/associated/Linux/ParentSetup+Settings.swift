// What the parent works with, from the settings: at its start, and for each upgrade.

import Database
import Management
import Posix
import Settings
import Supervision

extension ParentSetup {
    init(_ loaded: LoadedSettings, after former: ParentSetup?) throws {
        let problems = StartProblems(loaded)
        if let objection = problems.inSettings ?? problems.inDescriptors {
            // A server reports them; here only what keeps it from being started.
            for finding in loaded.findings { Log.finding(finding) }
            throw Refusal.failure(former == nil ? "not started: \(objection)" : objection)
        }
        if former == nil, loaded.isDevelopment, !loaded.settings.manager.isWanted,
            let problem = DatabaseLocation.sqliteProblem
        {
            Log.info("no console: \(problem)")
        }
        // With the defaults, the new server could listen elsewhere, and as another user.
        if former?.hasSettingsFile == true, loaded.text == nil {
            throw Refusal.failure(
                "\(loaded.configPath)/server.json is gone; put it back, or restart to use the defaults")
        }
        let account = try loaded.settings.user.map(Account.init)
        // It would replace a manager that works. At a start, the server serves, and the manager says what its problem is.
        if former != nil { try ManagerInputs.check(loaded) }
        // The sockets for the manager and for the operator are usually there.
        SandboxPlaces(loaded).createState(for: account)
        // Before the sockets of the other server are replaced.
        let lock = try former?.lock ?? StateLock.take(in: loaded.statePath, for: account)
        let sockets = try (former?.sockets ?? ListeningSet()).adapted(
            to: loaded.settings, socketCount: loaded.settings.workers ?? processorCount(),
            link: loaded.settings.manager.isWanted ? loaded.linkPath : nil)
        try self.init(
            sockets: sockets, wantsManager: loaded.settings.manager.isWanted,
            hasSeparateManager: loaded.settings.manager.isSeparate, text: loaded.text, lock: lock)
    }
}
