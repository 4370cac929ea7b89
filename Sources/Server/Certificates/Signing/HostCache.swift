// A bounded table by host name, which the tenants of the hosts share: the one with the most loses its least recently used entries.
// Names are looked up without an allocation.

import TLS
import Tenancy

/// Entries by the hash of their name. Not thread-safe.
struct HostCache<Value> {
    private struct Slot {
        let hash: Int
        let name: [UInt8]
        var value: Value
    }

    /// If two names have the same hash of 64 bits, only the newer one is in the table.
    private var places: [Int: Int] = [:]
    private var slots: FairShare<Slot>

    /// - Parameter room: for the sizes of all entries together.
    init(room: Int, losing loss: FairShare<Value>.Loss = .leastUsed) {
        slots = FairShare(room: room, losing: loss == .newest ? .newest : .leastUsed)
    }

    var count: Int { slots.count }
    var size: Int { slots.size }

    var names: [[UInt8]] { slots.items.map(\.name) }

    /// The index of an entry, which becomes the most recently used one. Valid until it is removed.
    mutating func place(_ name: Span<UInt8>) -> Int? {
        guard let place = find(name) else { return nil }
        slots.use(place)
        return place
    }

    /// The same without counting as a use.
    func find(_ name: Span<UInt8>) -> Int? {
        guard let place = places[HostName.hash(name)], slots[place].name.count == name.count else { return nil }
        for index in name.indices where slots[place].name[index] != name[index] { return nil }
        return place
    }

    subscript(place: Int) -> Value {
        get { slots[place].value }
        _modify { yield &slots[place].value }
    }

    /// Replaces an entry with the same hash: that of the name, except in tests. Returns the names that had to leave.
    /// - Parameter tenant: nil in a table that belongs to no tenant.
    @discardableResult
    mutating func insert(
        _ name: Span<UInt8>, hash: Int? = nil, _ value: Value, of tenant: TenantID? = nil, size: Int = 1
    ) -> (isIn: Bool, lost: [[UInt8]]) {
        let hash = hash ?? HostName.hash(name)
        if let place = places.removeValue(forKey: hash) { slots.remove(at: place) }
        let slot = Slot(hash: hash, name: unsafe name.withUnsafeBytes { unsafe Array($0) }, value: value)
        let (place, lost) = slots.insert(slot, of: tenant ?? .operator, size: size)
        for slot in lost { places[slot.hash] = nil }
        places[hash] = place
        return (place != nil, lost.map(\.name))
    }

    mutating func remove(_ name: Span<UInt8>) {
        guard let place = find(name) else { return }
        places[slots.remove(at: place).hash] = nil
    }

    mutating func changeAll(_ body: (inout Value) -> Void) {
        for place in places.values { body(&slots[place].value) }
    }
}
