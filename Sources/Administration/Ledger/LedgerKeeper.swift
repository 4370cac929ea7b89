// Keeps the ledger: takes away what the workers saw, and writes it down now and then and at the end, on a thread of its own,
// because a disk may take its time. Two servers may have one file while one takes over from the other: each adds what it saw
// to what the other has written.

public import Posix
import Synchronization
public import Telemetry

public final class LedgerKeeper: Sendable {
    private let ledger: VerifierLedger
    private let records: Records
    private let folder: String
    private let saveMilliseconds: Int64
    private let replace: Replacing
    private let wakeUp: WakeUp
    private let state = Mutex(State())
    private let complaints = Mutex<[String]>([])
    private let failure = Mutex<SystemError?>(nil)

    /// Writes the file into a folder, and says when it is in its place and when it outlasts a loss of power.
    typealias Replacing =
        @Sendable (_ folder: String, _ contents: () -> [UInt8], _ placed: () -> Void) throws(SystemError) -> Void

    private struct State {
        var thread: ThreadHandle?
        var isStopping = false
    }

    /// What a killed process may lose.
    public static let saveMilliseconds: Int64 = 30_000
    /// How often the workers' records are taken away: well before there is no more room for them.
    private static let drainMilliseconds: Int32 = 500

    /// Reads what is there. `complaints` says what is wrong with it.
    public convenience init(
        _ ledger: VerifierLedger, _ records: Records, folder: String,
        saveMilliseconds: Int64 = LedgerKeeper.saveMilliseconds
    ) throws(SystemError) {
        try self.init(ledger, records, folder: folder, saveMilliseconds: saveMilliseconds) {
            folder, contents, placed throws(SystemError) in
            try File.replaceDurably(
                LedgerFile.name, in: folder, permissions: 0o600, contents: contents, placed: placed)
        }
    }

    init(
        _ ledger: VerifierLedger, _ records: Records, folder: String, saveMilliseconds: Int64,
        replace: @escaping Replacing
    ) throws(SystemError) {
        (self.replace, self.ledger, self.records, self.folder) = (replace, ledger, records, folder)
        self.saveMilliseconds = saveMilliseconds
        wakeUp = try WakeUp()
        let mark = absorb(since: nil)
        let thread = try Thread(name: "ledger") { [self] in run(since: mark) }
        let handle = ThreadHandle(thread)
        state.withLock { $0.thread = handle }
    }

    /// What there is to say, each the end of a sentence about the server. Each is said once.
    public func takeComplaints() -> [String] {
        complaints.withLock { complaints in
            defer { complaints = [] }
            return complaints
        }
    }

    /// Why nothing can be written to the state directory at present; usually nil. Tried even when there is nothing to write,
    /// so that an operator learns of it before something is lost.
    public var problem: String? { failure.withLock { $0?.reason } }

    /// Takes away what is left, writes it down and ends. To be called when the workers have ended.
    public func stop() {
        let handle = state.withLock { state in
            state.isStopping = true
            defer { state.thread = nil }
            return state.thread
        }
        wakeUp.wake()
        handle?.join()
    }

    private func run(since mark: FileStatus?) {
        var mark = mark
        var nextSave = Clock.monotonicMilliseconds() + saveMilliseconds
        while true {
            _ = wakeUp.wait(milliseconds: LedgerKeeper.drainMilliseconds)
            let isLast = state.withLock { $0.isStopping }
            records.drainSightings { ledger.note($0) }
            mark = absorb(since: mark)
            let now = Clock.monotonicMilliseconds()
            if isLast || now >= nextSave {
                nextSave = now + saveMilliseconds
                do throws(SystemError) {
                    try save(&mark, isLast: isLast)
                    failure.withLock { $0 = nil }
                } catch {
                    ledger.noteFailure()
                    failure.withLock { $0 = error }
                }
            }
            if isLast { return }
        }
    }

    private var path: String { "\(folder)/\(LedgerFile.name)" }

    private func complain(_ text: String) { complaints.withLock { $0.append(text) } }

    /// Takes up the file if it is another one than that of the mark, and says what marks it now.
    private func absorb(since mark: FileStatus?) -> FileStatus? {
        guard let status = try? File.status(path), status != mark else { return mark }
        do throws(FileError) {
            if let file = LedgerFile(try File.read(path, bytesMax: LedgerFile.bytesMax).bytes) {
                ledger.merge(file)
            } else {
                complain("left \(path) aside: it is damaged; what verifiers fetched is recorded anew")
            }
        } catch {
            complain("left \(path) aside: \(error)")
        }
        return status
    }

    private func save(_ mark: inout FileStatus?, isLast: Bool) throws(SystemError) {
        try Directory.create(folder, permissions: 0o700)
        guard ledger.hasUnsaved else { return isLast ? () : try File.probe(folder) }
        var latest = mark
        // Nobody but this thread adds anything meanwhile, and whoever else writes the file waits until we have.
        let contents = {
            latest = self.absorb(since: latest)
            return self.ledger.file.bytes
        }
        defer { mark = latest }
        try replace(folder, contents) {
            // From now on it has what we counted, also when the disk does not take it: it is ours, and not to be added.
            ledger.notePlaced()
            latest = (try? File.status(path)) ?? latest
        }
        ledger.noteSaved()
    }
}

extension VerifierLedger {
    var hasUnsaved: Bool { book.withLock { !$0.unsaved.isEmpty } }

    func noteFailure() { book.withLock { $0.figures.failures += 1 } }

    /// All of it, as it is to be written.
    var file: LedgerFile { book.withLock { LedgerFile(beganSeconds: $0.beganSeconds, records: $0.records) } }

    /// All of it is in the file now, which may not be on disk yet.
    func notePlaced() {
        book.withLock { book in
            for name in book.unsaved {
                for index in book.records[name]?.indices ?? 0..<0 { book.records[name]?[index].unsavedCount = 0 }
            }
        }
    }

    /// And it is on disk.
    func noteSaved() {
        notePlaced()
        book.withLock { $0.unsaved = [] }
    }
}
