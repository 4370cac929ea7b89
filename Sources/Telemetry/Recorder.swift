// Where one worker puts what it sees. A plain value with pointers, so that nothing is counted or locked when it is used.

/// One worker's side of the records. Used by that worker's thread alone.
public struct Recorder: @unchecked Sendable {
    public let counters: CounterBlock
    private let sightings: Unmanaged<SightingRing>

    init(_ counters: CounterBlock, _ sightings: SightingRing) {
        self.counters = counters
        self.sightings = .passUnretained(sightings)
    }

    /// Leaves a sighting for whoever keeps them.
    public func note(_ sighting: Sighting) {
        let isKept = sightings._withUnsafeGuaranteedRef { $0.push(sighting) }
        if !isKept { counters.add(to: .droppedSightings) }
    }
}
