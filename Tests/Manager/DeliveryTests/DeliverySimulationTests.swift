// Many hosts under the cap of one request a second, with simulated time. By default, a hundredth of a million hosts with a hundredth of
// the pace, which has the same proportions; ASSOCIATED_SIMULATED_HOSTS=1000000 simulates all of them.

import Foundation
import Store
import Testing

@testable import Delivery

struct DeliverySimulationTests {
    private static let fleet: Int64 = 1_000_000
    private static let day: Int64 = 86_400_000

    /// The planned looks, the earliest first. A look that was planned again later is out of date.
    private struct Plan {
        struct Look {
            var due: Int64
            var host: Int
            var number: Int
            var priority: Int64
        }
        private var heap: [Look] = []

        mutating func add(_ look: Look) {
            heap.append(look)
            var index = heap.count - 1
            while index > 0, heap[index].due < heap[(index - 1) / 2].due {
                heap.swapAt(index, (index - 1) / 2)
                index = (index - 1) / 2
            }
        }

        var next: Int64? { heap.first?.due }

        mutating func takeFirst() -> Look {
            heap.swapAt(0, heap.count - 1)
            let first = heap.removeLast()
            var index = 0
            while 2 * index + 1 < heap.count {
                var child = 2 * index + 1
                if child + 1 < heap.count, heap[child + 1].due < heap[child].due { child += 1 }
                if heap[index].due <= heap[child].due { break }
                heap.swapAt(index, child)
                index = child
            }
            return first
        }
    }

    /// Looks that are due, by priority, in the order of their times.
    private struct Queue {
        private var looks: [Plan.Look] = []
        private var taken = 0

        var isEmpty: Bool { taken == looks.count }
        mutating func add(_ look: Plan.Look) { looks.append(look) }
        mutating func takeFirst() -> Plan.Look {
            taken += 1
            return looks[taken - 1]
        }
    }

    @Test func `a million hosts get one request a second, and each of them its turn`() throws {
        let count = Int(ProcessInfo.processInfo.environment["ASSOCIATED_SIMULATED_HOSTS"] ?? "") ?? 10_000
        let pace = DeliveryVerifier.paceMilliseconds * DeliverySimulationTests.fleet / Int64(count)
        let bucket = Bucket(scope: "delivery", subject: "apple", capacity: 1, fillMilliseconds: pace)
        var (level, now, random) = (bucket.level(nil, 0), Int64(0), UInt64(1))
        var (plan, queues) = (Plan(), [Queue](repeating: Queue(), count: 3))
        var (looked, number) = ([Int64?](repeating: nil, count: count), [Int](repeating: 0, count: count))
        var changed = [Int64?](repeating: nil, count: count)
        // As the turns of one tenant with that many hosts, after changes of others.
        for host in 0..<count {
            plan.add(.init(due: 0, host: host, number: 0, priority: DeliveryPlan.priorityOfOthers))
        }
        func draw() -> UInt64 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return random >> 16
        }
        /// Changes begin when all hosts have been looked at. One request in ten is for one of them.
        let (firstCycle, end) = (Int64(count) * pace, 4 * Int64(count) * pace)
        var (nextChange, last, longest, latest, requests) = (firstCycle, Int64?.none, Int64(0), Int64(0), 0)
        while now < end {
            if now >= nextChange {
                nextChange = now + 30 * pace
                let host = Int(draw() % UInt64(count))
                (changed[host], number[host]) = (now, number[host] + 1)
                plan.add(
                    .init(
                        due: now + DeliveryPlan.firstMilliseconds, host: host, number: number[host],
                        priority: DeliveryPlan.priorityOfChanges))
            }
            while let due = plan.next, due <= now {
                let look = plan.takeFirst()
                queues[Int(look.priority)].add(look)
            }
            guard let index = queues.indices.last(where: { !queues[$0].isEmpty }) else {
                now = min(plan.next ?? end, nextChange)
                continue
            }
            let look = queues[index].takeFirst()
            if look.number != number[look.host] { continue }
            level = bucket.book(.init(bucket), level, at: now)
            now = level.at
            requests += 1
            if let last, now - last < pace { Issue.record("two requests within \(now - last) ms") }
            last = now
            if let before = looked[look.host] { longest = max(longest, now - before) }
            looked[look.host] = now
            if look.priority == DeliveryPlan.priorityOfChanges { latest = max(latest, now - look.due) }
            // A change arrives an hour later.
            let since = changed[look.host].map { now - $0 } ?? DeliveryPlan.weekMilliseconds
            let isOld = since < DeliveryPlan.dayMilliseconds / 24
            let wait = DeliveryPlan.waitMilliseconds(
                isOld ? .older : .equal, sinceMilliseconds: since, maxAgeSeconds: nil, draw: draw())
            number[look.host] += 1
            plan.add(
                .init(
                    due: now + wait, host: look.host, number: number[look.host],
                    priority: DeliveryPlan.priority(sinceMilliseconds: since, waitMilliseconds: wait)))
        }
        #expect(looked.allSatisfy { $0 != nil })
        // 11.6 days for one look at each, and a tenth more for changes.
        #expect(longest < Int64(Double(count) * Double(pace) * 1.25), "\(Double(longest) / 86_400_000) days")
        // A few changes at the same time wait for each other.
        #expect(latest <= 20 * pace, "\(latest / pace) requests late")
        #expect(Int64(requests) <= end / pace + 1 && Int64(requests) > end / pace * 9 / 10)
    }
}
