// The same work on many inputs, on all processors. The inputs are small and independent of each other, so nothing more elaborate
// is needed.

import Posix

enum Parallel {
    /// Below this many inputs, starting threads takes longer than the work.
    private static let countMin = 32

    /// The results in the order of the inputs.
    static func map<Input: Sendable, Output: Sendable>(
        _ inputs: [Input], _ body: @escaping @Sendable (Input) -> Output
    ) -> [Output] {
        let threadCount = min(processorCount(), inputs.count / countMin)
        if threadCount < 2 { return inputs.map(body) }
        return unsafe [Output](unsafeUninitializedCapacity: inputs.count) { buffer, count in
            let results = unsafe Results(start: buffer.baseAddress!)
            // Neighbouring inputs are similar, so each thread takes every n-th one.
            let share: @Sendable (Int) -> Void = { first in
                for index in stride(from: first, to: inputs.count, by: threadCount) {
                    unsafe (results.start + index).initialize(to: body(inputs[index]))
                }
            }
            run(share, from: 1, below: threadCount) { share(0) }
            count = inputs.count
        }
    }

    /// The same for results that must not be in memory all at once: the calling thread gets a batch at a time, in order, while
    /// the next one is computed.
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

    /// A batch that is being computed.
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

        /// Waits for the results. Call it once.
        func results() -> [Output] {
            if let thread = thread.take() { thread.join() }
            defer { outputs = [] }
            return outputs
        }
    }

    /// Threads cannot be stored in an array, so each recursion level joins its own.
    private static func run(
        _ share: @escaping @Sendable (Int) -> Void, from first: Int, below count: Int, then work: () -> Void
    ) {
        if first == count { return work() }
        do {
            let thread = try Thread(name: "reader") { share(first) }
            run(share, from: first + 1, below: count, then: work)
            thread.join()
        } catch {
            // Without a thread, the work takes longer but is done.
            share(first)
            run(share, from: first + 1, below: count, then: work)
        }
    }

    /// Each thread writes to its own elements.
    @safe private struct Results<Output>: @unchecked Sendable {
        let start: UnsafeMutablePointer<Output>
    }
}
