// Hosts that have the same cause for a problem, as when an authority is down: reports give the cause once, with the number of hosts.

/// Groups of hosts, and their names in few words.
public enum ProblemGroups {
    public static let namesMax = 3

    /// What a text about a host says in common with those about others.
    public static func cause(_ text: String, of host: String) -> String { text.replacing(host, with: "HOST") }

    /// Items with the same cause together, in the order of the first of each; an item without a cause is alone.
    public static func grouped<Item>(_ items: [Item], cause: (Item) -> String?) -> [[Item]] {
        var (groups, places) = ([[Item]](), [String: Int]())
        for item in items {
            let cause = cause(item)
            if let place = cause.flatMap({ places[$0] }) {
                groups[place].append(item)
            } else {
                if let cause { places[cause] = groups.count }
                groups.append([item])
            }
        }
        return groups
    }

    /// Such as `h1.example.com, h2.example.com, h10.example.com and 47 more`.
    /// - Parameter count: of all hosts, of which the names are the first.
    public static func list(_ names: [String], count: Int) -> String {
        let shown = names.prefix(namesMax)
        return shown.joined(separator: ", ") + (count > shown.count ? " and \(count - shown.count) more" : "")
    }

    /// Whether a name comes before another one, where h2 comes before h10.
    public static func isBefore(_ left: String, _ right: String) -> Bool {
        var (first, second) = (left.utf8[...], right.utf8[...])
        while let one = first.first, let two = second.first {
            guard isDigit(one), isDigit(two) else {
                if one != two { return one < two }
                (first, second) = (first.dropFirst(), second.dropFirst())
                continue
            }
            let (number, other) = (takeNumber(&first), takeNumber(&second))
            if number.count != other.count { return number.count < other.count }
            if !number.elementsEqual(other) { return number.lexicographicallyPrecedes(other) }
        }
        return (first.count, left) < (second.count, right)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// The digits at the beginning, without leading zeros.
    private static func takeNumber(_ text: inout Substring.UTF8View) -> Substring.UTF8View {
        let digits = text.prefix(while: isDigit)
        text = text[digits.endIndex...]
        return digits.drop { $0 == UInt8(ascii: "0") }
    }
}
