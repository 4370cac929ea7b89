// Who is served next where many wait, and who goes when there are too many. Groups take turns, and within a group its members do: for
// a file, networks and then questions; for a signature, hosts and then networks. So one that asks much waits behind itself, and an
// element that costs more counts as several.
//
// Each element gets a time at which it may begin: now for a group of which nothing waits, or after the elements of its group that came
// before. The earliest is served first, and the latest goes first: the newest of the group that has most. The time advances by what
// is served, divided by the groups that wait, so newcomers do not pass others for ever (start-time fair queueing).

/// Elements that wait, in the order of arrival. All operations are linear in their number, which callers limit.
public struct FairLine<Element> {
    private var places: [Place] = []
    private var groups = Turns()
    private var members: [UInt64: Turns] = [:]

    private struct Place {
        let element: Element
        let group: UInt64
        let member: UInt64
        let cost: UInt64
        /// Elements of a group may exchange theirs.
        var groupStart: UInt64
        var memberStart: UInt64
    }

    public init() {}

    public var count: Int { places.count }

    public mutating func add(_ element: Element, group: UInt64, member: UInt64, cost: Int = 1) {
        let cost = UInt64(cost) * Turns.unit
        let memberStart = members[group, default: Turns()].enter(member, cost)
        places.append(
            Place(
                element: element, group: group, member: member, cost: cost, groupStart: groups.enter(group, cost),
                memberStart: memberStart))
    }

    /// The element whose turn it is.
    /// - Parameter isSkipped: asked for groups, of which none may be left.
    public mutating func takeNext(skipping isSkipped: (UInt64) -> Bool = { _ in false }) -> Element? {
        guard let index = extreme(<, skipping: isSkipped) else { return nil }
        return remove(at: index, isServed: true).element
    }

    /// The newest element of the group that has most; the last one that was added if all have as many.
    public mutating func takeLast() -> Element? {
        guard let index = extreme(>=) else { return nil }
        return remove(at: index, isServed: false).element
    }

    @discardableResult
    public mutating func removeAll(where isRemoved: (Element) -> Bool) -> [Element] {
        var removed: [Element] = []
        var index = 0
        while index < places.count {
            if isRemoved(places[index].element) {
                removed.append(remove(at: index, isServed: false).element)
            } else {
                index += 1
            }
        }
        return removed
    }

    /// The index of the element that begins first or last, of the group that does.
    private mutating func extreme(
        _ precedes: (UInt64, UInt64) -> Bool, skipping isSkipped: (UInt64) -> Bool = { _ in false }
    ) -> Int? {
        guard var first = places.indices.first(where: { !isSkipped(places[$0].group) }) else { return nil }
        for index in places.indices
        where precedes(places[index].groupStart, places[first].groupStart) && !isSkipped(places[index].group) {
            first = index
        }
        let group = places[first].group
        var chosen = places.firstIndex { $0.group == group } ?? first
        for index in places.indices where places[index].group == group {
            if precedes(places[index].memberStart, places[chosen].memberStart) { chosen = index }
        }
        let start = places[chosen].groupStart
        places[chosen].groupStart = places[first].groupStart
        places[first].groupStart = start
        return chosen
    }

    private mutating func remove(at index: Int, isServed: Bool) -> Place {
        let place = places.remove(at: index)
        if !isServed { moveUp(behind: place) }
        groups.leave(place.group, place.cost, servedAt: isServed ? place.groupStart : nil)
        members[place.group]?.leave(place.member, place.cost, servedAt: isServed ? place.memberStart : nil)
        if members[place.group]?.isEmpty == true { members[place.group] = nil }
        return place
    }

    /// What came behind a place that needs no time begins earlier.
    private mutating func moveUp(behind gone: Place) {
        func earlier(_ start: UInt64, _ goneStart: UInt64) -> UInt64 {
            start > goneStart ? max(goneStart, start - min(start, gone.cost)) : start
        }
        for index in places.indices where places[index].group == gone.group {
            places[index].groupStart = earlier(places[index].groupStart, gone.groupStart)
            if places[index].member != gone.member { continue }
            places[index].memberStart = earlier(places[index].memberStart, gone.memberStart)
        }
    }
}

/// The times of those that take turns.
private struct Turns {
    /// The cost of an ordinary element.
    static let unit: UInt64 = 1 << 20

    private var now: UInt64 = 0
    private var keys: [UInt64: (count: Int, next: UInt64)] = [:]

    var isEmpty: Bool { keys.isEmpty }

    /// Returns when the new element begins.
    mutating func enter(_ key: UInt64, _ cost: UInt64) -> UInt64 {
        let (count, next) = keys[key] ?? (0, 0)
        let start = max(now, next)
        keys[key] = (count + 1, start + cost)
        return start
    }

    mutating func leave(_ key: UInt64, _ cost: UInt64, servedAt start: UInt64?) {
        if let start { now = max(now + cost / UInt64(max(1, keys.count)), start) }
        guard let (count, next) = keys[key] else { return }
        if count == 1 {
            keys[key] = nil
        } else {
            keys[key] = (count - 1, start == nil ? max(now, next - cost) : next)
        }
    }
}
