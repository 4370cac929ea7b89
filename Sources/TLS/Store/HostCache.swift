// A bounded table by host name; a new entry replaces the least recently used ones. Names are looked up without an allocation. Their
// hashes have a secret of the process, so clients cannot choose names that collide.

/// Entries by the hash of their name, and a linked list from the newest to the oldest use. Not thread-safe.
struct HostCache<Value> {
    private struct Slot {
        let hash: Int
        let name: [UInt8]
        var value: Value
        let weight: Int
        var newer: Int?
        var older: Int?
    }

    let capacity: Int
    private let weightMax: Int
    private(set) var weight = 0
    /// If two names have the same hash of 64 bits, only the newer one is in the table.
    private var places: [Int: Int] = [:]
    private var slots: [Slot] = []
    private var newest: Int?
    private var oldest: Int?

    /// - Parameter weightMax: of all entries together; one that is heavier is the only one.
    init(capacity: Int, weightMax: Int = .max) {
        precondition(capacity > 0, "a cache holds at least one entry")
        (self.capacity, self.weightMax) = (capacity, weightMax)
    }

    var count: Int { slots.count }

    var names: [[UInt8]] { slots.map(\.name) }

    static func hash(_ name: Span<UInt8>) -> Int {
        var hasher = Hasher()
        unsafe name.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        return hasher.finalize()
    }

    /// The index of an entry, which becomes the most recently used one. Valid until the next insertion or removal.
    mutating func place(_ name: Span<UInt8>) -> Int? {
        guard let place = find(name) else { return nil }
        if place != newest {
            unlink(place)
            linkNewest(place)
        }
        return place
    }

    /// The same without counting as a use.
    func find(_ name: Span<UInt8>) -> Int? {
        guard let place = places[HostCache.hash(name)], slots[place].name.count == name.count else { return nil }
        for index in name.indices where slots[place].name[index] != name[index] { return nil }
        return place
    }

    subscript(place: Int) -> Value {
        get { slots[place].value }
        _modify { yield &slots[place].value }
    }

    /// Replaces an entry with the same hash: that of the name, except in tests.
    mutating func insert(_ name: Span<UInt8>, hash: Int? = nil, _ value: Value, weight: Int = 1) {
        let hash = hash ?? HostCache.hash(name)
        if let place = places[hash] { remove(at: place) }
        while slots.count == capacity || self.weight + weight > weightMax, let oldest { remove(at: oldest) }
        let bytes = unsafe name.withUnsafeBytes { unsafe Array($0) }
        slots.append(Slot(hash: hash, name: bytes, value: value, weight: weight))
        self.weight += weight
        places[hash] = slots.count - 1
        linkNewest(slots.count - 1)
    }

    mutating func remove(_ name: Span<UInt8>) {
        if let place = find(name) { remove(at: place) }
    }

    private mutating func linkNewest(_ place: Int) {
        (slots[place].newer, slots[place].older) = (nil, newest)
        if let newest { slots[newest].newer = place } else { oldest = place }
        newest = place
    }

    private mutating func unlink(_ place: Int) {
        let (newer, older) = (slots[place].newer, slots[place].older)
        if let newer { slots[newer].older = older } else { newest = older }
        if let older { slots[older].newer = newer } else { oldest = newer }
    }

    /// Removes an entry and moves the last one into its slot, so that the slots have no gaps.
    private mutating func remove(at place: Int) {
        unlink(place)
        places[slots[place].hash] = nil
        weight -= slots[place].weight
        let moved = slots.removeLast()
        if place == slots.count { return }
        slots[place] = moved
        places[moved.hash] = place
        if let newer = moved.newer { slots[newer].older = place } else { newest = place }
        if let older = moved.older { slots[older].newer = place } else { oldest = place }
    }
}
