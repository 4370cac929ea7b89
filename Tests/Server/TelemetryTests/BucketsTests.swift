// Histograms: both sides of every bound, sums, and how long the longest round is reported.

import Telemetry
import Testing

struct BucketsTests {
    @Test func `each bound belongs to its bucket`() {
        for (bucket, bound) in Buckets.boundsMicroseconds.enumerated() {
            #expect(Buckets.index(microseconds: bound) == bucket)
            #expect(Buckets.index(microseconds: bound + 1) == bucket + 1)
        }
        #expect(Buckets.boundsMicroseconds.count + 1 == Buckets.count)
        #expect(Buckets.index(microseconds: 0) == 0)
        #expect(Buckets.index(microseconds: .max) == Buckets.count - 1)
    }

    @Test func `counts times in buckets and adds them up over workers`() {
        let metrics = WorkerMetrics(workerCount: 2)
        metrics.recorder(0).counters.addLatency(microseconds: 40)
        metrics.recorder(0).counters.addLatency(microseconds: 300)
        metrics.recorder(1).counters.addLatency(microseconds: 20_000_000)
        // A clock that goes back gives a wrong time, but no crash.
        metrics.recorder(1).counters.addLatency(microseconds: -5)
        let reading = metrics.latency
        #expect(reading.count == 4)
        #expect(reading.counts[0] == 2)
        #expect(reading.counts[3] == 1)
        #expect(reading.counts[17] == 1)
        #expect(reading.sumMicroseconds == 20_000_340)
    }

    @Test func `reports the longest round for 15 to 30 seconds`() {
        let metrics = WorkerMetrics(workerCount: 1)
        let counters = metrics.recorder(0).counters
        func longest(_ now: Int64) -> UInt64 { metrics.longestRoundMicroseconds(0, nowMilliseconds: now) }
        counters.addRound(microseconds: 10, nowMilliseconds: 100_000)
        counters.addRound(microseconds: 900, nowMilliseconds: 101_000)
        counters.addRound(microseconds: 20, nowMilliseconds: 102_000)
        #expect(longest(102_000) == 900)
        #expect(longest(116_000) == 900)
        #expect(longest(130_000) == 0)
        counters.addRound(microseconds: 30, nowMilliseconds: 116_000)
        #expect(longest(116_500) == 900)
        counters.addRound(microseconds: 5, nowMilliseconds: 131_500)
        #expect(longest(131_500) == 30)
        counters.addRound(microseconds: 6, nowMilliseconds: 200_000)
        #expect(longest(200_000) == 6)
        #expect(metrics.rounds(0).count == 6)
    }
}
