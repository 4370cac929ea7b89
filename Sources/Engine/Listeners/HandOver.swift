// The order in which an exiting process closes its listeners, so that the remaining process gets every connection. The kernel has
// a list of the sockets of an address: first the N sockets of the exiting process, then the M of the other one. The process can
// steer connections to positions of the list; if a position does not exist, the kernel chooses any. When a socket is closed, the
// last one of the list takes its position.
//
// If M is at least N, the exiting process can close its sockets in any order while it steers to the positions N to M: they exist
// until only one of its sockets is left, and none of them is its own. If M is less than N, it closes its sockets one after the
// other from the end until only M are left. A connection that arrives at one of its sockets meanwhile, because a position is
// just gone, is served there.

/// One worker's part in handing an address over to another process.
struct HandOver {
    /// The worker's number, and the number of workers.
    let worker: Int
    let count: Int
    /// The fewest sockets of another process at any of the addresses; 0 when there is none.
    let othersMin: Int

    /// The time between the closing of two workers.
    static let stepMilliseconds: Int64 = 150
    /// How long before its closing a worker steers away connections that it may get by mistake: soon after the worker before it
    /// has closed.
    static let quietMilliseconds: Int64 = 140

    init(worker: Int, count: Int, others: [Range<Int>]) {
        self.worker = worker
        self.count = count
        // Sockets before this process's keep their positions.
        othersMin = others.lazy.filter { $0.lowerBound > 0 }.map(\.count).min() ?? 0
    }

    /// How many workers close together at the end.
    private var lastCount: Int { min(count, othersMin) }

    private var isAmongLast: Bool { worker < lastCount }

    /// How much later than the first worker this one closes its listeners.
    var delayMilliseconds: Int64 {
        if othersMin == 0 { return 0 }
        return Int64(isAmongLast ? count - lastCount : count - 1 - worker) * HandOver.stepMilliseconds
    }

    /// Where to steer connections shortly before this worker closes. `others` are the positions when draining began.
    func steeringBeforeClosing(_ others: Range<Int>) -> Range<Int> {
        if others.lowerBound == 0 { return others }
        let left = isAmongLast ? lastCount : worker + 1
        return left..<left + others.count
    }

    /// Where to steer connections while this worker closes.
    func steeringWhileClosing(_ others: Range<Int>) -> Range<Int> {
        if others.lowerBound == 0 || !isAmongLast { return steeringBeforeClosing(others) }
        return lastCount..<others.count + 1
    }
}
