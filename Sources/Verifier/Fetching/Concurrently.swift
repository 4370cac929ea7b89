// Several things at a time that wait for the network: whichever thread is free takes the next.

import Posix
import Synchronization

public enum Concurrently {
    /// The results in the order of the inputs.
    /// - Parameter done: is told after each how many are done.
    public static func map<Input: Sendable, Output: Sendable>(
        _ inputs: [Input], threadsMax: Int, done: @escaping @Sendable (Int) -> Void = { _ in },
        _ body: @escaping @Sendable (Input) -> Output
    ) -> [Output] {
        let work = Work<Output>(count: inputs.count)
        run(min(threadsMax, inputs.count)) {
            while let index = work.next() { done(work.put(body(inputs[index]), at: index)) }
        }
        return work.results
    }

    private final class Work<Output: Sendable>: Sendable {
        private let state: Mutex<(next: Int, doneCount: Int, outputs: [Output?])>

        init(count: Int) { state = Mutex((0, 0, Array(repeating: nil, count: count))) }

        /// In the end there is one for each input.
        var results: [Output] { state.withLock { $0.outputs.compactMap { $0 } } }

        func next() -> Int? {
            state.withLock { state in
                guard state.next < state.outputs.count else { return nil }
                state.next += 1
                return state.next - 1
            }
        }

        /// How many there are now.
        func put(_ output: Output, at index: Int) -> Int {
            state.withLock { state in
                state.outputs[index] = output
                state.doneCount += 1
                return state.doneCount
            }
        }
    }

    /// Threads cannot be kept in an array, so each waits for those that were started after it.
    private static func run(_ threads: Int, _ work: @escaping @Sendable () -> Void) {
        guard threads > 1, let thread = try? Thread(name: "check", work) else { return work() }
        run(threads - 1, work)
        thread.join()
    }
}
