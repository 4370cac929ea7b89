// Decides what is kept of the data of all tenants when together they have too much: as much of one tenant as of any other, so that
// no tenant loses anything because of one that has more.

public enum FairShare {
    /// Whose a host is: that of the first folder below `config/apps` of its app file. Without one, a host is a tenant of its own.
    public static func tenant(of host: String, in folder: String?) -> String { folder.map { "\($0)/" } ?? host }

    /// The items that fit into a room, in their order. Of each tenant, the first ones are kept.
    /// - Parameter tenant: whose an item is.
    /// - Parameter size: of an item, in the unit of the room.
    public static func fitting<Item>(
        _ items: [Item], room: Int, tenant: (Item) -> String, size: (Item) -> Int = { _ in 1 }
    ) -> [Item] {
        let sizes = items.map(size)
        if sizes.reduce(0, +) <= room { return items }
        // What the tenant has up to an item, and with it. The item that needs least comes first.
        var used: [String: Int] = [:]
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
