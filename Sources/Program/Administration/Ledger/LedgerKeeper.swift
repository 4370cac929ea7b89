// Maintains the ledger on a thread of its own, because a disk may be slow: it reads the workers' verifier fetches, and saves the
// ledger regularly and at the end. During a restart two servers have one file; each adds its own fetches to those that the other
// has written.

public import Posix
import Synchronization
public import Telemetry

public final class LedgerKeeper: Sendable {
    private let ledger: VerifierLedger
    private let metrics: WorkerMetrics
    private let folder: String
    private let saveMilliseconds: Int64
    /// What writing needs, if anything.
    private let lock: LateLock?
    private let replace: Replacing
    private let wakeUp: WakeUp
    private let state = Mutex(State())
    private let warnings = Mutex<[String]>([])
    private let failure = Mutex<SystemError?>(nil)

    /// Writes the file to a folder durably; calls `placed` when it has replaced the old one.
    typealias Replacing =
        @Sendable (_ folder: String, _ contents: () -> [UInt8], _ placed: () -> Void) throws(SystemError) -> Void

    private struct State {
        var thread: ThreadHandle?
        var isStopping = false
    }

    /// How often the ledger is saved; a killed process loses no more.
    public static let saveMilliseconds: Int64 = 30_000
    /// How often the workers' rings are emptied, well before they are full.
    private static let drainMilliseconds: Int32 = 500

    /// Reads the file, if there is one. If it is damaged, `takeWarnings` says so.
    public convenience init(
        _ ledger: VerifierLedger, _ metrics: WorkerMetrics, folder: String,
        saveMilliseconds: Int64 = LedgerKeeper.saveMilliseconds, lock: LateLock? = nil
    ) throws(SystemError) {
        try self.init(ledger, metrics, folder: folder, saveMilliseconds: saveMilliseconds, lock: lock) {
            folder, contents, placed throws(SystemError) in
            try File.replaceDurably(LedgerFile.name, in: folder, permissions: 0o600, contents: contents, placed: placed)
        }
    }

    init(
        _ ledger: VerifierLedger, _ metrics: WorkerMetrics, folder: String, saveMilliseconds: Int64,
        lock: LateLock? = nil, replace: @escaping Replacing
    ) throws(SystemError) {
        (self.replace, self.ledger, self.metrics, self.folder) = (replace, ledger, metrics, folder)
        (self.saveMilliseconds, self.lock) = (saveMilliseconds, lock)
        wakeUp = try WakeUp()
        let mark = mergeFile(changedSince: nil)
        let thread = try Thread(name: "ledger") { [self] in run(since: mark) }
        let handle = ThreadHandle(thread)
        state.withLock { $0.thread = handle }
    }

    /// The warnings since the last call.
    public func takeWarnings() -> [String] { warnings.exchange([]) }

    /// Why the state directory cannot be written; usually nil. It is tried even when there is nothing to save, so that an
    /// operator learns of it before something is lost.
    public var problem: SystemError? { failure.withLock { $0 } }

    /// Reads the last fetches, saves the ledger and ends the thread. To be called when the workers have ended.
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
            metrics.drainVerifierFetches { ledger.note($0) }
            mark = mergeFile(changedSince: mark)
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

    private func warn(_ text: String) { warnings.withLock { $0.append(text) } }

    /// Merges the file if it is not the one of the mark, and returns its mark.
    private func mergeFile(changedSince mark: FileStatus?) -> FileStatus? {
        guard let status = try? File.status(path), status != mark else { return mark }
        do throws(FileError) {
            if let file = LedgerFile(try File.read(path, bytesMax: LedgerFile.bytesMax).bytes) {
                ledger.merge(file)
            } else {
                warn("ignoring \(path): it is damaged; verifier fetches are recorded from now on")
            }
        } catch {
            warn("ignoring \(path): \(error)")
        }
        return status
    }

    private func save(_ mark: inout FileStatus?, isLast: Bool) throws(SystemError) {
        try Directory.createPrivate(folder)
        try lock?.claim()
        guard ledger.hasUnsaved else { return isLast ? () : try File.checkWritable(folder) }
        var latest = mark
        // Only this thread changes the ledger, and other processes cannot write the file meanwhile.
        let contents = {
            latest = self.mergeFile(changedSince: latest)
            return self.ledger.file.bytes
        }
        defer { mark = latest }
        try replace(folder, contents) {
            // The file contains this process's counts now, even if the disk fails later, so they must not be merged again.
            ledger.notePlaced()
            latest = (try? File.status(path)) ?? latest
        }
        ledger.noteSaved()
    }
}

extension VerifierLedger {
    var hasUnsaved: Bool { book.withLock { !$0.unsaved.isEmpty } }

    func noteFailure() { book.withLock { $0.figures.failures += 1 } }

    /// The content to be saved.
    var file: LedgerFile { book.withLock { LedgerFile(beganSeconds: $0.beganSeconds, records: $0.records) } }

    /// Notes that the file contains everything, though it may not be durable yet.
    func notePlaced() {
        book.withLock { book in
            for name in book.unsaved {
                for index in book.records[name]?.indices ?? 0..<0 { book.records[name]?[index].unsavedCount = 0 }
            }
        }
    }

    /// Notes that the file is durable.
    func noteSaved() {
        notePlaced()
        book.withLock { $0.unsaved = [] }
    }
}
