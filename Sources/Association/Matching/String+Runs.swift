// Looking for a piece of text in a text of a document, byte by byte as phones do. The functions of the standard library
// go by whole characters: for them a combining mark behind it hides a slash, a star or `$(`.

extension StringProtocol {
    func begins(with prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

    func ends(with suffix: String) -> Bool { utf8.reversed().starts(with: suffix.utf8.reversed()) }

    /// Whether the bytes of `run` stand anywhere in it, one after the other; for short texts.
    func contains(run: String) -> Bool {
        guard let first = run.utf8.first else { return true }
        var rest = utf8[...]
        while let start = rest.firstIndex(of: first) {
            if rest[start...].starts(with: run.utf8) { return true }
            rest = rest[rest.index(after: start)...]
        }
        return false
    }
}

extension String {
    /// The text without as many bytes at its end, which are the last ones of whole scalars.
    func dropping(lastBytes count: Int) -> String { String(Substring(utf8.dropLast(count))) }

    /// The text without as many bytes at its beginning, which are the first ones of whole scalars.
    func dropping(firstBytes count: Int) -> String { String(Substring(utf8.dropFirst(count))) }
}
