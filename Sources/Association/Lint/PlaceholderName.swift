// Bundle ids and package names from documentation and templates. Both are reversed domain names, so they share their examples.

enum PlaceholderName {
    private static let roots = [
        "com.example", "org.example", "com.yourcompany", "com.yourapp", "com.mycompany", "com.yourdomain",
        "com.company.app", "your.package",
    ]

    /// Whether this is an example's name, or one below it.
    static func isOne(_ name: String) -> Bool {
        let lower = name.lowercased()
        return roots.contains { lower == $0 || lower.hasPrefix($0 + ".") }
    }
}
