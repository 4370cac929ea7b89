// In which order a process that leaves closes its listeners, so that the one that stays gets every connection. The kernel
// keeps the sockets at an address in a list: ours in front, the others' behind. A connection goes to a place in the list
// that we choose, or, where that place does not exist, to any. Closing a socket puts the last one into its place.
//
// So with the others at places N to N+M-1, and M at least N, all of ours can be closed in any order while connections go to
// the places N to M: those exist until only one of ours is left, and none of them is ours. With M below N, ours are closed
// one after the other from the end until only M are left; whoever is led to one of ours meanwhile, because a place has
// just gone, is served there as ever.

/// One worker's part in leaving an address to others.
struct HandOver {
    /// Which of our workers it is, and how many there are.
    let worker: Int
    let count: Int
    /// The fewest sockets that others have at any of our addresses; 0 when there are none.
    let othersMin: Int

    /// Between one worker's closing and the next.
    static let stepMilliseconds: Int64 = 150
    /// So long before it closes a worker that connections may have been led to by mistake has no more of them led to it:
    /// soon after the one before it has closed.
    static let quietMilliseconds: Int64 = 140

    init(worker: Int, count: Int, others: [Range<Int>]) {
        self.worker = worker
        self.count = count
        // Sockets in front of ours stay where they are.
        othersMin = others.lazy.filter { $0.lowerBound > 0 }.map(\.count).min() ?? 0
    }

    /// Those who close together in the end.
    private var lastCount: Int { min(count, othersMin) }

    private var isAmongLast: Bool { worker < lastCount }

    /// How much later than the first this worker closes its listeners.
    var delayMilliseconds: Int64 {
        if othersMin == 0 { return 0 }
        return Int64(isAmongLast ? count - lastCount : count - 1 - worker) * HandOver.stepMilliseconds
    }

    /// Where connections go while this worker's turn comes near. `others` are the places at the beginning.
    func leadBeforeClosing(_ others: Range<Int>) -> Range<Int> {
        if others.lowerBound == 0 { return others }
        let left = isAmongLast ? lastCount : worker + 1
        return left..<left + others.count
    }

    /// Where they go while it closes.
    func leadWhileClosing(_ others: Range<Int>) -> Range<Int> {
        if others.lowerBound == 0 || !isAmongLast { return leadBeforeClosing(others) }
        return lastCount..<others.count + 1
    }
}
