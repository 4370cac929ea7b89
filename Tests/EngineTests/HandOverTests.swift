// The order in which listeners are closed, against a model of the kernel's list.

import Testing

@testable import Engine

struct HandOverTests {
    /// The sockets at one address: the workers of the old process by number, and nil for those of the new one.
    private struct Kernel {
        var places: [Int?]
        var lead = 0..<0

        init(own: Int, others: Int) { places = Array(0..<own) + Array(repeating: nil, count: others) }

        mutating func close(_ worker: Int) {
            guard let place = places.firstIndex(of: worker) else { return }
            places[place] = places[places.count - 1]
            places.removeLast()
        }

        /// The workers of the old process that may get a connection now.
        var strays: Set<Int> {
            // A place that does not exist means any socket.
            let led = lead.contains { $0 >= places.count } ? Set(places) : Set(lead.map { places[$0] })
            return Set(led.compactMap { $0 })
        }
    }

    @Test func `no worker gets a connection while it closes its listener`() {
        var dice = SplitMix(seed: 7)
        for own in 1...7 {
            for others in 1...9 {
                let place = own..<own + others
                let plans = (0..<own).map { HandOver(worker: $0, count: own, others: [place, 0..<0]) }
                var kernel = Kernel(own: own, others: others)
                kernel.lead = place
                #expect(kernel.strays.isEmpty)
                let turns = Dictionary(grouping: plans, by: \.delayMilliseconds).sorted { $0.key < $1.key }
                for (delay, together) in turns {
                    // First all workers that close together steer connections away, then they close in any order.
                    if delay > 0 { for plan in together { kernel.lead = plan.steeringBeforeClosing(place) } }
                    #expect(kernel.strays.isEmpty, "\(own) to \(others) after \(delay) ms")
                    var open = Set(together.map(\.worker))
                    for plan in together.shuffled(using: &dice) {
                        kernel.lead = plan.steeringWhileClosing(place)
                        #expect(kernel.strays.isDisjoint(with: open), "\(own) to \(others) after \(delay) ms")
                        kernel.close(plan.worker)
                        open.remove(plan.worker)
                        #expect(kernel.strays.isDisjoint(with: open), "\(own) to \(others) after \(delay) ms")
                    }
                }
                #expect(kernel.places.count == others)
                #expect(kernel.strays.isEmpty)
            }
        }
    }

    @Test func `all workers close at once if the new process has at least as many`() {
        for own in 1...4 {
            for worker in 0..<own {
                #expect(HandOver(worker: worker, count: own, others: [own..<2 * own]).delayMilliseconds == 0)
            }
        }
        #expect(HandOver.quietMilliseconds < HandOver.stepMilliseconds)
    }

    @Test func `does not wait without another process, and keeps the places of older sockets`() {
        #expect(HandOver(worker: 3, count: 4, others: [0..<0]).delayMilliseconds == 0)
        let newer = HandOver(worker: 1, count: 4, others: [0..<2])
        #expect(newer.delayMilliseconds == 0)
        #expect(newer.steeringWhileClosing(0..<2) == 0..<2)
    }
}
