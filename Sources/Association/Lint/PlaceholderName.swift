// Bundle ids and package names from documentation and templates. Both are reversed domain names, so they share their examples.

enum PlaceholderName {
    private static let roots = [
        "com.example", "org.example", "com.yourcompany", "com.yourapp", "com.mycompany", "com.yourdomain",
        "com.company.app", "your.package",
    ].map { Array($0.utf8) }

    /// Whether this is an example's name, or one below it.
    static func isOne(_ name: String) -> Bool {
        let lower = name.utf8.map(ASCII.lowercased)
        return roots.contains { root in
            lower.starts(with: root) && (lower.count == root.count || lower[root.count] == UInt8(ascii: "."))
        }
    }
}
