// The thread of a node that publishes: it does what is due, writes the live releases to the node's folder, and records what the server makes
// of them. A change through this node wakes it; those of other nodes are seen within two seconds.

import Database
import Posix
public import Store
import TLS

/// What the server of this node says about the published files.
public protocol PublishedSource: Sendable {
    /// The files of a tenant that the server has read; nil if it cannot be asked.
    func files(of tenant: String) -> [ServedAppFile]?
}

/// A published file as the server has it.
public struct ServedAppFile: Sendable, Equatable {
    /// Without the folder of the tenant; empty for the folder itself, of which nothing is read.
    public var name: String
    /// Of the bytes that it has read last, as in the release.
    public var digest: String
    /// `served`, `held` or `broken`.
    public var state: String
    public var detail: String

    public init(name: String, digest: String, state: String, detail: String) {
        (self.name, self.digest, self.state, self.detail) = (name, digest, state, detail)
    }
}

/// The database has no release, though there are some on this node: it is new, or another one.
struct UnknownHistory: Error, CustomStringConvertible {
    let folder: String

    var description: String {
        "the database knows no release, but \(folder) has some, which stay served: it is new, or that of another manager; restore a backup, "
            + "or publish everything again"
    }
}

/// Used by one thread.
public struct PublishingWorker: ~Copyable {
    private let number: Int
    private let publisher: Publisher
    private let control: WorkControl
    private let folder: PublishedFolder
    private let node: String
    private let source: any PublishedSource
    /// Tenants whose release the server has not judged yet.
    private var pending: Set<String> = []
    /// Whether there may be more of them: of the last run, or of a step that failed.
    private var mayMiss = true
    private var problem: String?
    private var tickDue: Int64 = 0

    private static let tickMilliseconds: Int64 = 1_000
    private static let restMilliseconds: Int64 = 2_000
    /// A server publishes a change within a tenth of a second, usually.
    private static let askMilliseconds: Int64 = 100
    private static let askedMax = 20

    public init(
        _ number: Int, _ publisher: Publisher, _ control: WorkControl, folder: PublishedFolder, node: String,
        source: any PublishedSource
    ) {
        (self.number, self.publisher, self.control) = (number, publisher, control)
        (self.folder, self.node, self.source) = (folder, node, source)
    }

    /// Works until the process ends.
    public mutating func run() {
        control.work(number) { () throws(DatabaseError) in
            do {
                try step()
                note(nil)
            } catch let error as DatabaseError {
                throw error
            } catch let error as APIProblem {
                throw error.database ?? DatabaseError(.statement, error.detail)
            } catch let error as UnknownHistory {
                note("\(error)")
            } catch {
                note("cannot write the published files to \(folder.path): \(error); trying again")
            }
            return !pending.isEmpty ? PublishingWorker.askMilliseconds : PublishingWorker.restMilliseconds
        }
    }

    private mutating func note(_ problem: String?) {
        if let problem, problem != self.problem { control.log(.error, problem) }
        if problem == nil, self.problem != nil { control.log(.info, "publishing works again") }
        self.problem = problem
        publisher.note(problem: problem)
    }

    mutating func step(now: Int64 = Clock.monotonicMilliseconds()) throws {
        var surprise: UnknownHistory?
        do {
            for tenant in try publisher.apply(to: folder) {
                pending.insert(tenant)
                control.logHost("published the app files of \(tenant)", .info)
            }
        } catch let error as UnknownHistory { surprise = error } catch {
            mayMiss = true
            throw error
        }
        if pending.isEmpty, mayMiss {
            pending = try publisher.tenantsWithoutOutcome(on: node)
            mayMiss = !pending.isEmpty
        }
        for tenant in pending.shuffled().prefix(PublishingWorker.askedMax) {
            guard let files = source.files(of: tenant) else { break }
            if let live = try publisher.live(of: tenant) {
                guard let outcome = PublishingWorker.outcome(live.files, files) else { continue }
                try publisher.note(outcome.state, outcome.detail, of: live.release, node: node)
                if outcome.state == "served" { try folder.noteServed(tenant) }
            }
            pending.remove(tenant)
        }
        if now >= tickDue {
            tickDue = now + PublishingWorker.tickMilliseconds
            try publisher.tick { control.logHost($0) }
        }
        if let surprise { throw surprise }
    }

    /// What has become of a release; nil as long as the server has not read all of it.
    static func outcome(
        _ wanted: [(name: String, digest: String)], _ files: [ServedAppFile]
    ) -> (state: String, detail: String)? {
        let found = Dictionary(files.map { ($0.name, $0) }) { first, _ in first }
        for (name, digest) in wanted where found[name]?.digest != digest && !found.keys.contains("") { return nil }
        // A removed file is there as long as the server has not read that it is gone, or holds it.
        let names = Set(wanted.map(\.name))
        if files.contains(where: { !names.contains($0.name) && $0.state == "served" }) { return nil }
        let bad = files.first { $0.state == "broken" } ?? files.first { $0.state != "served" }
        return bad.map { ($0.state, $0.detail) } ?? ("served", "")
    }
}

extension Publisher {
    /// Writes the live releases that have changed to this node's folder. If the database's history is not the one that the folder comes
    /// from, because it is another database or an earlier state of it that has changed since, all tenants are compared, and what it does not
    /// have is left alone.
    /// - Returns: the tenants whose files are new.
    func apply(to folder: PublishedFolder) throws -> [String] {
        var position = folder.position
        var changed: [String] = []
        while true {
            let (isKnown, tenants, last) = try read { transaction throws(DatabaseError) in
                let isKnown = try AuditLog.digest(of: position.entry, in: transaction) == position.digest
                return (
                    isKnown, try PublishingTenant.changed(after: isKnown ? position.seq : 0, in: transaction),
                    try AuditLog.last(in: transaction)
                )
            }
            if !isKnown, tenants.isEmpty, position.seq > 0 { throw UnknownHistory(folder: folder.path) }
            for tenant in tenants {
                // One after the other: all together may be large.
                let content = try read { transaction throws(DatabaseError) in
                    try Release.content(of: tenant.name, tenant.live, in: transaction)
                }
                try folder.replace(tenant.name, with: content)
                changed.append(tenant.name)
            }
            guard let seq = tenants.last?.seq else { return changed }
            position = PublishedFolder.Position(seq: seq, entry: last.seq, digest: last.digest)
            try folder.remember(position)
        }
    }
}
