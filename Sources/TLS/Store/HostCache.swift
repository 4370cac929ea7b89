// A bounded table by host name; a new entry replaces the least recently used one. Names are compared as bytes and looked up
// without an allocation. Hashes have a secret of the process, so that clients cannot choose names that collide.

/// A hash table with chaining, and a linked list from the newest to the oldest use. Not thread-safe.
struct HostCache<Value> {
    private struct Slot {
        var hash: Int
        var name: [UInt8]
        var value: Value
        var nextInBucket: Int32
        var newer: Int32
        var older: Int32
    }

    private static var none: Int32 { -1 }

    let capacity: Int
    private var buckets: [Int32]
    private var slots: [Slot] = []
    private var newest = HostCache.none
    private var oldest = HostCache.none

    init(capacity: Int) {
        precondition(capacity > 0 && capacity < Int(Int32.max), "a cache holds at least one entry")
        self.capacity = capacity
        buckets = [Int32](repeating: HostCache.none, count: 16)
    }

    var count: Int { slots.count }

    /// The index of an entry, which becomes the most recently used one. Valid until the next insertion or removal.
    mutating func place(_ name: Span<UInt8>, hash: Int) -> Int? {
        guard let place = find(name, hash: hash) else { return nil }
        let index = Int32(place)
        if index != newest {
            unlink(index)
            linkNewest(index)
        }
        return place
    }

    /// The same without counting as a use.
    func find(_ name: Span<UInt8>, hash: Int) -> Int? {
        var index = buckets[hash & (buckets.count - 1)]
        while index != HostCache.none {
            let place = Int(index)
            if slots[place].hash == hash && isSame(place, name) { return place }
            index = slots[place].nextInBucket
        }
        return nil
    }

    subscript(place: Int) -> Value {
        get { slots[place].value }
        _modify { yield &slots[place].value }
    }

    func name(_ place: Int) -> [UInt8] { slots[place].name }

    mutating func insert(_ name: Span<UInt8>, hash: Int, _ value: Value) {
        if let place = place(name, hash: hash) {
            slots[place].value = value
            return
        }
        if slots.count == capacity { removeSlot(oldest) }
        if slots.count == buckets.count { grow() }
        let index = Int32(slots.count)
        let bucket = hash & (buckets.count - 1)
        let bytes = unsafe name.withUnsafeBytes { unsafe Array($0) }
        slots.append(
            Slot(
                hash: hash, name: bytes, value: value, nextInBucket: buckets[bucket],
                newer: HostCache.none, older: HostCache.none))
        buckets[bucket] = index
        linkNewest(index)
    }

    mutating func remove(_ name: Span<UInt8>, hash: Int) {
        if let place = place(name, hash: hash) { removeSlot(Int32(place)) }
    }

    private func isSame(_ place: Int, _ name: Span<UInt8>) -> Bool {
        guard slots[place].name.count == name.count else { return false }
        for index in name.indices where slots[place].name[index] != name[index] { return false }
        return true
    }

    private mutating func linkNewest(_ index: Int32) {
        slots[Int(index)].newer = HostCache.none
        slots[Int(index)].older = newest
        if newest != HostCache.none { slots[Int(newest)].newer = index }
        newest = index
        if oldest == HostCache.none { oldest = index }
    }

    private mutating func unlink(_ index: Int32) {
        let (newer, older) = (slots[Int(index)].newer, slots[Int(index)].older)
        if newer != HostCache.none { slots[Int(newer)].older = older } else { newest = older }
        if older != HostCache.none { slots[Int(older)].newer = newer } else { oldest = newer }
    }

    /// Removes an entry and moves the last one into its slot, so that the slots have no gaps.
    private mutating func removeSlot(_ index: Int32) {
        unlink(index)
        replaceInBucket(index, by: slots[Int(index)].nextInBucket)
        let last = Int32(slots.count - 1)
        if index != last {
            replaceInBucket(last, by: index)
            let moved = slots[Int(last)]
            if moved.newer != HostCache.none { slots[Int(moved.newer)].older = index } else { newest = index }
            if moved.older != HostCache.none { slots[Int(moved.older)].newer = index } else { oldest = index }
            slots[Int(index)] = moved
        }
        slots.removeLast()
    }

    /// Changes the link to an entry in its bucket.
    private mutating func replaceInBucket(_ index: Int32, by replacement: Int32) {
        let bucket = slots[Int(index)].hash & (buckets.count - 1)
        if buckets[bucket] == index {
            buckets[bucket] = replacement
            return
        }
        var current = buckets[bucket]
        while slots[Int(current)].nextInBucket != index { current = slots[Int(current)].nextInBucket }
        slots[Int(current)].nextInBucket = replacement
    }

    private mutating func grow() {
        buckets = [Int32](repeating: HostCache.none, count: buckets.count * 2)
        for place in slots.indices {
            let bucket = slots[place].hash & (buckets.count - 1)
            slots[place].nextInBucket = buckets[bucket]
            buckets[bucket] = Int32(place)
        }
    }
}
