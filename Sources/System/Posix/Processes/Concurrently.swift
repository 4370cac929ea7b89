// The same work on many inputs, on several threads; a free thread takes the next input.

import Synchronization

public enum Concurrently {
    /// The results in the order of the inputs.
    /// - Parameter name: the name of the threads.
    /// - Parameter done: called after each result with the number of results so far.
    public static func map<Input: Sendable, Output: Sendable>(
        _ inputs: [Input], threadsMax: Int, name: String = "check", done: @escaping @Sendable (Int) -> Void = { _ in },
        _ body: @escaping @Sendable (Input) -> Output
    ) -> [Output] {
        let work = Work<Output>(count: inputs.count)
        run(min(threadsMax, inputs.count), name) {
            while let index = work.next() { done(work.put(body(inputs[index]), at: index)) }
        }
        return work.results
    }

    private final class Work<Output: Sendable>: Sendable {
        private let state: Mutex<(next: Int, doneCount: Int, outputs: [Output?])>

        init(count: Int) { state = Mutex((0, 0, Array(repeating: nil, count: count))) }

        /// One for each input, when all threads are done.
        var results: [Output] { state.withLock { $0.outputs.compactMap { $0 } } }

        func next() -> Int? {
            state.withLock { state in
                guard state.next < state.outputs.count else { return nil }
                state.next += 1
                return state.next - 1
            }
        }

        /// Stores a result; returns the number of results.
        func put(_ output: Output, at index: Int) -> Int {
            state.withLock { state in
                state.outputs[index] = output
                state.doneCount += 1
                return state.doneCount
            }
        }
    }

    /// Threads are not copyable and cannot be in an array, so each one waits for the threads started after it.
    private static func run(_ threads: Int, _ name: String, _ work: @escaping @Sendable () -> Void) {
        guard threads > 1, let thread = try? Thread(name: name, work) else { return work() }
        run(threads - 1, name, work)
        thread.join()
    }
}
