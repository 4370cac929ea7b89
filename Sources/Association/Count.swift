// Numbers of things, for messages: one of a thing has no plural.

/// A number and what it counts.
public enum Count {
    /// - Parameter many: what several are called, where that is not the one with an `s`.
    public static func of(_ number: Int, _ one: String, _ many: String? = nil) -> String {
        "\(number) \(number == 1 ? one : many ?? "\(one)s")"
    }
}
