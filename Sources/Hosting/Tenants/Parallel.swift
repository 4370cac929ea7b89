// The same work on many things, on all processors. What is read or rendered at one time is many small things that know
// nothing of each other, so no more is needed.

import Posix

enum Parallel {
    /// Below this many things, starting threads takes longer than the work.
    private static let countMin = 32

    /// The results in the order of the inputs.
    static func map<Input: Sendable, Output: Sendable>(
        _ inputs: [Input], _ body: @escaping @Sendable (Input) -> Output
    ) -> [Output] {
        let threadCount = min(processorCount(), inputs.count / countMin)
        if threadCount < 2 { return inputs.map(body) }
        return unsafe [Output](unsafeUninitializedCapacity: inputs.count) { buffer, count in
            let results = unsafe Results(start: buffer.baseAddress!)
            // Neighbours are of a kind, so every thread takes its share of each kind.
            let share: @Sendable (Int) -> Void = { first in
                for index in stride(from: first, to: inputs.count, by: threadCount) {
                    unsafe (results.start + index).initialize(to: body(inputs[index]))
                }
            }
            run(share, from: 1, below: threadCount) { share(0) }
            count = inputs.count
        }
    }

    /// The same for results that are not to be in memory all at once: the calling thread gets some at a time, in order, while
    /// the next ones are made.
    static func forEach<Input: Sendable, Output: Sendable>(
        _ inputs: [Input], atOnce: Int, _ body: @escaping @Sendable (Input) -> Output, take: ([Output]) -> Void
    ) {
        var batch = Batch(inputs, from: 0, count: atOnce, body)
        for start in stride(from: 0, to: inputs.count, by: atOnce) {
            let results = batch.results()
            batch = Batch(inputs, from: start + atOnce, count: atOnce, body)
            take(results)
        }
    }

    /// Results that are being made.
    private final class Batch<Input: Sendable, Output: Sendable>: @unchecked Sendable {
        private var outputs: [Output] = []
        private var thread: Thread?

        init(_ inputs: [Input], from start: Int, count: Int, _ body: @escaping @Sendable (Input) -> Output) {
            let inputs = Array(inputs[min(start, inputs.count)..<min(start + count, inputs.count)])
            if inputs.isEmpty { return }
            do {
                thread = try Thread(name: "reader") { [self] in outputs = map(inputs, body) }
            } catch {
                outputs = map(inputs, body)
            }
        }

        /// Waits for the end of the work. To be called once.
        func results() -> [Output] {
            if let thread = thread.take() { thread.join() }
            defer { outputs = [] }
            return outputs
        }
    }

    /// Threads cannot be kept in an array, so each waits for those that were started after it.
    private static func run(
        _ share: @escaping @Sendable (Int) -> Void, from first: Int, below count: Int, then work: () -> Void
    ) {
        if first == count { return work() }
        do {
            let thread = try Thread(name: "reader") { share(first) }
            run(share, from: first + 1, below: count, then: work)
            thread.join()
        } catch {
            // No thread to be had: it takes longer, and is done all the same.
            share(first)
            run(share, from: first + 1, below: count, then: work)
        }
    }

    /// Every thread writes to places of its own.
    @safe private struct Results<Output>: @unchecked Sendable {
        let start: UnsafeMutablePointer<Output>
    }
}
