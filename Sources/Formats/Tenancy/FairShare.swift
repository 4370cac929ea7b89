// The rule for everything that is bounded: its room is shared by the tenants, and a tenant that takes more than its share loses its
// own newest first (in a cache, what it has used least recently). Nothing is divided in advance, so one tenant may have all of a room
// that the others leave. When the room is full, the tenant that has the most loses, and so no tenant loses anything because of one that
// has more than itself.

/// A bounded room with items of tenants. Each operation takes the same time, however many tenants and items there are.
public struct FairShare<Item> {
    /// What the tenant with the most loses first.
    public enum Loss: Sendable { case newest, leastUsed }

    /// The sizes of all items may be no more together. If it is made smaller, items leave at the next insertion.
    public var room: Int
    public private(set) var size = 0
    private let loss: Loss
    private var entries: [Entry?] = []
    private var freeEntries: [Int] = []
    private var entryLinks = Links()
    private var shares: [Share] = []
    private var freeShares: [Int] = []
    private var shareLinks = Links()
    private var shareOfTenant: [TenantID: Int] = [:]
    /// The tenants by how much they have, and the most that one has.
    private var sharesBySize: [Int: Ends] = [:]
    private var most = 0

    private struct Entry {
        var item: Item
        let share: Int
        let size: Int
    }

    private struct Share {
        let tenant: TenantID
        var size = 0
        var entries = Ends()
    }

    public init(room: Int, losing loss: Loss) {
        precondition(room > 0, "a room holds at least one item")
        (self.room, self.loss) = (room, loss)
    }

    public var count: Int { entries.count - freeEntries.count }

    public var items: [Item] { entries.compactMap { $0?.item } }

    /// How much a tenant has.
    public func size(of tenant: TenantID) -> Int { shareOfTenant[tenant].map { shares[$0].size } ?? 0 }

    /// An item by its place, which stays the same until the item is removed.
    public subscript(place: Int) -> Item {
        get { entries[place]!.item }
        _modify { yield &entries[place]!.item }
    }

    /// Puts an item in, and returns those that had to leave for it. Its place is nil if its own tenant has the most, and loses the new
    /// item.
    public mutating func insert(_ item: Item, of tenant: TenantID, size: Int = 1) -> (place: Int?, lost: [Item]) {
        var lost: [Item] = []
        while self.size > room, let loser = heaviest { lost.append(remove(at: loser)) }
        while self.size + size > room {
            guard let loser = loser(for: size, of: tenant) else { return (nil, lost) }
            lost.append(remove(at: loser))
        }
        let share = share(of: tenant)
        let place = freeEntries.popLast() ?? entries.count
        if place == entries.count { entries.append(nil) }
        entries[place] = Entry(item: item, share: share, size: size)
        entryLinks.append(place, to: &shares[share].entries)
        change(share, by: size)
        return (place, lost)
    }

    @discardableResult
    public mutating func remove(at place: Int) -> Item {
        guard let entry = entries[place] else { preconditionFailure("an item is removed once") }
        entries[place] = nil
        freeEntries.append(place)
        entryLinks.remove(place, from: &shares[entry.share].entries)
        change(entry.share, by: -entry.size)
        return entry.item
    }

    /// Notes a use of an item.
    public mutating func use(_ place: Int) {
        guard let share = entries[place]?.share else { preconditionFailure("an item that is used is in the room") }
        if shares[share].entries.newest != place {
            entryLinks.remove(place, from: &shares[share].entries)
            entryLinks.append(place, to: &shares[share].entries)
        }
        if sharesBySize[shares[share].size]?.newest != share { change(share, by: 0) }
    }

    /// The item that leaves for one of this size; nil if that is the new one.
    private func loser(for size: Int, of tenant: TenantID) -> Int? {
        let own = shareOfTenant[tenant]
        let wanted = (own.map { shares[$0].size } ?? 0) + size
        if size > room { return nil }
        switch loss {
        case .newest: return wanted < most ? heaviest : nil
        case .leastUsed: return wanted > most ? own.flatMap { shares[$0].entries.oldest } : heaviest
        }
    }

    /// What the tenant with the most loses.
    private var heaviest: Int? {
        switch loss {
        case .newest: sharesBySize[most]?.newest.flatMap { shares[$0].entries.newest }
        case .leastUsed: sharesBySize[most]?.oldest.flatMap { shares[$0].entries.oldest }
        }
    }

    private mutating func share(of tenant: TenantID) -> Int {
        if let known = shareOfTenant[tenant] { return known }
        let share = freeShares.popLast() ?? shares.count
        if share == shares.count { shares.append(Share(tenant: tenant)) } else { shares[share] = Share(tenant: tenant) }
        shareOfTenant[tenant] = share
        return share
    }

    private mutating func change(_ share: Int, by step: Int) {
        let before = shares[share].size
        if before > 0 {
            shareLinks.remove(share, from: &sharesBySize[before, default: Ends()])
            if sharesBySize[before]?.newest == nil { sharesBySize[before] = nil }
        }
        size += step
        shares[share].size += step
        let after = shares[share].size
        if after > 0 {
            shareLinks.append(share, to: &sharesBySize[after, default: Ends()])
        } else {
            shareOfTenant[shares[share].tenant] = nil
            freeShares.append(share)
        }
        most = max(most, after)
        // No more steps than the size of what has left.
        while most > 0, sharesBySize[most] == nil { most -= 1 }
    }
}

/// The first and the last number of a list.
private struct Ends {
    var newest: Int?
    var oldest: Int?
}

/// Lists of numbers, each of which is in one list at most.
private struct Links {
    private var links: [(newer: Int?, older: Int?)] = []

    mutating func append(_ number: Int, to ends: inout Ends) {
        while links.count <= number { links.append((nil, nil)) }
        links[number] = (nil, ends.newest)
        if let newest = ends.newest { links[newest].newer = number } else { ends.oldest = number }
        ends.newest = number
    }

    mutating func remove(_ number: Int, from ends: inout Ends) {
        let (newer, older) = links[number]
        if let newer { links[newer].older = older } else { ends.newest = older }
        if let older { links[older].newer = newer } else { ends.oldest = newer }
    }
}

extension FairShare {
    /// The items of a list that fit into a room, in their order, by the same rule. Of each tenant, the first ones are kept.
    /// - Parameter tenant: whose an item is.
    /// - Parameter size: of an item, in the unit of the room.
    public static func fitting(
        _ items: [Item], room: Int, tenant: (Item) -> TenantID, size: (Item) -> Int = { _ in 1 }
    ) -> [Item] {
        let sizes = items.map(size)
        if sizes.reduce(0, +) <= room { return items }
        // What the tenant has up to an item, and with it. The item that needs least comes first.
        var used: [TenantID: Int] = [:]
        let needed = items.indices.map { index in
            let tenant = tenant(items[index])
            used[tenant, default: 0] += sizes[index]
            return used[tenant, default: 0]
        }
        var left = room
        let kept = items.indices.sorted { (needed[$0], $0) < (needed[$1], $1) }.prefix { index in
            left -= sizes[index]
            return left >= 0
        }
        return kept.sorted().map { items[$0] }
    }
}
