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
        let work = Work(inputs, body, done)
        run(min(threadsMax, inputs.count), work)
        return work.results
    }

    private final class Work<Input: Sendable, Output: Sendable>: Sendable {
        private let inputs: [Input]
        private let body: @Sendable (Input) -> Output
        private let done: @Sendable (Int) -> Void
        private let state: Mutex<State>

        private struct State {
            var next = 0
            var doneCount = 0
            var outputs: [Output?]
        }

        init(
            _ inputs: [Input], _ body: @escaping @Sendable (Input) -> Output,
            _ done: @escaping @Sendable (Int) -> Void
        ) {
            (self.inputs, self.body, self.done) = (inputs, body, done)
            state = Mutex(State(outputs: Array(repeating: nil, count: inputs.count)))
        }

        /// In the end there is one for each input.
        var results: [Output] { state.withLock { $0.outputs.compactMap { $0 } } }

        func run() {
            while let index = take() {
                let output = body(inputs[index])
                let count = state.withLock { state in
                    state.outputs[index] = output
                    state.doneCount += 1
                    return state.doneCount
                }
                done(count)
            }
        }

        private func take() -> Int? {
            state.withLock { state in
                guard state.next < inputs.count else { return nil }
                state.next += 1
                return state.next - 1
            }
        }
    }

    /// Threads cannot be kept in an array, so each waits for those that were started after it.
    private static func run<Input, Output>(_ threads: Int, _ work: Work<Input, Output>) {
        guard threads > 1, let thread = try? Thread(name: "check", { work.run() }) else { return work.run() }
        run(threads - 1, work)
        thread.join()
    }
}
