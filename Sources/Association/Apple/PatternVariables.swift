// Where `$(name)` stands in a pattern.

/// A pattern cut into its text and its variables.
struct PatternVariables {
    /// The names of all complete references, in order.
    private(set) var names: [String] = []
    /// The pattern without them; each leaves a gap, so that what stood around it does not run together.
    private(set) var texts: [String] = []
    /// Whether a `$(` has no closing parenthesis.
    private(set) var isUnterminated = false

    init(_ pattern: String) {
        guard pattern.utf8.contains(UInt8(ascii: "$")) else {
            texts = [pattern]
            return
        }
        var text = String.UnicodeScalarView()
        let scalars = Array(pattern.unicodeScalars)
        var index = 0
        while index < scalars.count {
            guard scalars[index] == "$", index + 1 < scalars.count, scalars[index + 1] == "(" else {
                text.append(scalars[index])
                index += 1
                continue
            }
            guard let end = scalars[(index + 2)...].firstIndex(of: ")") else {
                isUnterminated = true
                break
            }
            var name = String.UnicodeScalarView()
            name.append(contentsOf: scalars[(index + 2)..<end])
            names.append(String(name))
            texts.append(String(text))
            text = String.UnicodeScalarView()
            index = end + 1
        }
        texts.append(String(text))
    }
}
