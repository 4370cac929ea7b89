// What the threads that do work share: the end of the process, rests between pieces of work, whether the store can be used, and what
// is worth a line in the log.

public import Database
public import Posix
import Synchronization

/// Shared by the manager's threads.
public final class WorkControl: Sendable {
    public enum Level: Sendable {
        case info, warning, error
    }

    private struct State {
        var isStopping = false
        var outage = StoreOutage()
        /// The database of the outage, for messages.
        var storeLocation: String?
        /// Why the process has to end.
        var failure: String?
        var said: Set<String> = []
        /// The lines about single hosts in the present minute, and its end.
        var hostProblems = (count: 0, end: Int64(0))
        /// Why the server does not answer, by what it was asked for.
        var sourceProblems: [String: String] = [:]
    }

    private let state = Mutex(State())
    private let bells: [Bell]
    private let write: @Sendable (Level, String) -> Void

    /// Wakes one worker.
    private final class Bell: Sendable {
        let wakeUp: WakeUp

        init(_ wakeUp: consuming WakeUp) { self.wakeUp = wakeUp }
    }

    /// - Parameter workerCount: the threads that rest between pieces of work.
    public init(
        workerCount: Int, log: @escaping @Sendable (Level, String) -> Void
    ) throws(SystemError) {
        var bells: [Bell] = []
        for _ in 0..<workerCount { bells.append(Bell(try WakeUp())) }
        (self.bells, write) = (bells, log)
    }

    public func log(_ level: Level, _ text: String) { write(level, text) }

    /// Logs what each worker notices, but only one has to say.
    public func logOnce(_ level: Level, _ text: String) {
        if state.withLock({ $0.said.insert(text).inserted }) { log(level, text) }
    }

    /// How many lines about single hosts are logged in a minute. A fleet whose DNS records are missing has thousands of problems, and
    /// an authority may want all certificates renewed.
    public static let hostLinesMax = 10

    /// Logs what concerns one host, unless there is much.
    public func logHost(_ text: String, _ level: Level = .warning) {
        let count = state.withLock { state in
            state.hostProblems.count += 1
            return state.hostProblems.count
        }
        if count <= WorkControl.hostLinesMax { log(level, text) }
    }

    /// How many lines about hosts were not logged in the last minute; 0 until it has ended.
    public func takeOmittedHosts(now: Int64 = Clock.monotonicMilliseconds()) -> Int {
        state.withLock { state in
            guard now >= state.hostProblems.end else { return 0 }
            defer { state.hostProblems = (0, now + 60_000) }
            return max(0, state.hostProblems.count - WorkControl.hostLinesMax)
        }
    }

    public var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Lets the threads end after their present step.
    public func stop() {
        state.withLock { $0.isStopping = true }
        wake()
    }

    /// Lets resting threads look for work.
    public func wake() { for bell in bells { bell.wakeUp.wake() } }

    /// Lets one resting thread look for work.
    public func wake(_ worker: Int) { bells[worker].wakeUp.wake() }

    private static let storeRestMilliseconds: Int64 = 10_000

    /// Has a worker do one step after the other until the process ends.
    /// - Parameter step: returns how long to rest afterwards, in milliseconds.
    public func work(_ worker: Int, _ step: () throws(DatabaseError) -> Int64) {
        while !isStopping {
            var pause = WorkControl.storeRestMilliseconds
            do throws(DatabaseError) {
                pause = try step()
                noteStore(nil)
            } catch {
                noteStore(error)
            }
            if pause > 0 { rest(worker, milliseconds: pause) }
        }
    }

    /// Waits until there may be work, or for the end.
    public func rest(_ worker: Int, milliseconds: Int64) {
        if isStopping { return }
        _ = bells[worker].wakeUp.wait(milliseconds: Int32(clamping: milliseconds))
        bells[worker].wakeUp.clear()
    }

    /// Notes whether the store could be used, and says so when that changes. What lasts ends the process.
    public func noteStore(_ error: DatabaseError?) {
        let now = Clock.monotonicMilliseconds()
        guard let error else {
            let ended = state.withLock { state in
                state.outage.endsWithSuccess(now: now).map { (state.storeLocation ?? "the store", $0 / 1_000) }
            }
            if let (location, seconds) = ended {
                let time = seconds < 120 ? "\(seconds) s" : "\(seconds / 60) min"
                log(.info, "\(location) can be used again; it could not for \(time), until about a minute ago")
            }
            return
        }
        if error.isLasting { return fail(error.description) }
        let isNews = state.withLock { state in
            state.storeLocation = error.location
            return state.outage.isNews(error.description, now: now)
        }
        if isNews { log(.error, error.description) }
    }

    /// Notes that a change was written to the store, so that it has no problem now.
    public func noteWriting() { state.withLock { $0.outage.noteWriting() } }

    /// Why the store cannot be used; nil if it can.
    public var storeProblem: String? { state.withLock { $0.outage.problem } }

    /// Since when, by the monotonic clock.
    public var storeProblemSince: Int64? { state.withLock { $0.outage.beganAt } }

    /// Ends the process, which is started again.
    public func fail(_ reason: String) {
        state.withLock { $0.failure = $0.failure ?? reason }
        stop()
    }

    /// Why the process has to end; nil while it can continue.
    public var failure: String? { state.withLock { $0.failure } }

    /// Notes whether the server answers what it was asked for, and says so when that changes. What is known stays until then.
    public func noteSource(_ question: String, _ problem: String?) {
        let before = state.withLock { state in
            defer { state.sourceProblems[question] = problem }
            return state.sourceProblems[question]
        }
        guard problem != before else { return }
        if let problem {
            log(.warning, "cannot ask the server for \(question): \(problem); trying again")
        } else {
            log(.info, "the server answers again when it is asked for \(question)")
        }
    }

    /// Why the server does not answer.
    public var sourceProblems: [String] {
        state.withLock { state in
            state.sourceProblems.sorted { $0.key < $1.key }.map { "cannot ask the server for \($0.key): \($0.value)" }
        }
    }
}
