// The same work on many small inputs, on all processors.

import Posix

enum Parallel {
    /// A thread takes so many inputs at a time, and fewer than two shares are not worth a thread.
    private static let shareCount = 32

    /// The results in the order of the inputs.
    static func map<Input: Sendable, Output: Sendable>(
        _ inputs: [Input], _ body: @escaping @Sendable (Input) -> Output
    ) -> [Output] {
        if inputs.count < 2 * shareCount { return inputs.map(body) }
        let starts = Array(stride(from: 0, to: inputs.count, by: shareCount))
        let shares = Concurrently.map(starts, threadsMax: processorCount(), name: "reader") { start in
            inputs[start..<min(start + shareCount, inputs.count)].map(body)
        }
        return Array(shares.joined())
    }

    /// The same for results that must not be in memory all at once: the calling thread gets a batch at a time, in order, while
    /// the next one is computed.
    static func forEach<Input: Sendable, Output: Sendable, Failure: Error>(
        _ inputs: [Input], atOnce: Int, _ body: @escaping @Sendable (Input) -> Output,
        take: ([Output]) throws(Failure) -> Void
    ) throws(Failure) {
        if inputs.count <= atOnce { return try inputs.isEmpty ? () : take(map(inputs, body)) }
        var batch = Batch(inputs, from: 0, count: atOnce, body)
        for start in stride(from: 0, to: inputs.count, by: atOnce) {
            let results = batch.results()
            batch = Batch(inputs, from: start + atOnce, count: atOnce, body)
            do throws(Failure) { try take(results) } catch {
                _ = batch.results()
                throw error
            }
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
}
